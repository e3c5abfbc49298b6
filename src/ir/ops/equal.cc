#include "ir/rules/elementwise.h"

namespace legato::ir {
namespace {

/// Whether two extents are equal, where that can be told: a named one is never negative.
std::optional<Dim> equal(const Dim& a, const Dim& b) {
  if (a == b) return Dim(1);
  if (a.is_constant() && b.is_constant()) return Dim(0);
  const Dim& number = a.is_constant() ? a : b;
  if (number.is_constant() && number.constant() < 0) return Dim(0);
  return std::nullopt;
}

}  // namespace

void register_equal(OpRegistry& registry) {
  OpSchema schema = comparison("Equal", "a == b");
  schema.known = [](const NodeView& view) { return combine_known(view, equal); };
  registry.add(std::move(schema));
}

}  // namespace legato::ir
