#pragma once

#include "kernels/cpu/level/quant_tile.h"

/// Rows of activations as 8-bit codes.
namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/// Groups between two interruptions of a sum: their codes stay in the first level of the cache
/// while one tile of rows after the other meets them.
inline constexpr int64_t kGroupsAtOnce = 8;

/// The records of a tile's block of groups: blocks one after the other, in each the tiles, so that
/// tile after tile is read as one stream.
template <typename F>
struct TilePlace {
  const char* packed;
  int64_t tokens;  ///< of the launch
  int64_t groups;
  int64_t first;  ///< token
  int64_t width;

  const char* group(int64_t g) const {
    const int64_t block = g / kGroupsAtOnce * kGroupsAtOnce;
    const int64_t of_block = smaller(kGroupsAtOnce, groups - block);
    return packed + (block * tokens + first * of_block + (g - block) * width) * kRecordBytes<F>;
  }
};

/// Where the parts of a token's record lie.
template <typename F>
struct RecordPlace {
  char* codes;
  char* scale;
  char* sums;

  RecordPlace(const TilePlace<F>& tile, int64_t group, int64_t t) {
    char* record = const_cast<char*>(tile.group(group));
    codes = record + t * kCodesBytes<F>;
    scale = record + tile.width * kCodesBytes<F> + t * 4;
    sums = record + tile.width * (kCodesBytes<F> + 4) + t * 8;
  }
};

/// Largest magnitude; NaN when a number is infinite or NaN.
inline float largest_magnitude(const float* x, int64_t n) {
  IVec largest = ivset(0);
  for (int64_t i = 0; i < n; i += kLanes) largest = ivmax(largest, iv_magnitude_bits(vload(x + i)));
  constexpr int32_t kInfinity = 0x7f800000;
  const int32_t bits = ivmax_across(largest);
  return __builtin_bit_cast(float, bits < kInfinity ? bits : kInfinity + 1);
}

struct CodeScale {
  float scale;
  float inverse;

  /// Numbers too small for an inverse count as zeros. Where one is infinite or NaN the scale is
  /// NaN, which makes the results NaN, and the codes, which can't say so, are zeros.
  CodeScale(float most, float largest_code)
      : scale(most / largest_code), inverse(most > 1e-35f ? largest_code / most : 0.0f) {
    if (inverse == 0.0f && most == most) scale = 0;
  }
};

template <typename F>
inline constexpr float kLargestCode = F::kTerms == 1 ? 127.0f : 127.0f * (1 << kLowerBits);

/// Codes of 32 columns (words stand as dot_words() wants them), and the sums of the first and
/// last 16.
template <typename F>
inline void quantise_group(const float* x, float inverse, char* codes, int32_t (&sums)[2]) {
  for (int half = 0; half < 2; ++half) {
    IVec sum = ivset(0);
    for (int i = half * 16; i < half * 16 + 16; i += kLanes) {
      IVec code = iv_rounded(vmul(vload(x + i), vset(inverse)));
      sum = ivadd(sum, code);
      if constexpr (F::kWords) {
        ivstore_words(codes + i * 2, code);
        continue;
      }
      if constexpr (F::kTerms == 2) {
        const IVec upper =
            ivshift_right_signed(ivadd(code, ivset(1 << (kLowerBits - 1))), kLowerBits);
        ivstore_bytes(codes + kGroupColumns + i, ivsub(code, ivshift_left(upper, kLowerBits)));
        code = upper;
      }
      ivstore_bytes(codes + i, code);
    }
    sums[half] = ivadd_across(sum);
  }
}

/// What the inner loop adds beside the products: -zero * sum as integers, or the sum times the
/// scale as a float where the weights have a minimum.
template <typename F>
inline void store_sums(const int32_t (&sums)[2], float scale, char* to) {
  if constexpr (F::kAffine) {
    const float sum = static_cast<float>(sums[0] + sums[1]) * scale;
    __builtin_memcpy(to, &sum, sizeof sum);
    __builtin_memset(to + 4, 0, 4);
  } else {
    const int32_t first = F::kHalves == 2 ? sums[0] : sums[0] + sums[1];
    const int32_t parts[2] = {-F::kZero * first, F::kHalves == 2 ? -F::kZero * sums[1] : 0};
    __builtin_memcpy(to, parts, sizeof parts);
  }
}

template <typename F>
inline void pack_group_scaled(const float* row, const TilePlace<F>& tile, int64_t t) {
  for (int64_t g = 0; g < tile.groups; ++g) {
    const float* x = row + g * kGroupColumns;
    const RecordPlace<F> place(tile, g, t);
    const CodeScale scale(largest_magnitude(x, kGroupColumns), kLargestCode<F>);
    int32_t sums[2];
    quantise_group<F>(x, scale.scale == scale.scale ? scale.inverse : 0.0f, place.codes, sums);
    __builtin_memcpy(place.scale, &scale.scale, sizeof(float));
    store_sums<F>(sums, scale.scale, place.sums);
  }
}

/// kS8Row: pairs of groups share a scale and a sum, which stand in the first one's record.
template <typename F>
inline void pack_row_scaled(const float* row, const TilePlace<F>& tile, int64_t t) {
  for (int64_t g = 0; g < tile.groups; g += kGroupsOfRowScaled) {
    const int64_t end = smaller(g + kGroupsOfRowScaled, tile.groups);
    const CodeScale scale(largest_magnitude(row + g * kGroupColumns, (end - g) * kGroupColumns),
                          kLargestCode<F>);
    int32_t begin = 0;
    for (int64_t i = g; i < end; ++i) {
      int32_t sums[2];
      quantise_group<F>(row + i * kGroupColumns, scale.scale == scale.scale ? scale.inverse : 0.0f,
                        RecordPlace<F>(tile, i, t).codes, sums);
      begin -= F::kZero * (sums[0] + sums[1]);
    }
    const RecordPlace<F> first(tile, g, t);
    __builtin_memcpy(first.scale, &scale.scale, sizeof(float));
    __builtin_memcpy(first.sums, &begin, sizeof begin);
  }
}

template <typename F>
inline void pack_token(const float* row, const TilePlace<F>& tile, int64_t t) {
  if constexpr (F::kRowScaled) {
    pack_row_scaled(row, tile, t);
  } else {
    pack_group_scaled(row, tile, t);
  }
}

}  // namespace
}  // namespace legato::kernels::cpu::LEGATO_CPU_LEVEL
