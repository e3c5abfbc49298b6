#include <fmt/format.h>

#include "base/checked.h"
#include "kernels/cpu/level/levels.h"
#include "kernels/cpu/linear/launch.h"
#include "kernels/cpu/linear/plan.h"

namespace legato::kernels::cpu {
namespace {

// Inputs: x, gate_weight, up_weight?, gate_bias?, up_bias?, norm_weight?, norm_bias?
constexpr size_t kUpWeight = 2;
constexpr size_t kGateBias = 3;
constexpr size_t kUpBias = 4;
constexpr size_t kNormWeight = 5;

class GatedMlpKernel final : public Kernel {
 public:
  GatedMlpKernel(LinearPlan plan, bool packed) : plan_(std::move(plan)), packed_(packed) {}

  size_t workspace_bytes(const Limits& limits) const override {
    return linear_workspace_bytes(*plan_.kernels, plan_.rows->most(limits), plan_.k,
                                  limits.threads);
  }
  Cost cost(const StepSize& size) const override { return plan_.cost(size); }

  void launch(const LaunchArgs& args, Stream& stream) const override {
    LinearWork work = shared_work(plan_, args, kNormWeight);
    work.weights[0] = args.inputs[1].data;
    if (packed_) {
      work.weights[1] = args.inputs[1].as<const std::byte>() + plan_.panel_bytes;
      work.panel_step = 2 * plan_.panel_bytes;
    } else {
      work.weights[1] = args.inputs[kUpWeight].data;
      work.panel_step = plan_.panel_bytes;
    }
    work.panels = 2 * ceil_div(plan_.features, kPanelLanes);
    work.gated = true;
    work.bias = floats(args, kGateBias);
    work.up_bias = floats(args, kUpBias);
    launch_linear(work, *plan_.kernels, args.workspace, static_cast<TeamMember&>(stream));
  }

 private:
  LinearPlan plan_;
  bool packed_;
};

class GatedMlpTactic final : public Tactic {
 public:
  std::string_view name() const override { return "cpu.gated_mlp.rows32"; }
  std::string_view op() const override { return "GatedMlp"; }
  Backend backend() const override { return Backend::kCpu; }

  Status supports(const Problem& problem, const DeviceInfo&) const override {
    LEGATO_RETURN_IF_ERROR(check_shared(problem, kNormWeight));
    const OperandSpec& gate = problem.inputs[1];
    const int64_t features = problem.attributes.get_int("features", 0);
    const bool packed = problem.attributes.get_int("packed", 0) != 0;
    if (features < 1 || features > gate.shape[0].constant())
      return refuse(problem, fmt::format("features is {}, expected 1 to {}", features,
                                         gate.shape[0].constant()));
    const int64_t rows = packed ? 2 * round_up(features, kPanelRows) : features;
    if (gate.shape[0].constant() != rows)
      return refuse(problem, fmt::format("the gate weight has {} rows, expected {}",
                                         gate.shape[0].constant(), rows));
    if (!packed) {
      LEGATO_RETURN_IF_ERROR(check_weight(problem, kUpWeight, "the up weight"));
      const OperandSpec& up = problem.inputs[kUpWeight];
      if (up.dtype != gate.dtype || !(up.shape == gate.shape))
        return refuse(problem, "gate and up weight differ in type or shape");
    }
    LEGATO_RETURN_IF_ERROR(check_float_input(problem, kGateBias, "the gate bias", features));
    return check_float_input(problem, kUpBias, "the up bias", features);
  }

  WeightLayout weight_layout(const Problem&, size_t input) const override {
    return input == 1 || input == kUpWeight ? WeightLayout::kRows32 : WeightLayout::kPlain;
  }

  Result<std::unique_ptr<Kernel>> bind(const Problem& problem,
                                       const DeviceInfo& device) const override {
    LinearPlan plan = shared_plan(problem, device.cpu_level);
    plan.features = problem.attributes.get_int("features", 0);
    plan.weight_rows = 2 * plan.features;
    plan.weight_bytes = 2 * ceil_div(plan.features, kPanelRows) * plan.panel_bytes;
    const bool packed = problem.attributes.get_int("packed", 0) != 0;
    return std::unique_ptr<Kernel>(std::make_unique<GatedMlpKernel>(std::move(plan), packed));
  }
};

}  // namespace

void register_gated_mlp(TacticRegistry& registry) {
  registry.add(std::make_unique<GatedMlpTactic>());
}

}  // namespace legato::kernels::cpu
