#include "kernels/ref/copy.h"

namespace legato::kernels::ref {

void register_unsqueeze(TacticRegistry& registry) {
  add_reference(registry, "Unsqueeze", bind_copy);
}

}  // namespace legato::kernels::ref
