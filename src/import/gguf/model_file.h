#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "import/gguf/header.h"

namespace legato::importer {

/// A GGUF model: one file, or the parts that NAME-00001-of-0000N.gguf begins, joined. What it hands
/// out lies in the mapped files, which it keeps. Any thread may read.
class GgufModelFile {
 public:
  /// Opens and judges the file and all its other parts. Throws Error.
  static std::shared_ptr<const GgufModelFile> open(const std::filesystem::path& path);
  /// The same over bytes that outlive it; a model of one part.
  static std::shared_ptr<const GgufModelFile> from_bytes(std::span<const std::byte> bytes,
                                                         const std::string& where);

  const std::string& where() const { return parts_.front()->where; }
  /// Of the first part.
  const GgufMetadata& metadata() const { return parts_.front()->header.metadata; }
  /// Null when absent.
  const GgufTensor* find(std::string_view name) const;
  const std::map<std::string_view, GgufTensor>& tensors() const { return tensors_; }

 private:
  struct Part {
    MappedFile file;  ///< empty for bytes that somebody else holds
    std::string where;
    GgufHeader header;
  };
  static std::unique_ptr<const Part> open_part(const std::filesystem::path& path);
  void add(std::unique_ptr<const Part> part);
  void join(const std::filesystem::path& first);

  std::vector<std::unique_ptr<const Part>> parts_;
  std::map<std::string_view, GgufTensor> tensors_;
};

/// The files of a model of which this is the first part: itself alone when its name has no
/// "-00001-of-0000N". Nothing is opened.
std::vector<std::filesystem::path> gguf_parts(const std::filesystem::path& path);

}  // namespace legato::importer
