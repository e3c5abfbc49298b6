#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_pow(OpRegistry& registry) { registry.add(binary_number("Pow", "a^b")); }

}  // namespace legato::ir
