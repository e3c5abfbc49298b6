#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "device/cpu/cpu_level.h"
#include "legato/types.h"
#include "tensor/dim.h"
#include "tensor/dtype.h"

/// Between the public types and those of src/.
namespace legato::api {

inline DType to_internal(DataType type) { return static_cast<DType>(type); }
inline DataType to_public(DType type) { return static_cast<DataType>(type); }

/// An empty name is the machine's best level. kInvalidArgument for an unknown one, kDeviceMismatch
/// for one that this machine lacks.
Result<CpuLevel> choose_cpu_level(std::string_view name);

/// 0: usable cores; kInvalidArgument out of range.
Result<int> choose_threads(int threads);

TensorInfo describe(const std::string& name, DType type, const SymShape& shape);

}  // namespace legato::api
