#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_greater(OpRegistry& registry) { registry.add(comparison("Greater", "a > b")); }

}  // namespace legato::ir
