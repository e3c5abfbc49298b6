#include "import/decoder/decoder_builder.h"

#include <algorithm>
#include <cstring>

#include "base/status.h"

namespace legato::importer {

using ir::kNone;
using ir::ValueId;

namespace {

/// Reads both in pieces; equal sources are known without reading.
bool same_data(const ir::Constant& a, const ir::Constant& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (a.identity() != 0 && a.identity() == b.identity()) return true;
  const int64_t step =
      std::max<int64_t>(1, (int64_t{1} << 18) / std::max<int64_t>(1, a.row_elements()));
  std::vector<std::byte> left(static_cast<size_t>(step) * a.row_bytes()), right(left.size());
  for (int64_t row = 0; row < a.rows(); row += step) {
    const int64_t count = std::min(step, a.rows() - row);
    a.read_rows(row, count, left.data());
    b.read_rows(row, count, right.data());
    if (std::memcmp(left.data(), right.data(), static_cast<size_t>(count) * a.row_bytes()) != 0)
      return false;
  }
  return true;
}

}  // namespace

DecoderBuilder::DecoderBuilder(WeightSource& weights) : weights_(weights) {
  const ir::ValueType tokens{DType::kI32, SymShape{Dim::symbol("tokens")}};
  input_ids_ = graph_.add_input("input_ids", tokens);
  positions_ = graph_.add_input("positions", tokens);
  logit_rows_ = graph_.add_input("logit_rows", {DType::kI32, SymShape{Dim::symbol("logit_rows")}});
}

ValueId DecoderBuilder::matrix(const std::string& tensor, int64_t rows, int64_t columns) {
  const auto found = constants_.find(tensor);
  if (found != constants_.end()) return found->second;
  return constant(tensor, weights_.get(tensor, {rows, columns}));
}

ValueId DecoderBuilder::vector(const std::string& tensor, int64_t length) {
  const auto found = constants_.find(tensor);
  if (found != constants_.end()) return found->second;
  return constant(tensor, weights_.get(tensor, {length}));
}

bool DecoderBuilder::biased(const std::string& module, bool configured) const {
  return weights_.tells_biases() ? weights_.has(module + ".bias") : configured;
}

ValueId DecoderBuilder::bias(const std::string& module, int64_t length, bool configured) {
  return biased(module, configured) ? vector(module + ".bias", length) : kNone;
}

ValueId DecoderBuilder::constant(const std::string& name, ir::ConstantPtr data) {
  if (data->shape().rank() == 1) data = ir::cast(std::move(data), DType::kF32);
  const ValueId value = graph_.add_constant(name, std::move(data));
  constants_.emplace(name, value);
  return value;
}

ValueId DecoderBuilder::norm(const std::string& name, ValueId x, int64_t width,
                             const NormSettings& settings) {
  const ValueId weight = settings.weight ? vector(name + ".weight", width) : kNone;
  const Attributes attributes{{"epsilon", settings.epsilon}};
  if (!settings.layer_norm) return graph_.add("RmsNorm", name, {x, weight}, attributes);
  const ValueId bias = settings.bias ? vector(name + ".bias", width) : kNone;
  return graph_.add("LayerNorm", name, {x, weight, bias}, attributes);
}

ValueId DecoderBuilder::head_norm(const std::string& name, ValueId x, int64_t head_dim,
                                  double epsilon) {
  return graph_.add("RmsNorm", name, {x, vector(name + ".weight", head_dim)},
                    {{"epsilon", epsilon}, {"group_size", head_dim}});
}

ValueId DecoderBuilder::linear(const LinearModule& module, ValueId x,
                               const std::string& activation) {
  const ValueId weight = matrix(module.name + ".weight", module.out, module.in);
  return linear(module.name, x, weight, bias(module.name, module.out, module.bias), activation);
}

ValueId DecoderBuilder::linear(const std::string& name, ValueId x, ValueId weight, ValueId bias,
                               const std::string& activation) {
  Attributes attributes;
  if (activation != "none") attributes.set("activation", activation);
  return graph_.add("Linear", name, {x, weight, bias}, attributes);
}

ValueId DecoderBuilder::add(const std::string& name, ValueId a, ValueId b) {
  return graph_.add("Add", name, {a, b});
}

ValueId DecoderBuilder::rope_table(const RopeSettings& rope) {
  Attributes attributes{{"inv_freq", rope.inv_freq}};
  if (rope.scale != 1.0) attributes.set("scale", rope.scale);
  return graph_.add("RotaryTable", "rotary_table", {positions_}, attributes);
}

ValueId DecoderBuilder::rope(const std::string& name, ValueId x, ValueId table, int64_t head_dim,
                             int64_t rotary_dim) {
  return graph_.add(
      "Rope", name, {x, table},
      {{"head_dim", head_dim}, {"rotary_dim", rotary_dim}, {"interleaved", int64_t{0}}});
}

ValueId DecoderBuilder::attention(const std::string& name, const ValueId (&qkv)[3],
                                  const AttentionShape& shape, double scale, int64_t window) {
  Attributes attributes{{"heads", shape.heads},
                        {"kv_heads", shape.kv_heads},
                        {"head_dim", shape.head_dim},
                        {"scale", scale},
                        {"layer", num_attention_layers_++}};
  if (window != 0) attributes.set("window", window);
  return graph_.add("Attention", name, {qkv[0], qkv[1], qkv[2]}, attributes);
}

ArchModel DecoderBuilder::finish(const Config& config, ValueId hidden, const DecoderEnd& end) {
  // Before the norm, so that nothing is computed for other rows.
  const ValueId rows =
      graph_.add("Gather", "logit_hidden", {hidden, logit_rows_}, {{"axis", int64_t{0}}});
  const ValueId normed = norm(end.final_norm, rows, end.width, end.norm);
  graph_.add_output("logits", linear(end.head, normed, output_matrix(config, end), kNone));
  ArchModel model{std::move(graph_), {}, end.context_limit};
  model.info.vocab_size = end.vocab;
  model.info.max_context = end.max_context;
  return model;
}

ValueId DecoderBuilder::output_matrix(const Config& config, const DecoderEnd& end) {
  const std::string head = end.head + ".weight";
  if (!end.tied) {
    ValueId value = kNone;
    const Status status = catch_error([&] { value = matrix(head, end.vocab, end.width); });
    if (status.code == Code::kNotFound)
      config.refuse("tie_word_embeddings",
                    "is false, but the weights have no tensor \"" + head + "\"");
    throw_if_failed(status);
    return value;
  }
  const ValueId value = matrix(end.embedding, end.vocab, end.width);
  if (weights_.has(head)) {
    const ir::ConstantPtr other = weights_.get(head, {end.vocab, end.width});
    if (!same_data(*other, *graph_.value(value).constant))
      config.unsupported("tie_word_embeddings", "is true, but the weights hold another matrix \"" +
                                                    head + "\" than \"" + end.embedding + "\"");
    weights_.ignore(head);
  }
  return value;
}

}  // namespace legato::importer
