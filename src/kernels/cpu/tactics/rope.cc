#include <fmt/format.h>

#include "kernels/cpu/level/levels.h"
#include "kernels/cpu/rows/row_op.h"

namespace legato::kernels::cpu {
namespace {

class RopeKernel final : public RowKernel {
 public:
  RopeKernel(RowCount rows, int64_t columns, const Attributes& attributes,
             const RowKernels& kernels)
      : RowKernel(std::move(rows), static_cast<double>(columns) * 2 * sizeof(float),
                  static_cast<double>(columns) * 3),
        kernels_(&kernels) {
    spec_.head_dim = attributes.get_int("head_dim", 0);
    spec_.heads = columns / spec_.head_dim;
    spec_.rotary_dim = attributes.get_int("rotary_dim", 0);
    spec_.interleaved = attributes.get_int("interleaved", 0) != 0;
  }

  void launch(const LaunchArgs& args, Stream& stream) const override {
    const Operand& x = args.inputs[0];
    const Operand& table = args.inputs[1];
    const Operand& out = args.outputs[0];
    for_rows(static_cast<TeamMember&>(stream), x.rows(), x.columns(), [&](int64_t row) {
      kernels_->rope(spec_, row_of(x, row), row_of(table, row), output_row(out, row));
    });
  }

 private:
  RopeSpec spec_;
  const RowKernels* kernels_;
};

class RopeTactic final : public Tactic {
 public:
  std::string_view name() const override { return "cpu.rope.rows"; }
  std::string_view op() const override { return "Rope"; }
  Backend backend() const override { return Backend::kCpu; }

  Status supports(const Problem& problem, const DeviceInfo&) const override {
    LEGATO_RETURN_IF_ERROR(check_float_output(problem));
    if (!problem.has_input(0) || !problem.has_input(1))
      return refuse(problem, "x or the table is missing");
    const int64_t head_dim = problem.attributes.get_int("head_dim", 0);
    const int64_t rotary_dim = problem.attributes.get_int("rotary_dim", 0);
    LEGATO_RETURN_IF_ERROR(check_float_input(problem, 0, "x"));
    LEGATO_RETURN_IF_ERROR(check_float_input(problem, 1, "the table", rotary_dim));
    const SymShape& shape = problem.inputs[0].shape;
    if (!RowCount::of(shape) || shape.rank() != 2 || problem.inputs[1].shape.rank() != 2 ||
        !(problem.inputs[1].shape[0] == shape[0]))
      return refuse(problem,
                    fmt::format("x has shape {} and the table {}, expected one row a token",
                                shape.to_string(), problem.inputs[1].shape.to_string()));
    if (head_dim < 1 || *known_extent(shape, -1) % head_dim != 0)
      return refuse(problem, fmt::format("{} columns don't divide into heads of {}",
                                         *known_extent(shape, -1), head_dim));
    if (rotary_dim < 2 || rotary_dim > head_dim || rotary_dim % 2 != 0)
      return refuse(problem, fmt::format("rotary_dim is {}, expected an even number up to {}",
                                         rotary_dim, head_dim));
    return {};
  }

  Result<std::unique_ptr<Kernel>> bind(const Problem& problem,
                                       const DeviceInfo& device) const override {
    return std::unique_ptr<Kernel>(std::make_unique<RopeKernel>(
        *RowCount::of(problem.inputs[0].shape), *known_extent(problem.inputs[0].shape, -1),
        problem.attributes, row_kernels(device.cpu_level)));
  }
};

}  // namespace

void register_rope(TacticRegistry& registry) { registry.add(std::make_unique<RopeTactic>()); }

}  // namespace legato::kernels::cpu
