#pragma once

#include "kernels/cpu/level/quant_tile.h"

/// Rows of activations as 8-bit codes.
namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/// Groups between two interruptions of a sum: their codes stay in the first level of the cache
/// while one tile of rows after the other meets them. Where a sum goes on, a super-block and a pair
/// of groups with one scale begin.
inline constexpr int64_t kGroupsAtOnce = 8;
static_assert(kGroupsAtOnce % kGroupsOfSuper == 0 && kGroupsAtOnce % kGroupsOfRowScaled == 0);

/// Where the records of a tile lie: kGroupsAtOnce groups after the other, in each such block the
/// tiles, so that tile after tile is read as one stream.
template <typename F>
struct TilePlace {
  const char* packed;
  int64_t tokens;  ///< of the launch
  int64_t groups;  ///< of a row
  int64_t first;   ///< the tile's first token
  int64_t width;   ///< the tile's tokens

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
    scale = record + tile.width * kCodesBytes<F> + t * kScaleBytes;
    sums = record + tile.width * (kCodesBytes<F> + kScaleBytes) + t * kSumsBytes;
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

template <typename F>
inline constexpr float kLargestCode = F::kTerms == 1 ? 127.0f : 127.0f * (1 << kLowerBits);

/// What codes are multiplied by to give numbers back, and numbers to give codes.
struct CodeScale {
  float scale;
  float inverse;

  /// For numbers up to `most`. Where their scale would not be a normal number, whose inverse may be
  /// infinite, they count as zeros.
  CodeScale(float most, float largest_code)
      : scale(most / largest_code), inverse(largest_code / most) {
    if (scale < __FLT_MIN__) scale = inverse = 0;
  }
};

/// Runs of numbers that share a scale, the longest a row-scaled pair of groups.
inline constexpr float kZeros[kGroupsOfRowScaled * kGroupColumns] = {};

/// The numbers, or zeros where the scale is NaN, since one of them is infinite or NaN: the scale
/// makes the results NaN, codes can't.
inline const float* codable(const float* x, const CodeScale& scale) {
  return scale.scale == scale.scale ? x : kZeros;
}

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

/// What the inner loop adds beside the products: -zero * sum as integers (of each half where halves
/// have scales of their own), or the sum times the scale as a float where the weights have a
/// minimum.
template <typename F>
inline void store_sums(const int32_t (&sums)[2], float scale, char* to) {
  if constexpr (F::kAffine) {
    const float sum = static_cast<float>(sums[0] + sums[1]) * scale;
    __builtin_memcpy(to, &sum, sizeof sum);
    __builtin_memset(to + kSumBytes, 0, kSumBytes);
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
    quantise_group<F>(codable(x, scale), scale.inverse, place.codes, sums);
    __builtin_memcpy(place.scale, &scale.scale, sizeof(float));
    store_sums<F>(sums, scale.scale, place.sums);
  }
}

/// kS8Row: pairs of groups share a scale and a sum, which stand in the first one's record.
template <typename F>
inline void pack_row_scaled(const float* row, const TilePlace<F>& tile, int64_t t) {
  for (int64_t g = 0; g < tile.groups; g += kGroupsOfRowScaled) {
    const int64_t end = smaller(g + kGroupsOfRowScaled, tile.groups);
    const float* x = row + g * kGroupColumns;
    const CodeScale scale(largest_magnitude(x, (end - g) * kGroupColumns), kLargestCode<F>);
    const float* from = codable(x, scale);
    int32_t begin = 0;
    for (int64_t i = g; i < end; ++i) {
      int32_t sums[2];
      quantise_group<F>(from + (i - g) * kGroupColumns, scale.inverse,
                        RecordPlace<F>(tile, i, t).codes, sums);
      begin -= F::kZero * (sums[0] + sums[1]);
    }
    const RecordPlace<F> first(tile, g, t);
    __builtin_memcpy(first.scale, &scale.scale, sizeof(float));
    __builtin_memcpy(first.sums, &begin, sizeof begin);
  }
}

/// One token's row, normalised and padded with zeros to whole groups, to its place in the tile.
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
