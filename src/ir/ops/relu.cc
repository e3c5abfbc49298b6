#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_relu(OpRegistry& registry) { registry.add(unary_number("Relu", "max(x, 0)")); }

}  // namespace legato::ir
