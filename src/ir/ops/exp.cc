#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_exp(OpRegistry& registry) { registry.add(unary_float("Exp", "e^x")); }

}  // namespace legato::ir
