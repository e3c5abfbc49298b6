#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "builder/program.h"
#include "tensor/weight_layout.h"

namespace legato::builder {

/// Collects the constants that steps read and decides how often and in which layout each is stored:
/// equal data once, in two layouts only if its readers can't agree on one.
class WeightTable {
 public:
  /// One operand of a step that reads a constant.
  struct Use {
    size_t step = 0;
    size_t input = 0;
    WeightLayout layout = WeightLayout::kPlain;
    bool any_layout = false;  ///< the tactic reads `layout` and every other
  };

  void add(const std::string& name, const ir::ConstantPtr& constant, const Use& use);

  /// Appends weights and their values to the program and points the steps' operands at them.
  void resolve(Program& program) const;

 private:
  struct Entry {
    std::string name;
    ir::ConstantPtr constant;
    std::vector<Use> uses;
  };
  WeightLayout layout_for(const Entry& entry, const Use& use) const;

  std::vector<Entry> entries_;  ///< in order of first use
  std::map<std::pair<uint64_t, std::string>, size_t> by_data_;
};

}  // namespace legato::builder
