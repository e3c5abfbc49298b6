#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "import/safetensors/file.h"
#include "import/weight_source.h"

namespace legato::importer {

/// The weights of a Hugging Face folder: model.safetensors, or shards named by
/// model.safetensors.index.json.
class SafetensorsWeights : public WeightSource {
 public:
  /// Opens and judges every file. Refuses a folder with other kinds of weights only, by their
  /// names. Throws Error.
  static SafetensorsWeights open(const std::filesystem::path& folder);

  bool has(const std::string& name) const override { return tensors_.count(name) != 0; }
  ir::ConstantPtr get(const std::string& name, const Shape& expected) override;
  void ignore(const std::string& name) override { used_.insert(name); }

  /// Warns of tensors that nobody asked for; masks and rotary tables that old exporters stored are
  /// known to be computed and not named.
  void warn_of_unused() const;

 private:
  void add_file(const std::filesystem::path& folder, const std::string& name);
  void add_shards(const std::filesystem::path& folder);

  std::string where_;
  /// Keys lie in the headers of the files.
  std::map<std::string_view, std::shared_ptr<const SafetensorsFile>> tensors_;
  std::set<std::string> used_;
};

}  // namespace legato::importer
