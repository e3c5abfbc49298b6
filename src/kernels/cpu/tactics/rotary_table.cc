#include <cmath>
#include <vector>

#include "kernels/cpu/rows/row_op.h"

namespace legato::kernels::cpu {
namespace {

class RotaryTableKernel final : public RowKernel {
 public:
  RotaryTableKernel(RowCount rows, const Attributes& attributes)
      : RowKernel(std::move(rows),
                  static_cast<double>(attributes.get_floats("inv_freq").size()) * 2 * sizeof(float),
                  0),
        scale_(attributes.get_float("scale", 1.0)) {
    for (const double frequency : attributes.get_floats("inv_freq"))
      inv_freq_.push_back(static_cast<float>(frequency));
  }

  void launch(const LaunchArgs& args, Stream& stream) const override {
    const Operand& out = args.outputs[0];
    const size_t half = inv_freq_.size();
    // A sine costs about as much as moving a hundred floats.
    const auto columns = static_cast<int64_t>(100 * half);
    for_rows(static_cast<TeamMember&>(stream), out.rows(), columns, [&](int64_t row) {
      const auto position = static_cast<float>(index_at(args.inputs[0], row));
      float* to = output_row(out, row);
      for (size_t i = 0; i < half; ++i) {
        const float angle = position * inv_freq_[i];
        to[i] = static_cast<float>(scale_ * std::cos(static_cast<double>(angle)));
        to[half + i] = static_cast<float>(scale_ * std::sin(static_cast<double>(angle)));
      }
    });
  }

 private:
  double scale_;
  std::vector<float> inv_freq_;
};

class RotaryTableTactic final : public Tactic {
 public:
  std::string_view name() const override { return "cpu.rotary_table.rows"; }
  std::string_view op() const override { return "RotaryTable"; }
  Backend backend() const override { return Backend::kCpu; }

  Status supports(const Problem& problem, const DeviceInfo&) const override {
    LEGATO_RETURN_IF_ERROR(check_float_output(problem));
    LEGATO_RETURN_IF_ERROR(check_index_input(problem, 0, "positions"));
    if (problem.attributes.get_floats("inv_freq").empty())
      return refuse(problem, "inv_freq is empty");
    return {};
  }

  Result<std::unique_ptr<Kernel>> bind(const Problem& problem, const DeviceInfo&) const override {
    return std::unique_ptr<Kernel>(std::make_unique<RotaryTableKernel>(
        *RowCount::of(SymShape{problem.inputs[0].shape[0], 1}), problem.attributes));
  }
};

}  // namespace

void register_rotary_table(TacticRegistry& registry) {
  registry.add(std::make_unique<RotaryTableTactic>());
}

}  // namespace legato::kernels::cpu
