#pragma once

#include <vector>

#include "kernels/ref/elements.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {

/// A parameter that is an attribute where it is constant and an operand where it is computed.
struct List {
  std::vector<int64_t> constant;
  size_t input;

  List(const Problem& problem, const char* attribute, size_t index)
      : constant(problem.attributes.get_ints(attribute)), input(index) {}

  int64_t size(const LaunchArgs& args) const {
    if (!constant.empty() || input >= args.inputs.size() || !args.inputs[input].present())
      return static_cast<int64_t>(constant.size());
    return args.inputs[input].shape.elements();
  }
  int64_t at(const LaunchArgs& args, int64_t i, int64_t otherwise) const {
    if (i < static_cast<int64_t>(constant.size())) return constant[static_cast<size_t>(i)];
    return i < size(args) ? load_integer(args.inputs[input], i) : otherwise;
  }
};

}  // namespace legato::kernels::ref
