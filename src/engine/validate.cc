#include "engine/validate.h"

#include <algorithm>

#include "base/checked.h"
#include "engine/validate_parts.h"

namespace legato::engine {
namespace {

constexpr size_t kMaxLayers = 4096;
constexpr int32_t kMaxHeads = 4096;
constexpr int32_t kMaxHeadDim = 4096;
constexpr int64_t kMaxExtent = INT32_MAX;
constexpr size_t kMaxSymbols = 32;

Status validate_ids(const ValidateScope& scope) {
  const ModelInfo& model = scope.spec.model;
  const auto in_vocabulary = [&model](int32_t id) { return id >= 0 && id < model.vocab_size; };
  if (model.vocab_size < 0 || model.vocab_size > kMaxExtent)
    return scope.refuse("vocab_size is {}, expected 0 to {}", model.vocab_size, kMaxExtent);
  if (model.max_context < 0 || model.max_context > kMaxExtent)
    return scope.refuse("max_context is {}, expected 0 to {}", model.max_context, kMaxExtent);
  for (size_t i = 0; i < model.eos_ids.size(); ++i) {
    if (!in_vocabulary(model.eos_ids[i]) || (i > 0 && model.eos_ids[i] <= model.eos_ids[i - 1]))
      return scope.refuse("eos_ids[{}] is {}, expected sorted ids below vocab_size {}", i,
                          model.eos_ids[i], model.vocab_size);
  }
  for (const auto& [name, id] :
       {std::pair("bos_id", model.bos_id), std::pair("pad_id", model.pad_id)}) {
    if (id && !in_vocabulary(*id))
      return scope.refuse("{} is {}, expected 0 to below vocab_size {}", name, *id,
                          model.vocab_size);
  }
  return {};
}

Status validate_generation(const ValidateScope& scope) {
  const GenerationDefaults& defaults = scope.spec.model.generation;
  struct Bound {
    const char* name;
    double value, least, greatest;
  };
  for (const Bound& bound :
       {Bound{"temperature", defaults.temperature, 0, 1e6}, Bound{"top_p", defaults.top_p, 0, 1},
        Bound{"min_p", defaults.min_p, 0, 1},
        Bound{"repetition_penalty", defaults.repetition_penalty, 1e-6, 1e6}}) {
    if (!(bound.value >= bound.least && bound.value <= bound.greatest))
      return scope.refuse("{} is {}, expected {} to {}", bound.name, bound.value, bound.least,
                          bound.greatest);
  }
  if (defaults.top_k < 0 || defaults.top_k > kMaxExtent)
    return scope.refuse("top_k is {}, expected 0 to {}", defaults.top_k, kMaxExtent);
  return {};
}

Status validate_kv(const ValidateScope& scope) {
  const KvSpec& kv = scope.spec.kv;
  if (kv.layers.size() > kMaxLayers)
    return scope.refuse("cache has {} layers, expected at most {}", kv.layers.size(), kMaxLayers);
  if (kv.default_dtype != DType::kF32 && kv.default_dtype != DType::kF16 &&
      kv.default_dtype != DType::kBF16)
    return scope.refuse("cache has dtype {}, expected f32, f16 or bf16",
                        dtype_name(kv.default_dtype));
  for (size_t i = 0; i < kv.layers.size(); ++i) {
    const KvLayerSpec& layer = kv.layers[i];
    if (layer.kv_heads < 1 || layer.kv_heads > kMaxHeads || layer.head_dim < 1 ||
        layer.head_dim > kMaxHeadDim)
      return scope.refuse("cache layer {} has {} heads of {}, expected 1 to {} heads of 1 to {}", i,
                          layer.kv_heads, layer.head_dim, kMaxHeads, kMaxHeadDim);
    if (layer.window < 0 || layer.sinks < 0)
      return scope.refuse("cache layer {} has window {} and {} sinks, expected no negative number",
                          i, layer.window, layer.sinks);
  }
  return {};
}

Status validate_profile(const ValidateScope& scope) {
  const auto& profile = scope.spec.profile;
  if (profile.size() > kMaxSymbols)
    return scope.refuse("profile has {} symbols, expected at most {}", profile.size(), kMaxSymbols);
  for (size_t i = 0; i < profile.size(); ++i) {
    const ProfileDim& dim = profile[i];
    if (dim.min < 0 || dim.opt < dim.min || dim.max < dim.opt || dim.max < 1 ||
        dim.max > kMaxExtent)
      return scope.refuse("profile of {} is {} to {} to {}, expected rising numbers up to {}",
                          dim.symbol, dim.min, dim.opt, dim.max, kMaxExtent);
    const Result<Dim> symbol = Dim::parse(dim.symbol);
    if (!symbol.ok() || *symbol != Dim::symbol(dim.symbol) ||
        (i > 0 && dim.symbol <= profile[i - 1].symbol))
      return scope.refuse("profile names \"{}\", expected symbols in sorted order", dim.symbol);
  }
  return {};
}

}  // namespace

Status validate_model(const ValidateScope& scope) {
  LEGATO_RETURN_IF_ERROR(validate_ids(scope));
  LEGATO_RETURN_IF_ERROR(validate_generation(scope));
  LEGATO_RETURN_IF_ERROR(validate_kv(scope));
  return validate_profile(scope);
}

Status validate_spec(const EngineSpec& spec, const std::string& where) {
  const ValidateScope scope{spec, where, profile_bindings(spec, false),
                            profile_bindings(spec, true)};
  LEGATO_RETURN_IF_ERROR(validate_model(scope));
  LEGATO_RETURN_IF_ERROR(validate_weights(scope));
  LEGATO_RETURN_IF_ERROR(validate_values(scope));
  return validate_steps(scope);
}

DimBindings profile_bindings(const EngineSpec& spec, bool greatest) {
  DimBindings bindings;
  for (const ProfileDim& dim : spec.profile) bindings[dim.symbol] = greatest ? dim.max : dim.min;
  return bindings;
}

Dim value_bytes(DType dtype, const SymShape& shape) {
  return shape.elements() * Dim(static_cast<int64_t>(dtype_bytes(dtype)));
}

bool always_fits(const Dim& size, const Dim& limit) {
  if (size == limit) return true;
  return (limit - size).to_string().find('-') == std::string::npos;
}

}  // namespace legato::engine
