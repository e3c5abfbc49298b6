#include <fmt/format.h>

#include "base/check.h"
#include "ir/op.h"

namespace legato::ir {

void register_all_ops(OpRegistry& registry);  // generated from the files of ops/

std::string_view behaviour_name(SequenceBehaviour behaviour) {
  switch (behaviour) {
    case SequenceBehaviour::kTokenLocal:
      return "token-local";
    case SequenceBehaviour::kCausalAttention:
      return "causal attention";
    case SequenceBehaviour::kPositional:
      return "positional";
    case SequenceBehaviour::kReduction:
      return "reduction";
    case SequenceBehaviour::kShift:
      return "shift";
    case SequenceBehaviour::kOpaque:
      return "opaque";
  }
  return "opaque";
}

void NodeView::refuse(const std::string& message) const {
  throw Error(Code::kMalformed, fmt::format("node \"{}\" ({})", node.name, node.op), message);
}

void OpRegistry::add(OpSchema schema) {
  LEGATO_CHECK(schema.infer && schema.behaviour);
  const std::string name = schema.name;
  const bool inserted = schemas_.emplace(name, std::move(schema)).second;
  LEGATO_CHECK(inserted);
}

const OpSchema* OpRegistry::find(std::string_view name) const {
  const auto it = schemas_.find(name);
  return it == schemas_.end() ? nullptr : &it->second;
}

std::vector<const OpSchema*> OpRegistry::all() const {
  std::vector<const OpSchema*> list;
  for (const auto& [name, schema] : schemas_) list.push_back(&schema);
  return list;
}

const OpRegistry& ops() {
  static const OpRegistry registry = [] {
    OpRegistry built;
    register_all_ops(built);
    return built;
  }();
  return registry;
}

}  // namespace legato::ir
