#include <algorithm>

#include "engine/validate.h"
#include "engine/validate_parts.h"

namespace legato::engine {
namespace {

constexpr size_t kMaxOperands = 256;
constexpr int32_t kNobody = -1;

/// What is known of a slot or output while the steps are followed.
struct Place {
  int32_t holds = kNobody;  ///< the value that was written there last
  int64_t read_by = -1;     ///< the last step that read it
  int64_t written_by = -1;
};

/// Follows the steps in order and knows which value each slot and output holds.
class StepWalk {
 public:
  explicit StepWalk(const ValidateScope& scope)
      : scope_(scope),
        slots_(scope.spec.slots.size()),
        outputs_(scope.spec.outputs.size()),
        aliases_(scope.spec.values.size(), true) {}

  Status run() {
    const auto& steps = scope_.spec.steps;
    if (steps.size() > kMaxSteps)
      return scope_.refuse("has {} steps, expected at most {}", steps.size(), kMaxSteps);
    for (const StepSpec& step : steps) LEGATO_RETURN_IF_ERROR(check_outputs_known(step));
    for (const StepSpec& step : steps) {
      LEGATO_RETURN_IF_ERROR(check(step));
      ++now_;
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs_[i].holds == kNobody)
        return scope_.refuse("output {} is written by no step", value(scope_.spec.outputs[i]).name);
    }
    return {};
  }

 private:
  const ValueSpec& value(int32_t id) const { return scope_.spec.values[static_cast<size_t>(id)]; }

  /// Null for inputs and weights, which are always there.
  Place* place(const ValueSpec& value) {
    if (value.storage == Storage::kSlot) return &slots_[static_cast<size_t>(value.index)];
    if (value.storage == Storage::kOutput) return &outputs_[static_cast<size_t>(value.index)];
    return nullptr;
  }

  /// Values that some step writes are no aliases of others.
  Status check_outputs_known(const StepSpec& step) {
    for (const OperandRef& output : step.outputs) {
      if (output.value < 0 || static_cast<size_t>(output.value) >= aliases_.size() ||
          output.first_column != 0 || output.columns != -1)
        return scope_.refuse("step {} writes value {} of {}, expected the whole of one", step.name,
                             output.value, aliases_.size());
      aliases_[static_cast<size_t>(output.value)] = false;
    }
    return {};
  }

  Status check(const StepSpec& step) {
    if (step.op.empty() || step.tactic.empty())
      return scope_.refuse("step {} has op \"{}\" and tactic \"{}\", expected a name for both",
                           step.name, step.op, step.tactic);
    if (step.inputs.size() > kMaxOperands || step.outputs.size() > kMaxOperands ||
        step.outputs.empty())
      return scope_.refuse("step {} has {} inputs and {} outputs, expected 1 to {} outputs",
                           step.name, step.inputs.size(), step.outputs.size(), kMaxOperands);
    for (const OperandRef& input : step.inputs) LEGATO_RETURN_IF_ERROR(check_input(step, input));
    for (const OperandRef& output : step.outputs)
      LEGATO_RETURN_IF_ERROR(check_output(step, output));
    return step.op == "Attention" ? check_attention(step) : Status{};
  }

  Status check_input(const StepSpec& step, const OperandRef& operand) {
    if (operand.value == -1) return {};
    if (operand.value < -1 || static_cast<size_t>(operand.value) >= aliases_.size())
      return scope_.refuse("step {} reads value {} of {}", step.name, operand.value,
                           aliases_.size());
    const ValueSpec& read = value(operand.value);
    LEGATO_RETURN_IF_ERROR(check_view(step, operand, read));
    Place* from = place(read);
    if (from == nullptr) return {};
    from->read_by = now_;
    if (from->holds == operand.value) return {};
    // A value that no step writes is another shape of the one that lies in its place.
    const bool alias = from->holds != kNobody && aliases_[static_cast<size_t>(operand.value)] &&
                       value(from->holds).dtype == read.dtype &&
                       value(from->holds).shape.elements() == read.shape.elements();
    if (alias) return {};
    return scope_.refuse("step {} reads value {}, whose place holds {}", step.name, read.name,
                         from->holds == kNobody ? "nothing" : value(from->holds).name);
  }

  Status check_view(const StepSpec& step, const OperandRef& operand, const ValueSpec& read) const {
    if (operand.first_column == 0 && operand.columns == -1) return {};
    const int rank = read.shape.rank();
    const bool fixed = rank > 0 && read.shape[rank - 1].is_constant();
    const int64_t width = fixed ? read.shape[rank - 1].constant() : 0;
    if (read.storage == Storage::kWeight || operand.first_column < 0 || operand.columns < 1 ||
        operand.first_column > width || operand.columns > width - operand.first_column)
      return scope_.refuse(
          "step {} reads {} columns from {} of {}, expected a run of the {} columns of an "
          "activation",
          step.name, operand.columns, operand.first_column, read.name, width);
    return {};
  }

  Status check_output(const StepSpec& step, const OperandRef& operand) {
    const ValueSpec& written = value(operand.value);
    Place* to = place(written);
    if (to == nullptr)
      return scope_.refuse("step {} writes {}, expected no input and no weight", step.name,
                           written.name);
    if (to->read_by == now_ || to->written_by == now_)
      return scope_.refuse("step {} writes {} where it reads or writes another operand", step.name,
                           written.name);
    to->written_by = now_;
    to->holds = operand.value;
    return {};
  }

  /// The kernel reaches the cache through these numbers: they must be the cache's own.
  Status check_attention(const StepSpec& step) const {
    const auto& layers = scope_.spec.kv.layers;
    const int64_t layer = step.attributes.get_int("layer", -1);
    if (layer < 0 || static_cast<size_t>(layer) >= layers.size())
      return scope_.refuse("step {} uses cache layer {} of {}", step.name, layer, layers.size());
    const KvLayerSpec& cache = layers[static_cast<size_t>(layer)];
    const Attributes& attributes = step.attributes;
    if (attributes.get_int("kv_heads") != cache.kv_heads ||
        attributes.get_int("head_dim") != cache.head_dim ||
        attributes.get_int("window") != cache.window || attributes.get_int("sinks") != cache.sinks)
      return scope_.refuse(
          "step {} has {} kv heads of {}, window {}, sinks {}; expected its cache layer's {} of "
          "{}, window {}, sinks {}",
          step.name, attributes.get_int("kv_heads"), attributes.get_int("head_dim"),
          attributes.get_int("window"), attributes.get_int("sinks"), cache.kv_heads, cache.head_dim,
          cache.window, cache.sinks);
    return {};
  }

  const ValidateScope& scope_;
  std::vector<Place> slots_;
  std::vector<Place> outputs_;
  std::vector<bool> aliases_;  ///< values that no step writes
  int64_t now_ = 0;            ///< index of the step
};

}  // namespace

Status validate_steps(const ValidateScope& scope) { return StepWalk(scope).run(); }

}  // namespace legato::engine
