#include "quant/w4_row.h"

#include <algorithm>
#include <cstring>

#include "tensor/half.h"
#include "tensor/quant_format.h"

namespace legato::quant {
namespace {

constexpr int kLanes = 16;
/// Of a group: scale, minimum, two codes a byte (docs/weight-formats.md).
constexpr size_t kBlockBytes = 2 * sizeof(uint16_t) + kQuantGroup / 2;
constexpr float kLargestCode = 15;

/// One number of each of 16 groups, which are searched side by side. The compiler makes of it what
/// the instruction level has; sums run in the same order at every level, so the bits are the same.
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));
using Words = int32_t __attribute__((vector_size(kLanes * sizeof(int32_t))));

#define LEGATO_INLINE __attribute__((always_inline)) inline

/// To the nearest f16, ties to even; for |x| <= kLargestF16.
LEGATO_INLINE void round_to_half(Lanes& x) {
  const auto bits = reinterpret_cast<Words>(x);
  const Words rounded = (bits + 0xfff + ((bits >> 13) & 1)) & ~0x1fff;
  const auto normal = reinterpret_cast<Lanes>(rounded);
  // Below 2^-14 halves are multiples of 2^-24, which is the last place of numbers around 0.75.
  const Lanes small = (x + 0.75f) - 0.75f;
  const Words magnitude = bits & 0x7fffffff;
  x = magnitude < 0x38800000 ? small : normal;
}

/// 16 groups, transposed: numbers[i] holds number i of each.
struct Groups {
  Lanes numbers[kQuantGroup];
  Lanes sum, least, greatest;
};

struct Fit {
  Lanes scale, minimum;
};

LEGATO_INLINE void codes_of(const Lanes& x, const Lanes& minimum, const Lanes& inverse,
                            Lanes& codes) {
  Lanes raw = (x - minimum) * inverse + 0.5f;
  raw = raw > 0.0f ? raw : Lanes{};
  raw = raw < kLargestCode + 0.5f ? raw : Lanes{} + kLargestCode;
  codes = __builtin_convertvector(__builtin_convertvector(raw, Words), Lanes);
}

LEGATO_INLINE void invert(const Lanes& scale, Lanes& inverse) {
  inverse = scale > 1e-30f ? 1.0f / scale : Lanes{};
}

/// Least squares of (scale, minimum) for the codes that the fit gives now.
LEGATO_INLINE void refit(const Groups& groups, Fit& fit) {
  Lanes inverse, codes, sum{}, squares{}, products{};
  invert(fit.scale, inverse);
  for (const Lanes& x : groups.numbers) {
    codes_of(x, fit.minimum, inverse, codes);
    sum += codes;
    squares += codes * codes;
    // From the least number on, so that a large common offset costs no digits.
    products += codes * (x - groups.least);
  }
  constexpr auto kCount = static_cast<float>(kQuantGroup);
  const Lanes total = groups.sum - kCount * groups.least;
  const Lanes determinant = kCount * squares - sum * sum;
  const Lanes scale = (kCount * products - sum * total) / determinant;
  fit.scale = determinant > 0.0f ? scale : fit.scale;
  fit.minimum = groups.least + (total - fit.scale * sum) / kCount;
}

/// As the format holds it; returns the squared error then.
LEGATO_INLINE void judge(const Groups& groups, Fit& fit, Lanes& error) {
  fit.minimum = fit.minimum > -kLargestF16 ? fit.minimum : Lanes{} - kLargestF16;
  fit.minimum = fit.minimum < kLargestF16 ? fit.minimum : Lanes{} + kLargestF16;
  round_to_half(fit.scale);
  round_to_half(fit.minimum);
  Lanes inverse, codes;
  invert(fit.scale, inverse);
  error = Lanes{};
  for (const Lanes& x : groups.numbers) {
    codes_of(x, fit.minimum, inverse, codes);
    const Lanes off = x - (fit.scale * codes + fit.minimum);
    error += off * off;
  }
}

/// Shares of the range by which its lower and upper end are drawn in at the start.
constexpr float kShrinks[] = {0.0f, 0.04f, 0.08f, 0.13f};
constexpr int kRefits = 3;

LEGATO_INLINE void search(const Groups& groups, Fit& best) {
  const Lanes range = groups.greatest - groups.least;
  Lanes least_error, error;
  best = {range / kLargestCode, groups.least};
  judge(groups, best, least_error);
  for (const float low : kShrinks) {
    for (const float high : kShrinks) {
      Fit fit = {range * ((1 - low - high) / kLargestCode), groups.least + range * low};
      for (int i = 0; i < kRefits; ++i) refit(groups, fit);
      judge(groups, fit, error);
      best.scale = error < least_error ? fit.scale : best.scale;
      best.minimum = error < least_error ? fit.minimum : best.minimum;
      least_error = error < least_error ? error : least_error;
    }
  }
}

/// Up to 16 groups; missing lanes repeat the last.
LEGATO_INLINE void quantise_groups(const float* row, int64_t count, std::byte* out) {
  Groups groups;
  for (int lane = 0; lane < kLanes; ++lane) {
    const float* from = row + std::min<int64_t>(lane, count - 1) * kQuantGroup;
    for (int64_t i = 0; i < kQuantGroup; ++i) groups.numbers[i][lane] = from[i];
  }
  groups.least = groups.greatest = groups.numbers[0];
  groups.sum = Lanes{};
  for (const Lanes& x : groups.numbers) {
    groups.least = x < groups.least ? x : groups.least;
    groups.greatest = x > groups.greatest ? x : groups.greatest;
    groups.sum += x;
  }
  Fit best;
  search(groups, best);
  Lanes inverse, codes;
  invert(best.scale, inverse);
  uint8_t unpacked[kLanes][kQuantGroup];
  for (int64_t i = 0; i < kQuantGroup; ++i) {
    codes_of(groups.numbers[i], best.minimum, inverse, codes);
    for (int lane = 0; lane < kLanes; ++lane) unpacked[lane][i] = static_cast<uint8_t>(codes[lane]);
  }
  for (int64_t lane = 0; lane < count; ++lane, out += kBlockBytes) {
    const uint16_t halves[2] = {f32_to_f16(best.scale[lane]), f32_to_f16(best.minimum[lane])};
    std::memcpy(out, halves, sizeof halves);
    for (size_t i = 0; i < kQuantGroup / 2; ++i)
      out[sizeof halves + i] =
          static_cast<std::byte>(unpacked[lane][i] | unpacked[lane][i + kQuantGroup / 2] << 4);
  }
}

/// A whole row by one of the functions below.
template <void (*kQuantise)(const float* row, int64_t count, std::byte* out)>
void quantise_row(const float* row, int64_t columns, std::byte* out) {
  const int64_t groups = columns / kQuantGroup;
  for (int64_t first = 0; first < groups; first += kLanes)
    kQuantise(row + first * kQuantGroup, std::min<int64_t>(kLanes, groups - first),
              out + static_cast<size_t>(first) * kBlockBytes);
}

void quantise_plainly(const float* row, int64_t count, std::byte* out) {
  quantise_groups(row, count, out);
}
#ifdef __x86_64__
__attribute__((target("avx2"))) void quantise_by_avx2(const float* row, int64_t count,
                                                      std::byte* out) {
  quantise_groups(row, count, out);
}
__attribute__((target("avx512f"))) void quantise_by_avx512(const float* row, int64_t count,
                                                           std::byte* out) {
  quantise_groups(row, count, out);
}
#endif

}  // namespace

std::vector<QuantiseW4Row> w4_row_levels() {
  std::vector<QuantiseW4Row> levels = {quantise_row<quantise_plainly>};
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) levels.push_back(quantise_row<quantise_by_avx2>);
  if (__builtin_cpu_supports("avx512f")) levels.push_back(quantise_row<quantise_by_avx512>);
#endif
  return levels;
}

void quantise_w4_row(const float* row, int64_t columns, std::byte* out) {
  static const QuantiseW4Row fastest = w4_row_levels().back();
  fastest(row, columns, out);
}

}  // namespace legato::quant
