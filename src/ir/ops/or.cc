#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_or(OpRegistry& registry) { registry.add(logical("Or", "one or both")); }

}  // namespace legato::ir
