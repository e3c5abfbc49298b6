#include "ir/rules/attributes.h"
#include "ir/rules/reduction.h"

namespace legato::ir {

void register_cum_sum(OpRegistry& registry) {
  OpSchema schema =
      along_axis("CumSum", "sums of the elements up to each one along the axis (ONNX CumSum)", 0);
  schema.attributes.push_back(int_attribute("exclusive", 0, "1: without the element itself"));
  schema.attributes.push_back(int_attribute("reverse", 0, "1: from the end"));
  registry.add(std::move(schema));
}

}  // namespace legato::ir
