#include "ir/rules/reduction.h"

namespace legato::ir {

void register_log_softmax(OpRegistry& registry) {
  registry.add(along_float_axis("LogSoftmax", "the logarithm of the Softmax along the axis"));
}

}  // namespace legato::ir
