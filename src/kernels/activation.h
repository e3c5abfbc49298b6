#pragma once

#include <cstdint>

/// Plain enums, so that code compiled for one instruction-set level may include them; the names
/// that files use are in kernels/activation_names.h.
namespace legato::kernels {

enum class Activation : uint8_t { kNone, kRelu, kGelu, kGeluTanh, kSilu };
enum class Norm : uint8_t { kNone, kRms, kLayer };

}  // namespace legato::kernels
