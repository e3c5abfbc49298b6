#include <cmath>

#include "kernels/ref/element.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  LEGATO_RETURN_IF_ERROR(require_f32(problem, {}));
  const std::vector<double> given = problem.attributes.get_floats("inv_freq");
  const std::vector<float> frequencies(given.begin(), given.end());
  const double scale = problem.attributes.get_float("scale", 1.0);
  BoundReference bound;
  bound.operations_per_output = 20;
  bound.launch = [frequencies, scale](const LaunchArgs& args) {
    const Operand& positions = args.inputs[0];
    const auto half = static_cast<int64_t>(frequencies.size());
    for (int64_t t = 0; t < positions.shape[0]; ++t) {
      float* row = row_of(args.outputs[0], t);
      for (int64_t i = 0; i < half; ++i) {
        // The angle is a product of f32 numbers, as the models were trained with.
        const float angle =
            static_cast<float>(index_at(positions, t)) * frequencies[static_cast<size_t>(i)];
        row[i] = static_cast<float>(scale * std::cos(static_cast<double>(angle)));
        row[half + i] = static_cast<float>(scale * std::sin(static_cast<double>(angle)));
      }
    }
  };
  return bound;
}

}  // namespace

void register_rotary_table(TacticRegistry& registry) {
  add_reference(registry, "RotaryTable", bind);
}

}  // namespace legato::kernels::ref
