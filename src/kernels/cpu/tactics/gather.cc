#include <cstring>

#include "kernels/cpu/rows/row_op.h"

namespace legato::kernels::cpu {
namespace {

class GatherKernel final : public RowKernel {
 public:
  GatherKernel(RowCount rows, int64_t columns)
      : RowKernel(std::move(rows), static_cast<double>(columns) * 2 * sizeof(float), 0) {}

  void launch(const LaunchArgs& args, Stream& stream) const override {
    const Operand& data = args.inputs[0];
    const Operand& out = args.outputs[0];
    for_rows(static_cast<TeamMember&>(stream), out.rows(), out.columns(), [&](int64_t row) {
      int64_t index = index_at(args.inputs[1], row);
      if (index < 0) index += data.rows();
      const auto columns = static_cast<size_t>(out.columns());
      // A row that doesn't exist reads as zeros, so that no index can lead out of the data.
      if (index < 0 || index >= data.rows()) {
        std::fill_n(output_row(out, row), columns, 0.0f);
      } else {
        std::memcpy(output_row(out, row), row_of(data, index), columns * sizeof(float));
      }
    });
  }
};

class GatherTactic final : public Tactic {
 public:
  std::string_view name() const override { return "cpu.gather.rows"; }
  std::string_view op() const override { return "Gather"; }
  Backend backend() const override { return Backend::kCpu; }

  Status supports(const Problem& problem, const DeviceInfo&) const override {
    LEGATO_RETURN_IF_ERROR(check_float_output(problem));
    if (!problem.has_input(0)) return refuse(problem, "the data is missing");
    LEGATO_RETURN_IF_ERROR(check_float_input(problem, 0, "the data"));
    LEGATO_RETURN_IF_ERROR(check_index_input(problem, 1, "the indices"));
    if (problem.inputs[0].shape.rank() != 2 || problem.attributes.get_int("axis", 0) != 0)
      return refuse(problem, "only rows of a matrix are gathered");
    return {};
  }

  Result<std::unique_ptr<Kernel>> bind(const Problem& problem, const DeviceInfo&) const override {
    return std::unique_ptr<Kernel>(
        std::make_unique<GatherKernel>(*RowCount::of(SymShape{problem.inputs[1].shape[0], 1}),
                                       *known_extent(problem.inputs[0].shape, -1)));
  }
};

}  // namespace

void register_gather(TacticRegistry& registry) { registry.add(std::make_unique<GatherTactic>()); }

}  // namespace legato::kernels::cpu
