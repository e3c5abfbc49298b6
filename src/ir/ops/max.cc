#include <algorithm>

#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_max(OpRegistry& registry) {
  registry.add(binary_number("Max", "the larger; a NaN wins",
                             [](const Dim& a, const Dim& b) -> std::optional<Dim> {
                               if (a == b) return a;
                               if (!a.is_constant() || !b.is_constant()) return std::nullopt;
                               return Dim(std::max(a.constant(), b.constant()));
                             }));
}

}  // namespace legato::ir
