#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "import/gguf/model_file.h"
#include "import/weight_source.h"

namespace legato::importer {

/// Rows of the query and key matrices of the "llama" family lie in GGUF in the order of rotary
/// pairs side by side. 0 heads: they lie as in Hugging Face's files.
struct PairedRows {
  int64_t heads = 0;
  int64_t kv_heads = 0;
};

/// The weights of a GGUF model under the names that Hugging Face gives them. Matrices keep the
/// file's blocks as quantised dtypes. Reading a NaN or an infinity throws Error that names the
/// tensor.
class GgufWeights : public WeightSource {
 public:
  GgufWeights(std::shared_ptr<const GgufModelFile> file, PairedRows paired);

  bool has(const std::string& name) const override;
  /// No key speaks of biases.
  bool tells_biases() const override { return true; }
  ir::ConstantPtr get(const std::string& name, const Shape& expected) override;
  /// GGUF holds every matrix as [out, in].
  ir::ConstantPtr get_turned(const std::string& name, const Shape& expected) override {
    return get(name, expected);
  }
  void ignore(const std::string& name) override;

  /// A tensor by its own name that no Hugging Face file has; counts as used.
  ir::ConstantPtr get_own(const std::string& gguf_name, const Shape& expected);
  /// Refuses a model with a tensor that nobody asked for: it would change the arithmetic.
  void refuse_unused() const;

 private:
  std::shared_ptr<const GgufModelFile> file_;
  PairedRows paired_;
  std::set<std::string, std::less<>> used_;
};

}  // namespace legato::importer
