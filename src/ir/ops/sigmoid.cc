#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_sigmoid(OpRegistry& registry) {
  registry.add(unary_float("Sigmoid", "1 / (1 + e^-x)"));
}

}  // namespace legato::ir
