#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_floor(OpRegistry& registry) {
  registry.add(unary_float("Floor", "the largest integer that is not above x"));
}

}  // namespace legato::ir
