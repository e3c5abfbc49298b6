#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_ceil(OpRegistry& registry) {
  registry.add(unary_float("Ceil", "the smallest integer that is not below x"));
}

}  // namespace legato::ir
