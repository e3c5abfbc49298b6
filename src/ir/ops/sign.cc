#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_sign(OpRegistry& registry) { registry.add(unary_number("Sign", "-1, 0 or 1")); }

}  // namespace legato::ir
