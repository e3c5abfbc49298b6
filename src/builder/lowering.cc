#include "builder/lowering.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/one_line.h"
#include "base/status.h"
#include "builder/memory_plan.h"
#include "builder/node_forms.h"
#include "builder/profile.h"
#include "builder/weight_table.h"

namespace legato::builder {
namespace {

/// A name as the engine may hold it and one-line messages may show it.
std::string shown_name(const std::string& name) { return one_line(name, name.size()); }

class Lowering {
 public:
  Lowering(const ir::Graph& graph, const kernels::TacticRegistry& registry,
           kernels::DeviceInfo device, Program& program)
      : graph_(graph),
        registry_(registry),
        device_(device),
        program_(program),
        spec_(program.spec),
        forms_(graph),
        spec_values_(graph.num_values(), -1) {}

  void run() {
    for (const ir::ValueId input : graph_.inputs()) add_input(input);
    for (const ir::NodeId id : graph_.order()) {
      if (forms_.form(id) == NodeForms::Form::kStep) add_step(graph_.node(id));
    }
    for (size_t i = 0; i < graph_.outputs().size(); ++i) add_output(i);
    weights_.resolve(program_);
    while (roots_.size() < spec_.values.size())
      roots_.push_back(static_cast<int32_t>(roots_.size()));
    plan_memory(spec_, roots_);
  }

 private:
  engine::ValueSpec& spec_value(int32_t id) { return spec_.values[static_cast<size_t>(id)]; }

  /// A value of the engine; `root` is -1 when its bytes are its own.
  int32_t append_value(engine::ValueSpec value, int32_t root) {
    const auto id = static_cast<int32_t>(spec_.values.size());
    value.name = shown_name(value.name);
    spec_.values.push_back(std::move(value));
    roots_.push_back(root == -1 ? id : root);
    return id;
  }

  void add_input(ir::ValueId id) {
    const ir::Value& value = graph_.value(id);
    const auto index = static_cast<int32_t>(spec_.inputs.size());
    const int32_t made = append_value(
        {value.name, value.type.dtype, value.type.shape, engine::Storage::kInput, index}, -1);
    spec_.inputs.push_back(made);
    spec_values_[static_cast<size_t>(id)] = made;
  }

  /// The engine's value for a value of the graph that is no constant and no view.
  int32_t value_of(ir::ValueId id) {
    int32_t& made = spec_values_[static_cast<size_t>(id)];
    if (made != -1) return made;
    const ir::Value& value = graph_.value(id);
    engine::ValueSpec spec{value.name, value.type.dtype, value.type.shape, engine::Storage::kSlot,
                           0};
    const ir::ValueId root = forms_.root(id);
    int32_t root_value = -1;
    if (root != id) {
      root_value = value_of(root);
      spec.storage = spec_value(root_value).storage;
      spec.index = spec_value(root_value).index;
    }
    const int32_t appended = append_value(std::move(spec), root_value);
    spec_values_[static_cast<size_t>(id)] = appended;
    return appended;
  }

  kernels::OperandSpec operand_spec(ir::ValueId id) const {
    if (id == ir::kNone) return {};
    const ir::Value& value = graph_.value(id);
    return {true, value.constant != nullptr, value.type.dtype, value.type.shape};
  }

  kernels::Problem problem_of(const ir::Node& node) const {
    kernels::Problem problem{node.op, node.attributes, {}, {}};
    for (const ir::ValueId input : node.inputs) problem.inputs.push_back(operand_spec(input));
    for (const ir::ValueId output : node.outputs) problem.outputs.push_back(operand_spec(output));
    return problem;
  }

  const kernels::Tactic& choose(const std::string& node, const kernels::Problem& problem) const {
    const auto chosen = registry_.choose(problem, device_);
    if (!chosen.ok()) throw Error(chosen.status().code, node, chosen.status().to_string());
    return **chosen;
  }

  void add_step(const ir::Node& node) {
    const kernels::Problem problem = problem_of(node);
    const kernels::Tactic& tactic = choose(node.name, problem);
    const size_t index = spec_.steps.size();
    engine::StepSpec step;
    step.name = shown_name(node.name);
    step.op = node.op;
    step.tactic = std::string(tactic.name());
    step.attributes = node.attributes;
    for (size_t i = 0; i < node.inputs.size(); ++i)
      step.inputs.push_back(input_operand(node.inputs[i], {index, i}, tactic, problem));
    for (const ir::ValueId output : node.outputs) step.outputs.push_back({value_of(output)});
    spec_.steps.push_back(std::move(step));
  }

  /// Constants get their value when all of their readers are known.
  engine::OperandRef input_operand(ir::ValueId id, std::pair<size_t, size_t> place,
                                   const kernels::Tactic& tactic, const kernels::Problem& problem) {
    if (id == ir::kNone) return {};
    const ir::Value& value = graph_.value(id);
    if (value.constant != nullptr) {
      WeightTable::Use use{place.first, place.second, tactic.weight_layout(problem, place.second)};
      use.any_layout = tactic.reads_any_layout(problem, place.second);
      weights_.add(shown_name(value.name), value.constant, use);
      return {};
    }
    const ColumnView view = forms_.resolve(id);
    return {value_of(view.value), view.first_column, view.columns};
  }

  /// A result that a step writes into memory of its own is written where the output lies; inputs,
  /// constants and results that are another output already are copied there.
  void add_output(size_t port) {
    const ir::GraphOutput& output = graph_.outputs()[port];
    const ir::Value& value = graph_.value(output.value);
    const auto index = static_cast<int32_t>(port);
    const bool computed = value.constant == nullptr;
    const int32_t made = computed ? value_of(output.value) : -1;
    if (!computed || spec_value(made).storage != engine::Storage::kSlot) {
      copy_to_output(output, index);
      return;
    }
    const int32_t root = roots_[static_cast<size_t>(made)];
    for (size_t i = 0; i < roots_.size(); ++i) {
      if (roots_[i] != root) continue;
      spec_.values[i].storage = engine::Storage::kOutput;
      spec_.values[i].index = index;
    }
    spec_value(made).name = shown_name(output.name);
    spec_.outputs.push_back(made);
  }

  void copy_to_output(const ir::GraphOutput& output, int32_t index) {
    const ir::Value& value = graph_.value(output.value);
    const kernels::Problem problem{"Identity",
                                   {},
                                   {operand_spec(output.value)},
                                   {{true, false, value.type.dtype, value.type.shape}}};
    const kernels::Tactic& tactic = choose(output.name, problem);
    engine::StepSpec step;
    step.name = shown_name("output " + output.name);
    step.op = problem.op;
    step.tactic = std::string(tactic.name());
    step.inputs = {input_operand(output.value, {spec_.steps.size(), 0}, tactic, problem)};
    const int32_t made = append_value(
        {output.name, value.type.dtype, value.type.shape, engine::Storage::kOutput, index}, -1);
    step.outputs = {{made}};
    spec_.steps.push_back(std::move(step));
    spec_.outputs.push_back(made);
  }

  const ir::Graph& graph_;
  const kernels::TacticRegistry& registry_;
  kernels::DeviceInfo device_;
  Program& program_;
  engine::EngineSpec& spec_;
  NodeForms forms_;
  WeightTable weights_;
  std::vector<int32_t> spec_values_;  ///< of each value of the graph; -1: none yet
  std::vector<int32_t> roots_;        ///< of each value of the engine
};

}  // namespace

void lower(const ir::Graph& graph, const BuildOptions& options,
           const kernels::TacticRegistry& registry, Program& program) {
  if (graph.outputs().empty())
    throw Error(Code::kUnsupported, "graph", "has no output, expected at least one");
  program.spec.profile = make_profile(graph, options);
  const kernels::DeviceInfo device{Backend::kCpu, options.required_level.value_or(CpuLevel::kSse2)};
  Lowering(graph, registry, device, program).run();
}

}  // namespace legato::builder
