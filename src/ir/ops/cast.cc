#include <fmt/format.h>

#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"
#include "ir/rules/shapes.h"

namespace legato::ir {
namespace {

std::vector<ValueType> infer(const NodeView& view) {
  const std::string name = view.node.attributes.get_string("to");
  const auto dtype = dtype_from_name(name);
  if (!dtype) view.refuse(fmt::format("attribute \"to\" is \"{}\", expected a dtype", name));
  return {{*dtype, view.type(0).shape}};
}

}  // namespace

void register_cast(OpRegistry& registry) {
  registry.add({.name = "Cast",
                .doc = "x [..] -> [..] of another dtype: rounded to nearest even; floats become "
                       "integers by truncation, and bool by comparison with 0",
                .min_inputs = 1,
                .max_inputs = 1,
                .input_names = {"x"},
                .attributes = {required("to", AttributeType::kString, "f32, i64, bool ...")},
                .infer = infer,
                .behaviour = token_local,
                .known = [](const NodeView& view) {
                  const std::string to = view.node.attributes.get_string("to");
                  return to == "i64" || to == "i32" ? same_elements(view) : std::nullopt;
                }});
}

}  // namespace legato::ir
