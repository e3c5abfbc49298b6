#pragma once

#include "legato/status.h"

#define LEGATO_VERSION_MAJOR 0
#define LEGATO_VERSION_MINOR 1
#define LEGATO_VERSION_PATCH 0

namespace legato {
inline namespace v1 {

/// "0.1.0": of the library that is linked, which may be newer than these headers.
LEGATO_API const char* version();

}  // namespace v1
}  // namespace legato
