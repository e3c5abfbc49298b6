#include "kernels/reference_tactic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "device/cpu/team.h"

namespace legato::kernels {
namespace {

/// Bytes of an operand in a step of this size; 0 when its extents hang on other names.
double operand_bytes(const OperandSpec& operand, const StepSize& size) {
  if (!operand.present) return 0;
  const Result<Shape> shape =
      operand.shape.evaluate({{"tokens", size.tokens}, {"logit_rows", size.logit_rows}});
  if (!shape.ok()) return 0;
  return static_cast<double>(shape->elements()) * static_cast<double>(dtype_bytes(operand.dtype));
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
    if (static_cast<TeamMember&>(stream).rank() == 0) bound_.launch(args);
  }

 private:
  Problem problem_;
  BoundReference bound_;
};

class ReferenceTactic final : public Tactic {
 public:
  ReferenceTactic(std::string op, BindReference binder) : op_(std::move(op)), bind_(binder) {
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
};

}  // namespace

void add_reference(TacticRegistry& registry, std::string op, BindReference bind) {
  registry.add(std::make_unique<ReferenceTactic>(std::move(op), bind));
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
