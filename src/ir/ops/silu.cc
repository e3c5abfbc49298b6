#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_silu(OpRegistry& registry) { registry.add(unary_float("Silu", "x / (1 + e^-x)")); }

}  // namespace legato::ir
