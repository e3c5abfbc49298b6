#include "import/arch_registry.h"

namespace legato::importer {

void register_all_arch(ArchRegistry& registry);

void ArchRegistry::add(std::string model_type, ArchBuild build) {
  builds_.insert_or_assign(std::move(model_type), std::move(build));
}

const ArchBuild* ArchRegistry::find(std::string_view model_type) const {
  const auto found = builds_.find(model_type);
  return found == builds_.end() ? nullptr : &found->second;
}

std::string ArchRegistry::names() const {
  std::string joined;
  for (const auto& [name, build] : builds_) joined += (joined.empty() ? "" : ", ") + name;
  return joined;
}

const ArchRegistry& architectures() {
  static const ArchRegistry registry = [] {
    ArchRegistry filled;
    register_all_arch(filled);
    return filled;
  }();
  return registry;
}

}  // namespace legato::importer
