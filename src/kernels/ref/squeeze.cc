#include "kernels/ref/copy.h"

namespace legato::kernels::ref {

void register_squeeze(TacticRegistry& registry) { add_reference(registry, "Squeeze", bind_copy); }

}  // namespace legato::kernels::ref
