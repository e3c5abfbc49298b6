#include "ir/rules/reduction.h"

namespace legato::ir {

void register_reduce_mean(OpRegistry& registry) {
  registry.add(reduction("ReduceMean", "the mean"));
}

}  // namespace legato::ir
