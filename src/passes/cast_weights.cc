#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "ir/constant_finite.h"
#include "ir/op.h"
#include "passes/pass.h"
#include "quant/quantised.h"

namespace legato::passes {
namespace {

/// What a matrix is for: which option gives its dtype.
enum class Role : uint8_t { kBody, kEmbedding, kHead };

/// Operands that hold matrices of weights, as the op's schema names them. Norm weights and biases
/// stay f32.
const std::vector<size_t>& matrix_operands(const ir::Node& node) {
  return ir::ops().find(node.op)->quantised_inputs;
}

/// Casts the constant matrices of one graph.
class Caster {
 public:
  Caster(ir::Graph& graph, const PassOptions& options) : graph_(graph), options_(options) {}

  int64_t run() {
    find_roles();
    for (const ir::NodeId id : graph_.order()) {
      const ir::Node node = graph_.node(id);
      std::vector<ir::ValueId> inputs = node.inputs;
      for (const size_t index : matrix_operands(node))
        if (is_constant(node.input(index))) inputs[index] = cast_value(node.input(index));
      if (inputs != node.inputs) graph_.update(id, inputs, node.attributes);
    }
    return rewrites_;
  }

 private:
  /// Equal data is one weight in the engine, however many values name it.
  using Data = std::pair<uint64_t, const ir::Constant*>;
  Data data_of(ir::ValueId id) const {
    const ir::ConstantPtr& constant = graph_.value(id).constant;
    const uint64_t identity = constant->identity();
    return {identity, identity != 0 ? nullptr : constant.get()};
  }

  bool is_constant(ir::ValueId id) const {
    return id != ir::kNone && graph_.value(id).constant != nullptr;
  }

  /// A projection is the head when no other one, and no attention, hangs on what it computes.
  void find_roles() {
    std::vector<bool> feeds_matrix(graph_.num_nodes(), false);
    const std::vector<ir::NodeId> order = graph_.order();
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      const ir::Node& node = graph_.node(*id);
      bool feeds = false;
      for (const ir::ValueId output : node.outputs)
        for (const ir::NodeId user : graph_.users(output))
          feeds = feeds || feeds_matrix[static_cast<size_t>(user)] || mixes(graph_.node(user));
      feeds_matrix[static_cast<size_t>(*id)] = feeds;
      const Role role = node.op == "Embedding"          ? Role::kEmbedding
                        : node.op == "Linear" && !feeds ? Role::kHead
                                                        : Role::kBody;
      for (const size_t index : matrix_operands(node))
        if (is_constant(node.input(index))) roles_[data_of(node.input(index))].push_back(role);
    }
  }

  static bool mixes(const ir::Node& node) {
    return node.op == "Linear" || node.op == "GatedMlp" || node.op == "Attention";
  }

  bool has_role(const std::vector<Role>& roles, Role role) const {
    return std::find(roles.begin(), roles.end(), role) != roles.end();
  }

  /// The dtype that was asked for; nullopt: as it comes.
  std::optional<DType> dtype_of(ir::ValueId id) const {
    const std::vector<Role>& roles = roles_.at(data_of(id));
    const bool embedding = has_role(roles, Role::kEmbedding);
    const bool head = has_role(roles, Role::kHead);
    const auto& embed_precision = options_.embed_precision;
    const auto& head_precision = options_.head_precision;
    if (embedding && head && embed_precision && head_precision &&
        *embed_precision != *head_precision)
      throw Error(Code::kInvalidArgument, graph_.value(id).name,
                  fmt::format("is both embedding and head, expected one precision for it, got {} "
                              "and {}",
                              dtype_name(*embed_precision), dtype_name(*head_precision)));
    if (embedding && embed_precision) return embed_precision;
    if (head && head_precision) return head_precision;
    if ((embedding || head) && options_.precision == DType::kW4) return DType::kW8;
    return options_.precision;
  }

  /// A weight above 65504 has no finite f16.
  static ir::ConstantPtr cast_finite(const ir::Value& value, DType dtype) {
    return ir::checked_finite(ir::cast(value.constant, dtype), value.name,
                              fmt::format("its {} form", dtype_name(dtype)));
  }

  ir::ValueId cast_value(ir::ValueId id) {
    const auto [it, is_new] = cast_values_.try_emplace(id, id);
    const std::optional<DType> dtype = is_new ? dtype_of(id) : std::nullopt;
    if (!dtype || *dtype == graph_.value(id).type.dtype) return it->second;
    const ir::Value& value = graph_.value(id);
    ir::ConstantPtr made = is_quantised(*dtype)
                               ? quant::quantised(value.constant, *dtype, value.name)
                               : cast_finite(value, *dtype);
    const std::string name = fmt::format("{}.{}", value.name, dtype_name(*dtype));
    it->second = graph_.add_constant(graph_.unique_name(name), std::move(made));
    ++rewrites_;
    return it->second;
  }

  ir::Graph& graph_;
  const PassOptions& options_;
  std::map<Data, std::vector<Role>> roles_;
  std::map<ir::ValueId, ir::ValueId> cast_values_;  // a weight that two nodes share is cast once
  int64_t rewrites_ = 0;
};

}  // namespace

void check_weight_precision(const char* option, std::optional<DType> dtype) {
  constexpr std::array kKnown = {DType::kF32, DType::kF16, DType::kBF16, DType::kW8, DType::kW4};
  if (!dtype || std::find(kKnown.begin(), kKnown.end(), *dtype) != kKnown.end()) return;
  throw Error(Code::kInvalidArgument, option,
              fmt::format("is {}, expected f32, f16, bf16, w8 or w4", dtype_name(*dtype)));
}

int64_t cast_weights(ir::Graph& graph, const PassOptions& options) {
  check_weight_precision("precision", options.precision);
  check_weight_precision("embed_precision", options.embed_precision);
  check_weight_precision("head_precision", options.head_precision);
  return Caster(graph, options).run();
}

}  // namespace legato::passes
