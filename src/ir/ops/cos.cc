#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_cos(OpRegistry& registry) { registry.add(unary_float("Cos", "the cosine")); }

}  // namespace legato::ir
