#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_sin(OpRegistry& registry) { registry.add(unary_float("Sin", "the sine")); }

}  // namespace legato::ir
