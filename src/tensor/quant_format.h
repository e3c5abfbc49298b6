#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace legato {

/// Columns that are quantised together in every format: their codes meet the same activations
/// before a scale is applied.
inline constexpr int64_t kQuantGroup = 32;
/// Columns of a super-block (the "K" formats): its groups have 8-bit scales of a common scale.
inline constexpr int64_t kSuperBlock = 256;

/// Where the scales of a format stand.
enum class QuantScales : uint8_t {
  kGroup,  ///< one f16 a group
  kSuper,  ///< 8-bit multiples, two a group, of one f16 a super-block
  kRow,    ///< one f32 a row
};

/// All quantised dtypes, by their numbers.
inline constexpr auto kQuantisedDTypes = [] {
  constexpr int kFirst = static_cast<int>(DType::kQ8_0);
  std::array<DType, kNumDTypes - kFirst> dtypes{};
  for (int i = kFirst; i < kNumDTypes; ++i)
    dtypes[static_cast<size_t>(i - kFirst)] = static_cast<DType>(i);
  return dtypes;
}();

/// What a quantised dtype means. An element is
///   scale * (code - zero)          when not affine
///   scale * code + minimum         when affine
/// with kGroup: scale and minimum are the group's f16 numbers; with kSuper and affine: scale = d *
/// sub[0], minimum = -(dmin * sub[1]); with kSuper and not affine: scale = d * sub[0] for the first
/// 16 columns of a group and d * sub[1] for the last 16; with kRow: scale is the row's. All
/// products are exact in f32.
///
/// In the plain layout rows are as GGUF stores them (q*), so that a file's bytes are used as they
/// are: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. A row of w8 is its scale (f32,
/// little-endian), then a signed code a column; one of w4 has the blocks of q4_1, whose scales are
/// searched where q4_1's are a file's.
struct QuantFormat {
  DType dtype;
  int64_t block_elements;   ///< columns of a row are a multiple of it
  size_t block_bytes;       ///< in the plain layout
  size_t row_header_bytes;  ///< in the plain layout
  int code_bits;            ///< 4, 5, 6 or 8
  int panel_bits;           ///< of a code in panels: 5-bit ones are widened to 8
  int zero;
  bool affine;
  QuantScales scales;
};

/// The format of a quantised dtype.
const QuantFormat& quant_format(DType dtype);

/// Whether a constant may have this quantised dtype and shape: a matrix of whole blocks.
bool is_quantised_matrix(DType dtype, const Shape& shape);

/// One group of a row, unpacked.
struct QuantGroup {
  uint8_t codes[kQuantGroup];  ///< unsigned; those of signed formats plus `zero`
  uint16_t scale = 0;          ///< f16 bits: of the group, or d of the super-block
  uint16_t minimum = 0;        ///< f16 bits: of the group, or dmin of the super-block
  uint8_t sub[2] = {0, 0};     ///< kSuper: 6-bit numbers, or signed 8-bit ones when not affine
};

/// Group `group` of a row in the plain layout.
QuantGroup read_quant_group(DType dtype, const std::byte* row, int64_t group);

/// Columns of a row, whole groups.
struct ColumnRange {
  int64_t first = 0;
  int64_t count = 0;
};

/// Columns of a row in the plain layout as floats. Each element is rounded once.
void dequantize_row(DType dtype, const std::byte* row, ColumnRange columns, float* out);
/// The first `columns` of them.
inline void dequantize_row(DType dtype, const std::byte* row, int64_t columns, float* out) {
  dequantize_row(dtype, row, ColumnRange{0, columns}, out);
}

/// The elements of a group, given the row's scale where the format has one.
void dequantize_group(const QuantFormat& format, const QuantGroup& group, float row_scale,
                      float* out);

}  // namespace legato
