#include "builder/weight_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "base/status.h"
#include "engine/file_layout.h"
#include "engine/validate.h"

namespace legato::builder {
namespace {

/// Adds a weight behind the last one, and the value that stands for it; returns the value's id.
int32_t append_weight(Program& program, const std::string& name, const ir::ConstantPtr& constant,
                      WeightLayout layout) {
  engine::EngineSpec& spec = program.spec;
  engine::WeightSpec weight;
  weight.name = name;
  weight.dtype = constant->dtype();
  weight.shape = constant->shape();
  weight.layout = layout;
  weight.offset = spec.weights_bytes;
  const auto bytes = engine::weight_bytes(weight);
  const auto end = bytes ? checked_add(weight.offset, *bytes) : std::nullopt;
  if (!end || *end > uint64_t{1} << 62)
    throw Error(Code::kUnsupported, name,
                fmt::format("has shape {}, expected one whose bytes can be counted",
                            weight.shape.to_string()));
  weight.bytes = *bytes;
  spec.weights_bytes = round_up(*end, engine::kWeightAlignment);
  const auto index = static_cast<int32_t>(spec.weights.size());
  spec.values.push_back(
      {weight.name, weight.dtype, SymShape(weight.shape), engine::Storage::kWeight, index});
  spec.weights.push_back(std::move(weight));
  program.weights.push_back(constant);
  return static_cast<int32_t>(spec.values.size()) - 1;
}

}  // namespace

void WeightTable::add(const std::string& name, const ir::ConstantPtr& constant, const Use& use) {
  // Without an identity only the very same object is known to be equal.
  const uint64_t identity = constant->identity();
  const std::string kind = identity != 0 ? fmt::format("{} {}", dtype_name(constant->dtype()),
                                                       constant->shape().to_string())
                                         : "";
  const uint64_t key = identity != 0 ? identity : reinterpret_cast<uintptr_t>(constant.get());
  const auto [it, added] = by_data_.try_emplace({key, kind}, entries_.size());
  if (added) entries_.push_back({name, constant, {}});
  entries_[it->second].uses.push_back(use);
}

WeightLayout WeightTable::layout_for(const Entry& entry, const Use& use) const {
  if (!use.any_layout) return use.layout;
  const auto decided = std::find_if(entry.uses.begin(), entry.uses.end(),
                                    [](const Use& other) { return !other.any_layout; });
  return decided == entry.uses.end() ? use.layout : decided->layout;
}

void WeightTable::resolve(Program& program) const {
  for (const Entry& entry : entries_) {
    std::map<WeightLayout, int32_t> stored;
    for (const Use& use : entry.uses) {
      const WeightLayout layout = layout_for(entry, use);
      const auto [it, added] = stored.try_emplace(layout, -1);
      if (added) it->second = append_weight(program, entry.name, entry.constant, layout);
      program.spec.steps[use.step].inputs[use.input].value = it->second;
    }
  }
}

}  // namespace legato::builder
