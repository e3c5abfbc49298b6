#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_round(OpRegistry& registry) {
  registry.add(unary_float("Round", "the nearest integer, halves to the even one"));
}

}  // namespace legato::ir
