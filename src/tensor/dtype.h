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
  // Quantised: codes that share scales, only for matrices of weights (see quant_format.h).
  kQ8_0 = 13,
  kQ4_0 = 14,
  kQ4_1 = 15,
  kQ5_0 = 16,
  kQ5_1 = 17,
  kQ4K = 18,
  kQ5K = 19,
  kQ6K = 20,
  kW8 = 21,
  kW4 = 22,
};
inline constexpr int kNumDTypes = 23;

/// f32 to bool have elements with an address of their own; quantised ones don't.
constexpr bool is_quantised(DType dtype) { return dtype >= DType::kQ8_0; }
/// Bytes of one element; not for quantised ones.
size_t dtype_bytes(DType dtype);
/// Bytes of a row of `columns` elements in the plain layout, or nullopt when columns are negative,
/// no multiple of the dtype's block, or too many to count.
std::optional<uint64_t> dtype_row_bytes(DType dtype, int64_t columns);
/// "f32", "bf16", "i64", "bool" ...
std::string_view dtype_name(DType dtype);
std::optional<DType> dtype_from_name(std::string_view name);
/// f32, f16, bf16 or f64.
bool is_float(DType dtype);

}  // namespace legato
