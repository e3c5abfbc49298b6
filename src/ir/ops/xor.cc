#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_xor(OpRegistry& registry) { registry.add(logical("Xor", "one and not both")); }

}  // namespace legato::ir
