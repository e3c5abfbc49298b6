#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_greater_or_equal(OpRegistry& registry) {
  registry.add(comparison("GreaterOrEqual", "a >= b"));
}

}  // namespace legato::ir
