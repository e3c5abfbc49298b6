#include "builder/precision.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "tensor/quant_format.h"

namespace legato::builder {

DType weight_precision(const Program& program, const BuildOptions& options) {
  if (options.precision) return *options.precision;
  std::map<DType, int64_t> elements;
  for (const engine::WeightSpec& weight : program.spec.weights) {
    const bool counted = weight.dtype == DType::kF32 || weight.dtype == DType::kF16 ||
                         weight.dtype == DType::kBF16 || is_quantised(weight.dtype);
    if (counted && weight.shape.rank() >= 2) elements[weight.dtype] += weight.shape.elements();
  }
  const auto most = std::max_element(elements.begin(), elements.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  return most == elements.end() ? DType::kF32 : most->first;
}

std::string precision_name(DType dtype) {
  if (dtype == DType::kBF16 || is_quantised(dtype)) return std::string(dtype_name(dtype));
  return dtype == DType::kF16 ? "fp16" : "fp32";
}

std::string options_text(const BuildOptions& options) {
  std::vector<std::string> disabled = options.disabled_passes;
  std::sort(disabled.begin(), disabled.end());
  disabled.erase(std::unique(disabled.begin(), disabled.end()), disabled.end());
  const auto name = [](const std::optional<DType>& dtype, const char* otherwise) {
    return dtype ? precision_name(*dtype) : otherwise;
  };
  return fmt::format(
      "precision={} embed_precision={} head_precision={} group={} kv_dtype={} required_level={} "
      "max_step_tokens={} disabled_passes={}",
      name(options.precision, "source"), name(options.embed_precision, "default"),
      name(options.head_precision, "default"), options.group.value_or(kQuantGroup),
      options.kv_dtype ? dtype_name(*options.kv_dtype) : "default",
      options.required_level ? cpu_level_name(*options.required_level) : "any",
      options.max_step_tokens, fmt::join(disabled, ","));
}

}  // namespace legato::builder
