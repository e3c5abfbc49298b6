#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_softplus(OpRegistry& registry) {
  registry.add(unary_float("Softplus", "ln(1 + e^x)"));
}

}  // namespace legato::ir
