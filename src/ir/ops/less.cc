#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_less(OpRegistry& registry) { registry.add(comparison("Less", "a < b")); }

}  // namespace legato::ir
