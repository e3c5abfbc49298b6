#include "legato/version.h"

#define LEGATO_STRINGIFY_INNER(x) #x
#define LEGATO_STRINGIFY(x) LEGATO_STRINGIFY_INNER(x)

namespace legato {
inline namespace v1 {

const char* version() {
  return LEGATO_STRINGIFY(LEGATO_VERSION_MAJOR) "." LEGATO_STRINGIFY(
      LEGATO_VERSION_MINOR) "." LEGATO_STRINGIFY(LEGATO_VERSION_PATCH);
}

}  // namespace v1
}  // namespace legato
