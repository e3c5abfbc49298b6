#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_neg(OpRegistry& registry) { registry.add(unary_number("Neg", "-x")); }

}  // namespace legato::ir
