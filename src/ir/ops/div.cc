#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_div(OpRegistry& registry) {
  registry.add(binary_number("Div", "a / b; integers truncate towards zero, x / 0 is 0",
                             [](const Dim& a, const Dim& b) -> std::optional<Dim> {
                               if (b == Dim(0)) return std::nullopt;
                               if (a.is_constant() && b.is_constant())
                                 return Dim(a.constant() / b.constant());
                               return a.divided_by(b);
                             }));
}

}  // namespace legato::ir
