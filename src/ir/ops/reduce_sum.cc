#include "ir/rules/reduction.h"

namespace legato::ir {

void register_reduce_sum(OpRegistry& registry) { registry.add(reduction("ReduceSum", "the sum")); }

}  // namespace legato::ir
