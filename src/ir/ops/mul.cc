#include "ir/rules/elementwise.h"
#include "ir/rules/operands.h"

namespace legato::ir {

void register_mul(OpRegistry& registry) {
  registry.add(binary_number("Mul", "a * b", [](const Dim& a, const Dim& b) {
    return bounded_product({a, b});
  }));
}

}  // namespace legato::ir
