#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_and(OpRegistry& registry) { registry.add(logical("And", "both")); }

}  // namespace legato::ir
