#include "ir/rules/reduction.h"

namespace legato::ir {

void register_softmax(OpRegistry& registry) {
  registry.add(along_float_axis("Softmax", "e^(x - max) / sum of e^(x - max) along the axis"));
}

}  // namespace legato::ir
