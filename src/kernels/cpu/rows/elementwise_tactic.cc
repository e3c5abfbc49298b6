#include "kernels/cpu/rows/elementwise_tactic.h"

#include "kernels/cpu/level/levels.h"
#include "kernels/cpu/rows/row_op.h"

namespace legato::kernels::cpu {
namespace {

/// One row of `operand`, or its only one when it is broadcast.
const float* broadcast_row(const Operand& operand, int64_t row) {
  return row_of(operand, operand.rows() == 1 ? 0 : row);
}

class ElementwiseKernel final : public RowKernel {
 public:
  ElementwiseKernel(RowCount rows, int64_t columns, BinaryRow function)
      : RowKernel(std::move(rows), static_cast<double>(columns) * 3 * sizeof(float),
                  static_cast<double>(columns)),
        function_(function) {}

  void launch(const LaunchArgs& args, Stream& stream) const override {
    const Operand& out = args.outputs[0];
    for_rows(static_cast<TeamMember&>(stream), out.rows(), out.columns(), [&](int64_t row) {
      function_(broadcast_row(args.inputs[0], row), broadcast_row(args.inputs[1], row),
                out.columns(), output_row(out, row));
    });
  }

 private:
  BinaryRow function_;
};

/// Equal shapes, or a vector that is broadcast over the other's rows.
class ElementwiseTactic final : public Tactic {
 public:
  ElementwiseTactic(std::string_view name, std::string_view op, BinaryRow RowKernels::*function)
      : name_(name), op_(op), function_(function) {}
  std::string_view name() const override { return name_; }
  std::string_view op() const override { return op_; }
  Backend backend() const override { return Backend::kCpu; }

  Status supports(const Problem& problem, const DeviceInfo&) const override {
    LEGATO_RETURN_IF_ERROR(check_float_output(problem));
    const SymShape& out = problem.outputs[0].shape;
    const std::optional<int64_t> columns = known_extent(out, -1);
    if (!columns || !RowCount::of(out))
      return refuse(problem, "the output's columns or rows are not known");
    for (size_t i = 0; i < 2; ++i) {
      if (!problem.has_input(i)) return refuse(problem, "an operand is missing");
      LEGATO_RETURN_IF_ERROR(check_float_input(problem, i, "an operand", *columns));
      const SymShape& shape = problem.inputs[i].shape;
      if (!(shape == out) && shape.rank() != 1)
        return refuse(problem, "only vectors are broadcast over rows");
    }
    return {};
  }

  Result<std::unique_ptr<Kernel>> bind(const Problem& problem,
                                       const DeviceInfo& device) const override {
    const SymShape& out = problem.outputs[0].shape;
    return std::unique_ptr<Kernel>(std::make_unique<ElementwiseKernel>(
        *RowCount::of(out), *known_extent(out, -1), row_kernels(device.cpu_level).*function_));
  }

 private:
  std::string_view name_;
  std::string_view op_;
  BinaryRow RowKernels::*function_;
};

}  // namespace

std::unique_ptr<Tactic> make_elementwise_tactic(std::string_view name, std::string_view op,
                                                BinaryRow RowKernels::*function) {
  return std::make_unique<ElementwiseTactic>(name, op, function);
}

}  // namespace legato::kernels::cpu
