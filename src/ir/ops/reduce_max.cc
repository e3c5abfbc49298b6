#include "ir/rules/reduction.h"

namespace legato::ir {

void register_reduce_max(OpRegistry& registry) {
  registry.add(reduction("ReduceMax", "the maximum"));
}

}  // namespace legato::ir
