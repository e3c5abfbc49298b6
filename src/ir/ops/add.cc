#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_add(OpRegistry& registry) {
  registry.add(binary_number("Add", "a + b",
                             [](const Dim& a, const Dim& b) { return std::optional(a + b); }));
}

}  // namespace legato::ir
