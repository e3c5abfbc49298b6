#include "ir/rules/reduction.h"

namespace legato::ir {

void register_reduce_min(OpRegistry& registry) {
  registry.add(reduction("ReduceMin", "the minimum"));
}

}  // namespace legato::ir
