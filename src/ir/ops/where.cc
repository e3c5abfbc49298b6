#include "ir/rules/broadcast.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

std::vector<ValueType> infer(const NodeView& view) {
  require_dtype(view, 0, DType::kBool);
  require_dtype(view, 2, view.type(1).dtype);
  const SymShape values = broadcast(view, view.type(1).shape, view.type(2).shape);
  return {{view.type(1).dtype, broadcast(view, view.type(0).shape, values)}};
}

/// Elements picked from known vectors of one length by known conditions.
std::optional<std::vector<Dim>> known(const NodeView& view) {
  const std::vector<Dim>* condition = view.known(0);
  const std::vector<Dim>* yes = view.known(1);
  const std::vector<Dim>* no = view.known(2);
  if (condition == nullptr || yes == nullptr || no == nullptr) return std::nullopt;
  const size_t size = condition->size();
  if (yes->size() != size || no->size() != size) return std::nullopt;
  std::vector<Dim> result;
  for (size_t i = 0; i < size; ++i)
    result.push_back((*condition)[i] == Dim(0) ? (*no)[i] : (*yes)[i]);
  return result;
}

}  // namespace

void register_where(OpRegistry& registry) {
  registry.add({.name = "Where",
                .doc = "condition bool, a, b, broadcast: a where the condition holds, else b",
                .min_inputs = 3,
                .max_inputs = 3,
                .input_names = {"condition", "a", "b"},
                .infer = infer,
                .behaviour = token_local,
                .known = known});
}

}  // namespace legato::ir
