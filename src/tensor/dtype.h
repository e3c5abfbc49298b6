#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace legato {

/// Element types. The numbers are part of the engine file format: append, never renumber.
enum class DType : uint8_t {
  kF32 = 0,
  kF16 = 1,
  kBF16 = 2,
  kF64 = 3,
  kI64 = 4,
  kI32 = 5,
  kI16 = 6,
  kI8 = 7,
  kU64 = 8,
  kU32 = 9,
  kU16 = 10,
  kU8 = 11,
  kBool = 12,  ///< one byte, 0 or 1
};
inline constexpr int kNumDTypes = 13;

/// Bytes of one element.
size_t dtype_bytes(DType dtype);
/// "f32", "bf16", "i64", "bool" ...
std::string_view dtype_name(DType dtype);
std::optional<DType> dtype_from_name(std::string_view name);
/// f32, f16, bf16 or f64.
bool is_float(DType dtype);

}  // namespace legato
