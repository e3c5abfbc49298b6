#include "kernels/ref/elements.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  const bool upper = problem.attributes.get_int("upper", 1) != 0;
  const int64_t given = problem.attributes.get_int("k", 0);
  BoundReference bound;
  bound.launch = [upper, given](const LaunchArgs& args) {
    const Operand& x = args.inputs[0];
    const bool computed = args.inputs.size() > 1 && args.inputs[1].present();
    const int64_t k = computed ? load_integer(args.inputs[1], 0) : given;
    const auto row_axis = static_cast<size_t>(x.shape.rank() - 2);
    for_each_index(x.shape, [&](const Index& index, int64_t flat) {
      const int64_t diagonal = index[row_axis + 1] - index[row_axis];
      if (upper ? diagonal >= k : diagonal <= k) {
        copy_element(x, flat, args.outputs[0], flat);
      } else {
        store(args.outputs[0], flat, 0.0);
      }
    });
  };
  return bound;
}

}  // namespace

void register_trilu(TacticRegistry& registry) { add_reference(registry, "Trilu", bind); }

}  // namespace legato::kernels::ref
