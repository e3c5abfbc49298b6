#include "kernels/ref/copy.h"

namespace legato::kernels::ref {

void register_identity(TacticRegistry& registry) { add_reference(registry, "Identity", bind_copy); }

}  // namespace legato::kernels::ref
