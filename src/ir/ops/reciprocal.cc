#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_reciprocal(OpRegistry& registry) { registry.add(unary_float("Reciprocal", "1 / x")); }

}  // namespace legato::ir
