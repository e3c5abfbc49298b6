#include "ir/rules/fused.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"

namespace legato::ir {

std::vector<AttributeSpec> projection_attributes() {
  return {
      string_attribute("activation", "none", fmt::format("{}", fmt::join(kActivations, ", "))),
      string_attribute("norm", "none",
                       fmt::format("normalisation of x first: {}", fmt::join(kNorms, ", "))),
      float_attribute("epsilon", 0.0, "of the norm"),
      int_attribute("activation_bits", kCoarseActivationBits,
                    fmt::format("what x may be rounded to where weights are quantised: {} or {}",
                                kCoarseActivationBits, kFineActivationBits))};
}

void check_projection(const NodeView& view, size_t norm_weight, size_t norm_bias,
                      const Dim& width) {
  one_of(view, "activation", kActivations);
  const std::string norm = one_of(view, "norm", kNorms);
  check_epsilon(view, "epsilon");
  const int64_t bits = view.node.attributes.get_int("activation_bits");
  if (bits != kCoarseActivationBits && bits != kFineActivationBits)
    view.refuse(fmt::format("attribute \"activation_bits\" is {}, expected {} or {}", bits,
                            kCoarseActivationBits, kFineActivationBits));
  if (norm == "none" && view.has(norm_weight))
    view.refuse(fmt::format("{} is given, but attribute \"norm\" is \"none\"",
                            input_name(view, norm_weight)));
  if (norm != "layer" && view.has(norm_bias))
    view.refuse(fmt::format("{} is given, but attribute \"norm\" is \"{}\"",
                            input_name(view, norm_bias), norm));
  require_optional_float(view, norm_weight, {width});
  require_optional_float(view, norm_bias, {width});
}

void check_epsilon(const NodeView& view, std::string_view attribute) {
  const double epsilon = view.node.attributes.get_float(attribute);
  if (!std::isfinite(epsilon) || epsilon < 0)
    view.refuse(fmt::format("attribute \"{}\" is {}, expected a number >= 0", attribute, epsilon));
}

}  // namespace legato::ir
