#include "kernels/cpu/linear/plan.h"

#include <fmt/format.h>

#include "base/check.h"
#include "kernels/activation_names.h"
#include "kernels/cpu/level/levels.h"

namespace legato::kernels::cpu {
namespace {

QuantForm quant_form(DType dtype) {
  switch (dtype) {
    case DType::kQ8_0:
      return QuantForm::kS8Group;
    case DType::kQ5_0:
      return QuantForm::kU8Group;
    case DType::kQ5_1:
      return QuantForm::kU8GroupAffine;
    case DType::kQ4_0:
      return QuantForm::kU4Group;
    case DType::kQ4_1:
    case DType::kW4:
      return QuantForm::kU4GroupAffine;
    case DType::kQ4K:
      return QuantForm::kU4SuperAffine;
    case DType::kQ5K:
      return QuantForm::kU8SuperAffine;
    case DType::kQ6K:
      return QuantForm::kU6Super;
    case DType::kW8:
      return QuantForm::kS8Row;
    default:
      check_failed("a quantised dtype", __FILE__, __LINE__);
  }
}

/// Parts of 8 bits that the code of an activation is made of.
int activation_terms(const Problem& problem) {
  return problem.attributes.get_int("activation_bits", 8) > 8 ? 2 : 1;
}

}  // namespace

Cost LinearPlan::cost(const StepSize& size) const {
  const auto tokens = static_cast<double>(rows->rows(size.tokens, size.logit_rows));
  const double activations =
      tokens * static_cast<double>(k + features * (has_residual ? 2 : 1)) * sizeof(float);
  return {static_cast<double>(weight_bytes) + activations,
          2.0 * tokens * static_cast<double>(weight_rows) * static_cast<double>(k)};
}

Status check_shared(const Problem& problem, size_t norm_weight) {
  LEGATO_RETURN_IF_ERROR(check_float_output(problem));
  if (!problem.has_input(0)) return refuse(problem, "x is missing");
  LEGATO_RETURN_IF_ERROR(check_weight(problem, 1, "the weight"));
  if (problem.inputs[1].dtype == DType::kW8 && activation_terms(problem) > 1)
    return refuse(problem, "w8 meets activations of 8 bits alone");
  const int64_t k = problem.inputs[1].shape[1].constant();
  LEGATO_RETURN_IF_ERROR(check_float_input(problem, 0, "x", k));
  if (!RowCount::of(problem.inputs[0].shape))
    return refuse(problem, fmt::format("x has shape {}, expected rows that follow from tokens or "
                                       "logit_rows",
                                       problem.inputs[0].shape.to_string()));
  const std::string activation = problem.attributes.get_string("activation", "none");
  if (!activation_from_name(activation))
    return refuse(problem, fmt::format("activation \"{}\" is not known", activation));
  const std::string norm = problem.attributes.get_string("norm", "none");
  if (!norm_from_name(norm)) return refuse(problem, fmt::format("norm \"{}\" is not known", norm));
  LEGATO_RETURN_IF_ERROR(check_float_input(problem, norm_weight, "the norm's weight", k));
  return check_float_input(problem, norm_weight + 1, "the norm's bias", k);
}

LinearPlan shared_plan(const Problem& problem, CpuLevel level) {
  const DType dtype = problem.inputs[1].dtype;
  LinearPlan plan;
  plan.k = problem.inputs[1].shape[1].constant();
  plan.panel_bytes = static_cast<int64_t>(panel_bytes(dtype, plan.k));
  plan.element = element_of(dtype).value_or(Element::kF32);
  plan.kernels = is_quantised(dtype)
                     ? &quant_linear_kernels(level, quant_form(dtype), activation_terms(problem))
                     : &linear_kernels(level);
  plan.activation = *activation_from_name(problem.attributes.get_string("activation", "none"));
  plan.norm = *norm_from_name(problem.attributes.get_string("norm", "none"));
  plan.epsilon = static_cast<float>(problem.attributes.get_float("epsilon"));
  plan.rows = RowCount::of(problem.inputs[0].shape);
  return plan;
}

LinearWork shared_work(const LinearPlan& plan, const LaunchArgs& args, size_t norm_weight) {
  const Operand& x = args.inputs[0];
  const Operand& out = args.outputs[0];
  LinearWork work;
  work.x = x.as<const float>();
  work.x_stride = x.row_stride;
  work.tokens = x.rows();
  work.k = plan.k;
  if (plan.norm != Norm::kNone)
    work.norm = {plan.norm, plan.epsilon, floats(args, norm_weight), floats(args, norm_weight + 1)};
  work.element = plan.element;
  work.panel_bytes = plan.panel_bytes;
  work.features = plan.features;
  work.activation = plan.activation;
  work.out = out.as<float>();
  work.out_stride = out.row_stride;
  return work;
}

const float* floats(const LaunchArgs& args, size_t index) {
  return index < args.inputs.size() ? args.inputs[index].as<const float>() : nullptr;
}

}  // namespace legato::kernels::cpu
