#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_erf(OpRegistry& registry) { registry.add(unary_float("Erf", "the error function")); }

}  // namespace legato::ir
