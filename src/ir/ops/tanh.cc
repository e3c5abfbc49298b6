#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_tanh(OpRegistry& registry) {
  registry.add(unary_float("Tanh", "the hyperbolic tangent"));
}

}  // namespace legato::ir
