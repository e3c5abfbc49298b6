#include <fmt/format.h>

#include "base/checked.h"
#include "kernels/cpu/level/levels.h"
#include "kernels/cpu/linear/launch.h"
#include "kernels/cpu/linear/plan.h"

namespace legato::kernels::cpu {
namespace {

// Inputs: x, weight, bias?, residual?, norm_weight?, norm_bias?
constexpr size_t kBias = 2;
constexpr size_t kResidual = 3;
constexpr size_t kNormWeight = 4;

class LinearKernel final : public Kernel {
 public:
  explicit LinearKernel(LinearPlan plan) : plan_(std::move(plan)) {}

  size_t workspace_bytes(const Limits& limits) const override {
    return linear_workspace_bytes(*plan_.kernels, plan_.rows->most(limits), plan_.k,
                                  limits.threads);
  }
  Cost cost(const StepSize& size) const override { return plan_.cost(size); }

  void launch(const LaunchArgs& args, Stream& stream) const override {
    LinearWork work = shared_work(plan_, args, kNormWeight);
    work.weights[0] = args.inputs[1].data;
    work.weights[1] = args.inputs[1].as<const std::byte>() + plan_.panel_bytes;
    work.panel_step = 2 * plan_.panel_bytes;
    work.panels = ceil_div(plan_.features, kPanelLanes);
    work.bias = floats(args, kBias);
    work.residual = floats(args, kResidual);
    if (work.residual != nullptr) work.residual_stride = args.inputs[kResidual].row_stride;
    launch_linear(work, *plan_.kernels, args.workspace, static_cast<TeamMember&>(stream));
  }

 private:
  LinearPlan plan_;
};

class LinearTactic final : public Tactic {
 public:
  std::string_view name() const override { return "cpu.linear.rows32"; }
  std::string_view op() const override { return "Linear"; }
  Backend backend() const override { return Backend::kCpu; }

  Status supports(const Problem& problem, const DeviceInfo&) const override {
    LEGATO_RETURN_IF_ERROR(check_shared(problem, kNormWeight));
    const int64_t features = problem.inputs[1].shape[0].constant();
    LEGATO_RETURN_IF_ERROR(check_float_input(problem, kBias, "the bias", features));
    return check_float_input(problem, kResidual, "the residual", features);
  }

  WeightLayout weight_layout(const Problem&, size_t input) const override {
    return input == 1 ? WeightLayout::kRows32 : WeightLayout::kPlain;
  }

  Result<std::unique_ptr<Kernel>> bind(const Problem& problem,
                                       const DeviceInfo& device) const override {
    const OperandSpec& weight = problem.inputs[1];
    LinearPlan plan = shared_plan(problem, device.cpu_level);
    plan.features = weight.shape[0].constant();
    plan.weight_rows = plan.features;
    plan.weight_bytes = ceil_div(plan.features, kPanelRows) * plan.panel_bytes;
    plan.has_residual = problem.has_input(kResidual);
    return std::unique_ptr<Kernel>(std::make_unique<LinearKernel>(std::move(plan)));
  }
};

}  // namespace

void register_linear(TacticRegistry& registry) { registry.add(std::make_unique<LinearTactic>()); }

}  // namespace legato::kernels::cpu
