#include "ir/rules/operands.h"
#include "ir/rules/reduction.h"

namespace legato::ir {

void register_log_softmax(OpRegistry& registry) {
  OpSchema schema = along_axis("LogSoftmax", "the logarithm of the Softmax along the axis", -1);
  const auto infer = schema.infer;
  schema.infer = [infer](const NodeView& view) {
    require_float(view, 0);
    return infer(view);
  };
  registry.add(std::move(schema));
}

}  // namespace legato::ir
