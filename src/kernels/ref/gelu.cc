#include "kernels/ref/elementwise.h"
#include "kernels/ref/formulas.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  const bool approximate = problem.attributes.get_string("approximate", "none") == "tanh";
  return unary(problem, [approximate](double x) { return approximate ? gelu_tanh(x) : gelu(x); });
}

}  // namespace

void register_gelu(TacticRegistry& registry) { add_reference(registry, "Gelu", bind); }

}  // namespace legato::kernels::ref
