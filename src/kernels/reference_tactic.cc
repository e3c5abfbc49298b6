#include "kernels/reference_tactic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "device/cpu/team.h"
#include "tensor/quant_format.h"

namespace legato::kernels {
namespace {

/// Bytes of an operand in a step of this size; 0 when its extents hang on other names.
double operand_bytes(const OperandSpec& operand, const StepSize& size) {
  if (!operand.present) return 0;
  const Result<Shape> shape =
      operand.shape.evaluate({{"tokens", size.tokens}, {"logit_rows", size.logit_rows}});
  if (!shape.ok()) return 0;
  if (is_quantised(operand.dtype)) {
    const auto bytes = layout_bytes(WeightLayout::kPlain, operand.dtype, (*shape)[0], (*shape)[1]);
    return static_cast<double>(bytes.value_or(0));
  }
  return static_cast<double>(shape->elements()) * static_cast<double>(dtype_bytes(operand.dtype));
}

/// Quantised operands only where the computation reads them, as matrices of whole blocks.
Status judge_quantised(const Problem& problem, const std::vector<size_t>& allowed) {
  for (size_t i = 0; i < problem.inputs.size(); ++i) {
    const OperandSpec& input = problem.inputs[i];
    if (!input.present || !is_quantised(input.dtype)) continue;
    if (std::find(allowed.begin(), allowed.end(), i) == allowed.end())
      return refuse_problem(problem, fmt::format("input {} is {}, expected none that is quantised",
                                                 i, dtype_name(input.dtype)));
    const Result<Shape> shape = input.shape.evaluate({});
    if (!shape.ok() || !is_quantised_matrix(input.dtype, *shape))
      return refuse_problem(problem,
                            fmt::format("input {} is {} {}, expected a matrix of whole blocks", i,
                                        dtype_name(input.dtype), input.shape.to_string()));
  }
  for (const OperandSpec& output : problem.outputs)
    if (is_quantised(output.dtype))
      return refuse_problem(problem, fmt::format("an output is {}, expected none that is quantised",
                                                 dtype_name(output.dtype)));
  return {};
}

class ReferenceKernel final : public Kernel {
 public:
  ReferenceKernel(Problem problem, BoundReference bound)
      : problem_(std::move(problem)), bound_(std::move(bound)) {}

  size_t workspace_bytes(const Limits& limits) const override {
    return bound_.workspace_bytes ? bound_.workspace_bytes(limits) : 0;
  }

  Cost cost(const StepSize& size) const override {
    Cost cost;
    for (const OperandSpec& input : problem_.inputs) cost.bytes += operand_bytes(input, size);
    for (const OperandSpec& output : problem_.outputs) {
      const double bytes = operand_bytes(output, size);
      cost.bytes += bytes;
      cost.operations +=
          bytes / static_cast<double>(dtype_bytes(output.dtype)) * bound_.operations_per_output;
    }
    return cost;
  }

  void launch(const LaunchArgs& args, Stream& stream) const override {
    static_cast<TeamMember&>(stream).for_chunks(1, [&](int64_t) { bound_.launch(args); });
  }

 private:
  Problem problem_;
  BoundReference bound_;
};

class ReferenceTactic final : public Tactic {
 public:
  ReferenceTactic(std::string op, BindReference binder, std::vector<size_t> weights)
      : op_(std::move(op)), bind_(binder), weights_(std::move(weights)) {
    name_ = "ref." + op_;
    std::transform(name_.begin(), name_.end(), name_.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  }

  std::string_view name() const override { return name_; }
  std::string_view op() const override { return op_; }
  Backend backend() const override { return Backend::kCpu; }
  int priority() const override { return kReferencePriority; }

  Status supports(const Problem& problem, const DeviceInfo& device) const override {
    if (problem.op != op_)
      return fail(Code::kUnsupported, name_, fmt::format("runs {}, not {}", op_, problem.op));
    if (device.backend != Backend::kCpu)
      return fail(Code::kUnsupported, name_, "runs on the CPU alone");
    LEGATO_RETURN_IF_ERROR(judge_quantised(problem, weights_));
    return bind_(problem).status();
  }

  Result<std::unique_ptr<Kernel>> bind(const Problem& problem,
                                       const DeviceInfo& /*device*/) const override {
    LEGATO_ASSIGN_OR_RETURN(BoundReference bound, bind_(problem));
    return std::unique_ptr<Kernel>(std::make_unique<ReferenceKernel>(problem, std::move(bound)));
  }

 private:
  std::string op_;
  std::string name_;
  BindReference bind_;
  std::vector<size_t> weights_;  ///< inputs that may be quantised
};

}  // namespace

void add_reference(TacticRegistry& registry, std::string op, BindReference bind,
                   std::vector<size_t> weights) {
  registry.add(std::make_unique<ReferenceTactic>(std::move(op), bind, std::move(weights)));
}

Status refuse_problem(const Problem& problem, const std::string& message) {
  return fail(Code::kUnsupported, "reference " + problem.op, message);
}

Status require_f32(const Problem& problem, std::initializer_list<size_t> inputs) {
  for (const size_t input : inputs)
    if (problem.has_input(input) && problem.inputs[input].dtype != DType::kF32)
      return refuse_problem(problem, fmt::format("input {} is {}, expected f32", input,
                                                 dtype_name(problem.inputs[input].dtype)));
  for (const OperandSpec& output : problem.outputs)
    if (output.dtype != DType::kF32)
      return refuse_problem(problem,
                            fmt::format("an output is {}, expected f32", dtype_name(output.dtype)));
  return {};
}

Status require_float(const Problem& problem, std::initializer_list<size_t> inputs) {
  for (const size_t input : inputs)
    if (problem.has_input(input) && !is_float(problem.inputs[input].dtype))
      return refuse_problem(problem, fmt::format("input {} is {}, expected floating-point numbers",
                                                 input, dtype_name(problem.inputs[input].dtype)));
  return {};
}

Status require_weight(const Problem& problem, size_t input, int64_t columns,
                      std::optional<int64_t> rows) {
  if (!problem.has_input(input)) return {};
  const OperandSpec& weight = problem.inputs[input];
  if (!is_quantised(weight.dtype)) LEGATO_RETURN_IF_ERROR(require_float(problem, {input}));
  const bool fits = weight.shape.rank() == 2 && weight.shape[1] == Dim(columns) &&
                    (!rows || weight.shape[0] == Dim(*rows));
  if (fits) return {};
  return refuse_problem(problem,
                        fmt::format("input {} is {}, expected a matrix of {} columns{}", input,
                                    weight.shape.to_string(), columns,
                                    rows ? fmt::format(" and {} rows", *rows) : std::string()));
}

Result<int64_t> static_extent(const Problem& problem, const OperandSpec& operand, int axis) {
  const int index = axis < 0 ? axis + operand.shape.rank() : axis;
  if (!operand.present || index < 0 || index >= operand.shape.rank() ||
      !operand.shape[index].is_constant() || operand.shape[index].constant() < 0)
    return refuse_problem(problem,
                          fmt::format("an operand is {}, expected a known extent of axis {}",
                                      operand.shape.to_string(), axis));
  return operand.shape[index].constant();
}

}  // namespace legato::kernels
