#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_log(OpRegistry& registry) {
  registry.add(unary_float("Log", "the natural logarithm"));
}

}  // namespace legato::ir
