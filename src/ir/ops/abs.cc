#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_abs(OpRegistry& registry) { registry.add(unary_number("Abs", "|x|")); }

}  // namespace legato::ir
