#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_sqrt(OpRegistry& registry) { registry.add(unary_float("Sqrt", "the square root")); }

}  // namespace legato::ir
