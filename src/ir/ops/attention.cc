#include <fmt/format.h>

#include <cmath>

#include "ir/rules/attributes.h"
#include "ir/rules/fused.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

/// Heads and their sizes stay within what 32-bit layouts of the cache count.
constexpr int64_t kMaxHeads = 1 << 16;
constexpr int64_t kMaxHeadDim = 1 << 16;

int64_t bounded(const NodeView& view, std::string_view attribute, int64_t least, int64_t most) {
  const int64_t value = at_least(view, attribute, least);
  if (value > most)
    view.refuse(fmt::format("attribute \"{}\" is {}, expected at most {}", attribute, value, most));
  return value;
}

void check_rotary(const NodeView& view, const Dim& tokens, int64_t head_dim) {
  const int64_t rotary_dim = bounded(view, "rotary_dim", 0, head_dim);
  bounded(view, "interleaved", 0, 1);
  if (!view.has(3)) {
    if (rotary_dim != 0)
      view.refuse(fmt::format("attribute \"rotary_dim\" is {}, but input 3 (rope_table) is absent",
                              rotary_dim));
    return;
  }
  if (rotary_dim == 0 || rotary_dim % 2 != 0)
    view.refuse(fmt::format("attribute \"rotary_dim\" is {}, expected an even number from 2 to {}",
                            rotary_dim, head_dim));
  require_dtype(view, 3, DType::kF32);
  require_shape(view, 3, {tokens, rotary_dim});
}

std::vector<ValueType> infer(const NodeView& view) {
  constexpr int64_t kMaxPositions = int64_t{1} << 31;
  const int64_t heads = bounded(view, "heads", 1, kMaxHeads);
  const int64_t kv_heads = bounded(view, "kv_heads", 1, heads);
  const int64_t head_dim = bounded(view, "head_dim", 1, kMaxHeadDim);
  if (heads % kv_heads != 0)
    view.refuse(
        fmt::format("has {} heads, expected a multiple of its {} kv_heads", heads, kv_heads));
  require_rank(view, 0, 2);
  const Dim tokens = view.type(0).shape[0];
  const SymShape kv_shape{tokens, kv_heads * head_dim};
  for (const size_t input : {0, 1, 2}) {
    require_dtype(view, input, DType::kF32);
    require_shape(view, input, input == 0 ? SymShape{tokens, heads * head_dim} : kv_shape);
  }
  bounded(view, "layer", 0, kMaxHeads);
  bounded(view, "sinks", 0, kMaxPositions - 1);
  bounded(view, "window", 0, kMaxPositions - 1);
  const double scale = view.node.attributes.get_float("scale");
  const double softcap = view.node.attributes.get_float("softcap");
  if (!std::isfinite(scale) || !std::isfinite(softcap) || softcap < 0)
    view.refuse(fmt::format("has scale {} and softcap {}, expected finite ones, softcap >= 0",
                            scale, softcap));
  check_rotary(view, tokens, head_dim);
  require_optional_float(view, 4, {head_dim});
  require_optional_float(view, 5, {head_dim});
  check_epsilon(view, "norm_epsilon");
  return {{DType::kF32, {tokens, heads * head_dim}}};
}

}  // namespace

void register_attention(OpRegistry& registry) {
  registry.add(
      {.name = "Attention",
       .doc = "q [T, heads*head_dim], k and v [T, kv_heads*head_dim], rope_table [T, rotary_dim]?, "
              "q_norm [head_dim]?, k_norm [head_dim]? -> [T, heads*head_dim]. Per head: RmsNorm of "
              "q and k where there are weights, Rope where there is a table; keys and values go to "
              "the cache; softmax(scale * q k^T) v over the visible positions of the sequence. "
              "Query head h reads kv head h / (heads / kv_heads)",
       .min_inputs = 3,
       .max_inputs = 6,
       .input_names = {"q", "k", "v", "rope_table", "q_norm", "k_norm"},
       .attributes = {required("heads", AttributeType::kInt, "query heads"),
                      required("kv_heads", AttributeType::kInt, "key and value heads"),
                      required("head_dim", AttributeType::kInt, "numbers of one head"),
                      required("scale", AttributeType::kFloat, "factor of the scores"),
                      required("layer", AttributeType::kInt, "which layer of the cache"),
                      int_attribute("window", 0, "position p sees (p - window, p]; 0: all before"),
                      int_attribute("sinks", 0, "first positions that stay visible"),
                      float_attribute("softcap", 0.0, "c > 0: scores s become c tanh(s / c)"),
                      int_attribute("rotary_dim", 0, "as of Rope; 0 without a table"),
                      int_attribute("interleaved", 0, "as of Rope"),
                      float_attribute("norm_epsilon", 0.0, "of the norms of q and k")},
       .infer = infer,
       .behaviour = [](const NodeView&, int axis) {
         return axis == 0 ? SequenceBehaviour::kCausalAttention : SequenceBehaviour::kOpaque;
       }});
}

}  // namespace legato::ir
