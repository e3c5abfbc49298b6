#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_less_or_equal(OpRegistry& registry) {
  registry.add(comparison("LessOrEqual", "a <= b"));
}

}  // namespace legato::ir
