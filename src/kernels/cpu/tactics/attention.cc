#include <fmt/format.h>

#include "kernels/cpu/attention/launch.h"
#include "kernels/cpu/level/levels.h"
#include "kernels/cpu/problem.h"

namespace legato::kernels::cpu {
namespace {

// Inputs: q, k, v, rope_table?, q_norm?, k_norm?
constexpr size_t kRopeTable = 3;
constexpr size_t kQNorm = 4;
constexpr size_t kKNorm = 5;

class AttentionKernel final : public Kernel {
 public:
  AttentionKernel(const AttentionWork& shape, int layer, RowCount rows,
                  const AttentionKernels& kernels)
      : shape_(shape), layer_(layer), rows_(std::move(rows)), kernels_(&kernels) {}

  size_t workspace_bytes(const Limits& limits) const override {
    return attention_workspace_bytes(shape_, *kernels_, limits);
  }

  Cost cost(const StepSize& size) const override {
    const auto tokens = static_cast<double>(rows_.rows(size.tokens, size.logit_rows));
    const auto context = static_cast<double>(size.context);
    const auto width = static_cast<double>(shape_.heads * shape_.head_dim);
    const auto kv_width = static_cast<double>(shape_.kv_heads * shape_.head_dim);
    // The cache's type isn't known here; two bytes an element is what half-precision caches take.
    const double cache = 2 * kv_width * 2 * (tokens * context + tokens);
    return {cache + tokens * (2 * width + 2 * kv_width) * sizeof(float),
            4 * tokens * context * width};
  }

  void launch(const LaunchArgs& args, Stream& stream) const override {
    AttentionWork work = shape_;
    work.q = args.inputs[0].as<const float>();
    work.q_stride = args.inputs[0].row_stride;
    work.k = args.inputs[1].as<const float>();
    work.k_stride = args.inputs[1].row_stride;
    work.v = args.inputs[2].as<const float>();
    work.v_stride = args.inputs[2].row_stride;
    if (present(args, kRopeTable)) {
      work.rope_table = args.inputs[kRopeTable].as<const float>();
      work.rope_stride = args.inputs[kRopeTable].row_stride;
    }
    if (present(args, kQNorm)) work.q_norm = args.inputs[kQNorm].as<const float>();
    if (present(args, kKNorm)) work.k_norm = args.inputs[kKNorm].as<const float>();
    work.out = args.outputs[0].as<float>();
    work.out_stride = args.outputs[0].row_stride;

    const KvLayout& layout = *args.kv->layout;
    work.cache = reinterpret_cast<char*>(args.kv->base);
    work.block_bytes = static_cast<int64_t>(layout.block_bytes());
    work.key_offset = static_cast<int64_t>(layout.key_offset(layer_, 0));
    work.value_offset = static_cast<int64_t>(layout.value_offset(layer_, 0));
    work.head_bytes =
        shape_.head_dim * kPanelLanes * static_cast<int64_t>(dtype_bytes(layout.dtype()));
    work.element = element_of(layout.dtype()).value_or(Element::kF32);
    launch_attention(work, *kernels_, args, static_cast<TeamMember&>(stream));
  }

 private:
  static bool present(const LaunchArgs& args, size_t index) {
    return index < args.inputs.size() && args.inputs[index].present();
  }

  AttentionWork shape_;
  int layer_;
  RowCount rows_;
  const AttentionKernels* kernels_;
};

AttentionWork shape_of(const Problem& problem) {
  const Attributes& attributes = problem.attributes;
  AttentionWork shape;
  shape.heads = attributes.get_int("heads", 0);
  shape.kv_heads = attributes.get_int("kv_heads", 0);
  shape.head_dim = attributes.get_int("head_dim", 0);
  shape.rotary_dim = attributes.get_int("rotary_dim", 0);
  shape.interleaved = attributes.get_int("interleaved", 0) != 0;
  shape.window = attributes.get_int("window", 0);
  shape.sinks = attributes.get_int("sinks", 0);
  shape.scale = static_cast<float>(attributes.get_float("scale", 1.0));
  shape.softcap = static_cast<float>(attributes.get_float("softcap", 0.0));
  shape.norm_epsilon = static_cast<float>(attributes.get_float("norm_epsilon", 1e-6));
  return shape;
}

class AttentionTactic final : public Tactic {
 public:
  std::string_view name() const override { return "cpu.attention.paged"; }
  std::string_view op() const override { return "Attention"; }
  Backend backend() const override { return Backend::kCpu; }

  Status supports(const Problem& problem, const DeviceInfo&) const override {
    const AttentionWork shape = shape_of(problem);
    LEGATO_RETURN_IF_ERROR(check_shape(problem, shape));
    LEGATO_RETURN_IF_ERROR(check_float_output(problem));
    for (size_t i = 0; i < 3; ++i)
      if (!problem.has_input(i)) return refuse(problem, "q, k or v is missing");
    const int64_t kv_width = shape.kv_heads * shape.head_dim;
    LEGATO_RETURN_IF_ERROR(check_float_input(problem, 0, "q", shape.heads * shape.head_dim));
    LEGATO_RETURN_IF_ERROR(check_float_input(problem, 1, "k", kv_width));
    LEGATO_RETURN_IF_ERROR(check_float_input(problem, 2, "v", kv_width));
    LEGATO_RETURN_IF_ERROR(
        check_float_input(problem, kRopeTable, "the rope table", shape.rotary_dim));
    LEGATO_RETURN_IF_ERROR(check_float_input(problem, kQNorm, "q_norm", shape.head_dim));
    LEGATO_RETURN_IF_ERROR(check_float_input(problem, kKNorm, "k_norm", shape.head_dim));
    if (problem.inputs[0].shape.rank() != 2 || !RowCount::of(problem.inputs[0].shape))
      return refuse(problem, fmt::format("q has shape {}, expected [tokens, width]",
                                         problem.inputs[0].shape.to_string()));
    return {};
  }

  Result<std::unique_ptr<Kernel>> bind(const Problem& problem,
                                       const DeviceInfo& device) const override {
    return std::unique_ptr<Kernel>(std::make_unique<AttentionKernel>(
        shape_of(problem), static_cast<int>(problem.attributes.get_int("layer", 0)),
        *RowCount::of(problem.inputs[0].shape), attention_kernels(device.cpu_level)));
  }

 private:
  static Status check_shape(const Problem& problem, const AttentionWork& shape) {
    constexpr int64_t kMaxHeads = 4096;
    if (shape.head_dim < 1 || shape.head_dim > kMaxHeadDim)
      return refuse(problem,
                    fmt::format("head_dim is {}, expected 1 to {}", shape.head_dim, kMaxHeadDim));
    if (shape.kv_heads < 1 || shape.heads < shape.kv_heads || shape.heads > kMaxHeads ||
        shape.heads % shape.kv_heads != 0)
      return refuse(problem, fmt::format("{} heads over {} kv heads, expected a multiple",
                                         shape.heads, shape.kv_heads));
    if (problem.has_input(kRopeTable) &&
        (shape.rotary_dim < 2 || shape.rotary_dim > shape.head_dim || shape.rotary_dim % 2 != 0))
      return refuse(problem, fmt::format("rotary_dim is {}, expected an even number up to {}",
                                         shape.rotary_dim, shape.head_dim));
    if (shape.window < 0 || shape.sinks < 0)
      return refuse(problem, "window and sinks must not be negative");
    return {};
  }
};

}  // namespace

void register_attention(TacticRegistry& registry) {
  registry.add(std::make_unique<AttentionTactic>());
}

}  // namespace legato::kernels::cpu
