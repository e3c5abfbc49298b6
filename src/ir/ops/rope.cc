#include <fmt/format.h>

#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

std::vector<ValueType> infer(const NodeView& view) {
  require_dtype(view, 0, DType::kF32);
  require_rank(view, 0, 2);
  const int64_t head_dim = at_least(view, "head_dim", 1);
  const int64_t rotary_dim = at_least(view, "rotary_dim", 2);
  if (rotary_dim > head_dim || rotary_dim % 2 != 0)
    view.refuse(fmt::format("attribute \"rotary_dim\" is {}, expected an even number up to {}",
                            rotary_dim, head_dim));
  if (!view.type(0).shape[1].divided_by(Dim(head_dim)))
    view.refuse(fmt::format("{} is {}, expected columns that head_dim {} divides",
                            input_name(view, 0), type_text(view.type(0)), head_dim));
  require_dtype(view, 1, DType::kF32);
  require_shape(view, 1, {view.type(0).shape[0], rotary_dim});
  return {view.type(0)};
}

}  // namespace

void register_rope(OpRegistry& registry) {
  registry.add(
      {.name = "Rope",
       .doc = "x [T, heads*head_dim], table [T, rotary_dim] -> [T, heads*head_dim]: the first "
              "rotary_dim numbers of each head in pairs (a, b) become (a cos - b sin, b cos + a "
              "sin) (Su et al. 2021); table as RotaryTable makes it",
       .min_inputs = 2,
       .max_inputs = 2,
       .input_names = {"x", "table"},
       .attributes = {required("head_dim", AttributeType::kInt, "numbers of one head"),
                      required("rotary_dim", AttributeType::kInt, "numbers of a head that turn"),
                      int_attribute("interleaved", 0,
                                    "0: pairs (i, i + rotary_dim/2); 1: pairs (2i, 2i + 1)")},
       .infer = infer,
       .behaviour = [](const NodeView&, int axis) {
         return axis == 0 ? SequenceBehaviour::kTokenLocal : SequenceBehaviour::kOpaque;
       }});
}

}  // namespace legato::ir
