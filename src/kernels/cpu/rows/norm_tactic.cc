#include "kernels/cpu/rows/norm_tactic.h"

#include <fmt/format.h>

#include "kernels/cpu/level/levels.h"
#include "kernels/cpu/rows/row_op.h"

namespace legato::kernels::cpu {
namespace {

class NormKernel final : public RowKernel {
 public:
  /// `group` columns are normalised together.
  NormKernel(RowCount rows, int64_t columns, int64_t group, const NormSpec& norm,
             const RowKernels& kernels)
      : RowKernel(std::move(rows), static_cast<double>(columns) * 2 * sizeof(float),
                  static_cast<double>(columns) * 4),
        group_(group),
        norm_(norm),
        kernels_(&kernels) {}

  void launch(const LaunchArgs& args, Stream& stream) const override {
    const Operand& x = args.inputs[0];
    const Operand& out = args.outputs[0];
    NormSpec norm = norm_;
    if (args.inputs.size() > 1) norm.weight = args.inputs[1].as<const float>();
    if (args.inputs.size() > 2) norm.bias = args.inputs[2].as<const float>();
    for_rows(static_cast<TeamMember&>(stream), x.rows(), x.columns(), [&](int64_t row) {
      for (int64_t begin = 0; begin < x.columns(); begin += group_)
        kernels_->norm(row_of(x, row) + begin, group_, norm, output_row(out, row) + begin);
    });
  }

 private:
  int64_t group_;
  NormSpec norm_;
  const RowKernels* kernels_;
};

class NormTactic final : public Tactic {
 public:
  NormTactic(std::string_view name, std::string_view op, Norm norm)
      : name_(name), op_(op), norm_(norm) {}
  std::string_view name() const override { return name_; }
  std::string_view op() const override { return op_; }
  Backend backend() const override { return Backend::kCpu; }

  Status supports(const Problem& problem, const DeviceInfo&) const override {
    LEGATO_RETURN_IF_ERROR(check_float_output(problem));
    if (!problem.has_input(0)) return refuse(problem, "x is missing");
    LEGATO_RETURN_IF_ERROR(check_float_input(problem, 0, "x"));
    if (!RowCount::of(problem.inputs[0].shape))
      return refuse(problem, fmt::format("x has shape {}, expected rows that follow from tokens or "
                                         "logit_rows",
                                         problem.inputs[0].shape.to_string()));
    const int64_t columns = *known_extent(problem.inputs[0].shape, -1);
    const int64_t group = group_of(problem);
    if (group < 1 || columns % group != 0)
      return refuse(problem,
                    fmt::format("{} columns don't divide into groups of {}", columns, group));
    LEGATO_RETURN_IF_ERROR(check_float_input(problem, 1, "the weight", group));
    return check_float_input(problem, 2, "the bias", group);
  }

  Result<std::unique_ptr<Kernel>> bind(const Problem& problem,
                                       const DeviceInfo& device) const override {
    NormSpec norm;
    norm.kind = norm_;
    norm.epsilon = static_cast<float>(problem.attributes.get_float("epsilon"));
    return std::unique_ptr<Kernel>(std::make_unique<NormKernel>(
        *RowCount::of(problem.inputs[0].shape), *known_extent(problem.inputs[0].shape, -1),
        group_of(problem), norm, row_kernels(device.cpu_level)));
  }

 private:
  static int64_t group_of(const Problem& problem) {
    const int64_t group = problem.attributes.get_int("group_size", 0);
    return group == 0 ? *known_extent(problem.inputs[0].shape, -1) : group;
  }

  std::string_view name_;
  std::string_view op_;
  Norm norm_;
};

}  // namespace

std::unique_ptr<Tactic> make_norm_tactic(std::string_view name, std::string_view op, Norm norm) {
  return std::make_unique<NormTactic>(name, op, norm);
}

}  // namespace legato::kernels::cpu
