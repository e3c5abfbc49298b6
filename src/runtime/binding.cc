#include "runtime/binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/checked.h"

namespace legato::runtime {
namespace {

constexpr std::array<std::string_view, kNumStepInputs> kInputNames = {"input_ids", "positions",
                                                                      "logit_rows"};

Status judge_port(const engine::ValueSpec& value, DType dtype, const SymShape& shape) {
  if (value.dtype == dtype && value.shape == shape) return {};
  return fail(Code::kUnsupported, value.name,
              fmt::format("{} {}, expected {} {}", dtype_name(value.dtype), value.shape.to_string(),
                          dtype_name(dtype), shape.to_string()));
}

Result<StepInput> input_of(const engine::ValueSpec& value) {
  const auto found = std::find(kInputNames.begin(), kInputNames.end(), value.name);
  if (found == kInputNames.end())
    return fail(Code::kUnsupported, value.name,
                "unknown input, a decoder has input_ids, positions and logit_rows");
  const auto input = static_cast<StepInput>(found - kInputNames.begin());
  const Dim extent = Dim::symbol(input == StepInput::kLogitRows ? "logit_rows" : "tokens");
  LEGATO_RETURN_IF_ERROR(judge_port(value, DType::kI32, {extent}));
  return input;
}

Status judge_output(const engine::EngineSpec& spec) {
  if (spec.outputs.size() != 1)
    return fail(Code::kUnsupported, "outputs",
                fmt::format("{}, expected the logits alone", spec.outputs.size()));
  const engine::ValueSpec& logits = spec.values[static_cast<size_t>(spec.outputs[0])];
  if (logits.name != "logits")
    return fail(Code::kUnsupported, logits.name, "unknown output, a decoder has logits");
  return judge_port(logits, DType::kF32, {Dim::symbol("logit_rows"), Dim(spec.model.vocab_size)});
}

/// Turns the steps of one engine into kernels.
class Binder {
 public:
  Binder(const engine::EngineSpec& spec, const kernels::Limits& limits, CpuLevel level)
      : spec_(spec), limits_(limits), device_{spec.backend, level} {}

  Result<Binding> run() {
    LEGATO_RETURN_IF_ERROR(judge_output(spec_));
    for (const int32_t id : spec_.inputs) {
      LEGATO_ASSIGN_OR_RETURN(const StepInput input, input_of(value(id)));
      binding_.inputs.push_back(input);
    }
    for (const engine::StepSpec& step : spec_.steps) {
      LEGATO_ASSIGN_OR_RETURN(BoundStep bound, bind_step(step));
      binding_.workspace_bytes =
          std::max<uint64_t>(binding_.workspace_bytes, bound.kernel->workspace_bytes(limits_));
      binding_.steps.push_back(std::move(bound));
    }
    return std::move(binding_);
  }

 private:
  const engine::ValueSpec& value(int32_t id) const { return spec_.values[static_cast<size_t>(id)]; }

  static Status refuse(const engine::StepSpec& step, const std::string& message) {
    return fail(Code::kUnsupported, fmt::format("step {}", step.name),
                fmt::format("tactic {}: {}", step.tactic, message));
  }

  Result<BoundStep> bind_step(const engine::StepSpec& step) {
    const kernels::Tactic* tactic = kernels::tactics().find(step.tactic);
    if (tactic == nullptr) return refuse(step, "this build has none of that name");
    if (tactic->op() != step.op || tactic->backend() != spec_.backend)
      return refuse(step, fmt::format("runs {}, expected {}", tactic->op(), step.op));
    kernels::Problem problem{step.op, step.attributes, {}, {}};
    BoundStep bound;
    LEGATO_RETURN_IF_ERROR(bind_operands(step, step.inputs, problem.inputs, bound.inputs));
    LEGATO_RETURN_IF_ERROR(bind_operands(step, step.outputs, problem.outputs, bound.outputs));
    LEGATO_RETURN_IF_ERROR(judge_tables(step));
    if (const Status status = tactic->supports(problem, device_); !status.ok())
      return refuse(step, status.message);
    for (size_t i = 0; i < bound.inputs.size(); ++i)
      LEGATO_RETURN_IF_ERROR(judge_layout(step, *tactic, problem, i, bound.inputs[i]));
    auto kernel = tactic->bind(problem, device_);
    if (!kernel.ok()) return refuse(step, kernel.status().message);
    bound.kernel = std::move(kernel).value();
    return bound;
  }

  Status bind_operands(const engine::StepSpec& step, const std::vector<engine::OperandRef>& refs,
                       std::vector<kernels::OperandSpec>& specs,
                       std::vector<BoundOperand>& operands) {
    for (const engine::OperandRef& ref : refs) {
      specs.emplace_back();
      operands.emplace_back();
      if (ref.value < 0) continue;
      const Status status = bind_operand(ref, specs.back(), operands.back());
      if (!status.ok())
        return refuse(step, fmt::format("operand {}: {}", value(ref.value).name, status.message));
    }
    return {};
  }

  Status bind_operand(const engine::OperandRef& ref, kernels::OperandSpec& spec,
                      BoundOperand& bound) const {
    const engine::ValueSpec& from = value(ref.value);
    const int rank = from.shape.rank();
    spec = {true, from.storage == engine::Storage::kWeight, from.dtype, from.shape};
    bound.present = true;
    bound.storage = from.storage;
    bound.index = static_cast<size_t>(from.index);
    bound.operand.dtype = from.dtype;
    if (spec.constant) bound.operand.layout = spec_.weights[bound.index].layout;
    for (const Dim& dim : from.shape.dims) {
      LEGATO_ASSIGN_OR_RETURN(const Extent extent, Extent::of(dim));
      bound.extents.push_back(extent);
      bound.operand.shape.push_back(extent.is_constant() ? extent.at({}) : 0);
    }
    bound.operand.row_stride = rank == 0 ? 1 : bound.operand.shape[rank - 1];
    if (ref.columns < 0) return {};
    bound.column_view = true;
    bound.first_byte = static_cast<uint64_t>(ref.first_column) * dtype_bytes(from.dtype);
    bound.operand.shape[rank - 1] = ref.columns;
    spec.shape.dims.back() = Dim(ref.columns);
    return {};
  }

  /// A step feeds ids up to the vocabulary and positions up to the context: the tables have a row
  /// for each.
  Status judge_tables(const engine::StepSpec& step) const {
    if (step.op != "Embedding") return {};
    const int64_t offset = step.attributes.get_int("position_offset");
    const auto positions = checked_add(limits_.max_context, offset);
    if (offset < 0 || !positions)
      return refuse(step, fmt::format("position_offset is {}, expected 0 to {}", offset,
                                      INT64_MAX - limits_.max_context));
    const std::array<std::pair<size_t, int64_t>, 2> tables = {
        std::pair<size_t, int64_t>{1, spec_.model.vocab_size},
        std::pair<size_t, int64_t>{3, *positions}};
    for (const auto& [input, rows] : tables) {
      if (input >= step.inputs.size() || step.inputs[input].value < 0) continue;
      const engine::ValueSpec& table = value(step.inputs[input].value);
      const bool known = table.shape.rank() > 0 && table.shape[0].is_constant();
      if (!known || table.shape[0].constant() < rows)
        return refuse(step, fmt::format("table {} is {}, expected {} rows at least", table.name,
                                        table.shape.to_string(), rows));
    }
    return {};
  }

  Status judge_layout(const engine::StepSpec& step, const kernels::Tactic& tactic,
                      const kernels::Problem& problem, size_t input,
                      const BoundOperand& operand) const {
    if (!operand.present || operand.storage != engine::Storage::kWeight) return {};
    const WeightLayout wanted = tactic.weight_layout(problem, input);
    if (operand.operand.layout == wanted || tactic.reads_any_layout(problem, input)) return {};
    return refuse(step,
                  fmt::format("weight {} lies {}, expected {}", spec_.weights[operand.index].name,
                              layout_name(operand.operand.layout), layout_name(wanted)));
  }

  const engine::EngineSpec& spec_;
  const kernels::Limits& limits_;
  kernels::DeviceInfo device_;
  Binding binding_;
};

}  // namespace

std::string_view step_input_name(StepInput input) {
  return kInputNames[static_cast<size_t>(input)];
}

Result<Binding> bind_engine(const engine::EngineSpec& spec, const kernels::Limits& limits,
                            CpuLevel level) {
  return Binder(spec, limits, level).run();
}

}  // namespace legato::runtime
