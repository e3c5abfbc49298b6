#include "ir/rules/attributes.h"
#include "ir/rules/elementwise.h"

namespace legato::ir {

void register_gelu(OpRegistry& registry) {
  OpSchema schema =
      unary_float("Gelu", "x/2 (1 + erf(x/sqrt 2)), or its tanh approximation (ONNX Gelu)");
  schema.attributes = {string_attribute("approximate", "none", "none or tanh")};
  const auto infer = schema.infer;
  schema.infer = [infer](const NodeView& view) {
    constexpr std::string_view kForms[] = {"none", "tanh"};
    one_of(view, "approximate", kForms);
    return infer(view);
  };
  registry.add(std::move(schema));
}

}  // namespace legato::ir
