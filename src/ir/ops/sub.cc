#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_sub(OpRegistry& registry) {
  registry.add(binary_number("Sub", "a - b",
                             [](const Dim& a, const Dim& b) { return std::optional(a - b); }));
}

}  // namespace legato::ir
