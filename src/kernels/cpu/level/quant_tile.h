#pragma once

#include "kernels/cpu/level/linear.h"
#include "kernels/cpu/level/norm.h"
#include "kernels/cpu/simd/int_dot.h"

/// The inner loop of matrix products with quantised weights: T quantised rows of activations times
/// a panel of 32 rows of weights. A group's codes meet in exact integer sums; then one multiply-add
/// a scale in the order of the groups. So a result's bits don't depend on T, on how many vectors of
/// a panel run at once or on where the sum is interrupted.
namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

inline constexpr int64_t kGroupColumns = 32;
inline constexpr int64_t kGroupsOfSuper = 8;
/// A token's record of a group of activations: codes (the upper halves before the lower ones where
/// they have two terms), scale (f32), two sums (of 32 bits; see store_sums()). Records of a tile's
/// tokens stand side by side, part by part.
template <typename F>
inline constexpr int64_t kCodesBytes = (F::kWords ? 2 : F::kTerms) * kGroupColumns;
inline constexpr int kScaleBytes = 4;
inline constexpr int kSumBytes = 4;
inline constexpr int kSumsBytes = 2 * kSumBytes;
template <typename F>
inline constexpr int64_t kRecordBytes = kCodesBytes<F> + kScaleBytes + kSumsBytes;
/// A code of two terms is upper * 128 + lower.
inline constexpr int kLowerBits = 7;
inline constexpr int kQuadBytes = 4 * static_cast<int>(kPanelLanes);
#if defined(__AVX512F__)
inline constexpr int kRegisters = 32;
#else
inline constexpr int kRegisters = 16;
#endif

/// What a form's groups look like; see tensor/quant_panel.h.
template <int Bits, int Zero, bool Affine, bool Super, int Terms>
struct QuantFormTraits {
  static constexpr int kBits = Bits;
  static constexpr int kZero = Zero;
  static constexpr bool kAffine = Affine;
  static constexpr bool kSuper = Super;
  static constexpr int kTerms = Terms;
  static constexpr bool kWords = false;  ///< an activation's code is one 16-bit number
  static constexpr bool kRowScaled = false;
  static constexpr bool kSigned = Zero == 128;
  /// Parts of a group with a scale of their own.
  static constexpr int kHalves = Super && !Affine ? 2 : 1;
  static constexpr int kPanelHeader = 0;
  static constexpr int kSuperHeader = Super ? static_cast<int>(kPanelLanes) * (Affine ? 4 : 2) : 0;
  static constexpr int kGroupHeader = static_cast<int>(kPanelLanes) * (Super ? 2 : Affine ? 4 : 2);
  static constexpr int kGroupBytes = kGroupHeader + static_cast<int>(kPanelLanes) * 4 * Bits;

  /// The codes of quad `quad` of vector `v`; `codes` is where the group's begin.
  LEGATO_SIMD static IVec codes(const char* codes, int quad, int v) {
    const int lane = v * 4 * kLanes;
    if constexpr (Bits == 8) return ivload(codes + quad * kQuadBytes + lane);
    const IVec both = ivload(codes + quad % 4 * kQuadBytes + lane);
    const IVec low = ivand(quad < 4 ? both : ivshift_right(both, 4), ivset(0x0f0f0f0f));
    if constexpr (Bits == 4) return low;
    const IVec upper = ivload(codes + (4 + quad % 2) * kQuadBytes + lane);
    const int place = 4 - quad / 2 * 2;
    const IVec two = place >= 0 ? ivshift_left(upper, place) : ivshift_right(upper, -place);
    return ivor(low, ivand(two, ivset(0x30303030)));
  }
};

/// w8: groups of codes alone; the scales are the panel's.
struct RowScaledTraits {
  static constexpr int kBits = 8;
  static constexpr int kZero = 128;
  static constexpr bool kAffine = false;
  static constexpr bool kSuper = false;
  static constexpr int kTerms = 1;
  static constexpr bool kWords = false;
  static constexpr bool kRowScaled = true;
  static constexpr bool kSigned = true;
  static constexpr int kHalves = 1;
  static constexpr int kPanelHeader = static_cast<int>(kPanelLanes) * kScaleBytes;
  static constexpr int kSuperHeader = 0;
  static constexpr int kGroupHeader = 0;
  static constexpr int kGroupBytes = static_cast<int>(kPanelLanes * kGroupColumns);

  LEGATO_SIMD static IVec codes(const char* codes, int quad, int v) {
    return ivload(codes + quad * kQuadBytes + v * 4 * kLanes);
  }
};

struct QuantTileArgs {
  const char* groups;  ///< the first group (for super formats its super-block)
  int64_t count;       ///< groups
  const char* x;       ///< the records of the first group
  float* c;            ///< row t, lane i at t * c_stride + i
  int64_t c_stride;
  bool accumulate;  ///< go on from what c holds instead of from zero
  /// Memory to ask for meanwhile, in bytes ahead of what is read; 0: nothing.
  int64_t ahead;
};

/// Sums of 4-bit codes of a group fit the level's narrow accumulators.
template <typename F>
inline constexpr bool kNarrowSums = F::kBits == 4 && kHasNarrowSums;

template <typename F>
LEGATO_SIMD IVec quant_dot(IVec sum, IVec codes, IVec x) {
  if constexpr (F::kSigned) {
    return dot_signed(sum, codes, x);
  } else if constexpr (kNarrowSums<F>) {
    return dot_narrow(sum, codes, x);
  } else {
    return dot_small(sum, codes, x);
  }
}

/// Four activations in every lane.
LEGATO_SIMD IVec broadcast_quad(const char* x) {
  int32_t quad;
  __builtin_memcpy(&quad, x, sizeof quad);
  return ivset(quad);
}

LEGATO_SIMD float float_at(const char* p) {
  float value;
  __builtin_memcpy(&value, p, sizeof value);
  return value;
}
LEGATO_SIMD int32_t int_at(const char* p) {
  int32_t value;
  __builtin_memcpy(&value, p, sizeof value);
  return value;
}

/// Scales of vector `v` of a group: of a half where there are two, and the minima.
template <typename F>
struct GroupScales {
  Vec scale[F::kHalves];
  Vec minimum;

  LEGATO_SIMD static Vec halves(const char* p, int v) {
    return vload_f16(reinterpret_cast<const uint16_t*>(p) + v * kLanes);
  }
  LEGATO_SIMD GroupScales(const char* super, const char* group, int v) {
    if constexpr (!F::kSuper) {
      scale[0] = halves(group, v);
      if constexpr (F::kAffine) minimum = halves(group + 2 * kPanelLanes, v);
    } else {
      const auto* sub = reinterpret_cast<const uint8_t*>(group) + v * kLanes;
      const Vec d = halves(super, v);
      if constexpr (F::kAffine) {
        scale[0] = vmul(d, vload_u8(sub));
        minimum =
            vsub(vzero(), vmul(halves(super + 2 * kPanelLanes, v), vload_u8(sub + kPanelLanes)));
      } else {
        scale[0] = vmul(d, vload_s8(sub));
        scale[1] = vmul(d, vload_s8(sub + kPanelLanes));
      }
    }
  }
};

/// Where registers are short, or codes take many to unpack.
template <typename F, int T>
inline constexpr bool kPinsSums = T > 1 && (kRegisters == 16 || F::kBits == 6);

/// Adds the products of one half of a group with the codes at x to `dots`; with Terms 2 those with
/// the lower codes, which stand behind the upper ones, to `lower`.
template <typename F, int T, int V, int Terms>
[[gnu::always_inline]] inline void add_products(const char* codes, const char* x, int half,
                                                int first, IVec (&dots)[V][T],
                                                IVec (&lower)[V][T]) {
  constexpr int kQuads = 8 / F::kHalves;
  for (int i = 0; i < kQuads; ++i) {
    const int quad = half * kQuads + i;
    IVec w[V];
    for (int v = 0; v < V; ++v) w[v] = F::codes(codes, quad, first + v);
    for (int t = 0; t < T; ++t) {
      const char* at = x + t * kCodesBytes<F> + quad * 4;
      const IVec four = broadcast_quad(at);
      for (int v = 0; v < V; ++v) {
        dots[v][t] = quant_dot<F>(dots[v][t], w[v], four);
        if constexpr (kPinsSums<F, T>) pin(dots[v][t]);
      }
      if constexpr (Terms == 2) {
        const IVec four_lower = broadcast_quad(at + kGroupColumns);
        for (int v = 0; v < V; ++v) {
          lower[v][t] = quant_dot<F>(lower[v][t], w[v], four_lower);
          if constexpr (kPinsSums<F, T>) pin(lower[v][t]);
        }
      }
    }
  }
}

/// Both terms meet a code while it is in a register, unless their sums and the float sums take more
/// than three quarters of the registers.
template <int T, int V>
inline constexpr bool kTermsTogether = 3 * T* V + V + 2 <= kRegisters * 3 / 4;

/// Integer sums of one half of a group.
template <typename F, int T, int V>
[[gnu::always_inline]] inline void dot_half(const char* codes, const char* x, int half, int first,
                                            IVec (&dots)[V][T]) {
  constexpr bool kNeedsSum = !F::kAffine && (!F::kSigned || kSignedNeedsSum);
  constexpr bool kDirect = F::kTerms == 1 && !kNarrowSums<F>;
  constexpr bool kTogether = F::kTerms == 2 && kTermsTogether<T, V>;
  const char* sums = x + T * (kCodesBytes<F> + kScaleBytes);
  const auto begin = [&](int t) {
    return ivset(kNeedsSum ? int_at(sums + t * kSumsBytes + half * kSumBytes) : 0);
  };
  const auto widened = [](IVec sum) { return kNarrowSums<F> ? widened_sums(sum) : sum; };
  IVec lower[V][T];
  for (int t = 0; t < T; ++t) {
    for (int v = 0; v < V; ++v) {
      dots[v][t] = kDirect ? begin(t) : ivset(0);
      lower[v][t] = ivset(0);
    }
  }
  add_products<F, T, V, kTogether ? 2 : 1>(codes, x, half, first, dots, lower);
  if constexpr (kDirect) return;
  for (int t = 0; t < T; ++t) {
    for (int v = 0; v < V; ++v) {
      const IVec upper = widened(dots[v][t]);
      dots[v][t] = ivadd(F::kTerms == 2 ? ivshift_left(upper, kLowerBits) : upper, begin(t));
    }
  }
  if constexpr (F::kTerms == 1) return;
  if constexpr (!kTogether)
    add_products<F, T, V, 1>(codes, x + kGroupColumns, half, first, lower, dots);
  for (int t = 0; t < T; ++t)
    for (int v = 0; v < V; ++v) dots[v][t] = ivadd(dots[v][t], widened(lower[v][t]));
}

/// Asks for the lines of a group `ahead` bytes on that are this pass's: passes of V vectors share a
/// panel.
template <int V>
LEGATO_SIMD void prefetch_group(const char* group, int64_t ahead, int bytes, int first) {
  constexpr int kPasses = kVectorsPerPanel / V;
  for (int line = first / V * 64; line < bytes; line += 64 * kPasses)
    __builtin_prefetch(group + ahead + line, 0, 2);
}

/// V vectors of the panel, of which D at a time hold integer sums in registers.
template <typename F, int T, int V, int D>
[[gnu::always_inline]] inline void quant_vectors(const QuantTileArgs& args, int first) {
  Vec sums[V][T];
  float* c = args.c + first * kLanes;
  for (int v = 0; v < V; ++v)
    for (int t = 0; t < T; ++t)
      sums[v][t] = args.accumulate ? vload(c + t * args.c_stride + v * kLanes) : vzero();
  const char* group = args.groups;
  const char* super = group;
  const char* x = args.x;
  for (int64_t g = 0; g < args.count; ++g, group += F::kGroupBytes, x += T * kRecordBytes<F>) {
    if constexpr (F::kSuper) {
      if (g % kGroupsOfSuper == 0) {
        super = group;
        group += F::kSuperHeader;
      }
    }
    if (args.ahead != 0) prefetch_group<V>(group, args.ahead, F::kGroupBytes, first);
    const char* codes = group + F::kGroupHeader;
    const char* scales = x + T * kCodesBytes<F>;
    const char* sums_of_x = scales + T * kScaleBytes;
#pragma GCC unroll 2
    for (int half = 0; half < F::kHalves; ++half) {
#pragma GCC unroll 8
      for (int part = 0; part < V; part += D) {
        IVec dots[D][T];
        dot_half<F, T, D>(codes, x, half, first + part, dots);
        for (int d = 0; d < D; ++d) {
          const GroupScales<F> own(super, group, first + part + d);
          for (int t = 0; t < T; ++t) {
            Vec& sum = sums[part + d][t];
            const Vec scale = vmul(own.scale[half], vset(float_at(scales + t * kScaleBytes)));
            sum = vfma(iv_to_float(dots[d][t]), scale, sum);
            if constexpr (F::kAffine)
              sum = vfma(own.minimum, vset(float_at(sums_of_x + t * kSumsBytes)), sum);
          }
        }
      }
    }
  }
  for (int v = 0; v < V; ++v)
    for (int t = 0; t < T; ++t) vstore(c + t * args.c_stride + v * kLanes, sums[v][t]);
}

/// Groups of activations that share a scale where the weights' scales are the rows'.
inline constexpr int kGroupsOfRowScaled = 2;

/// w8: an exact sum a pair of groups times the activations' scale; the rows' scales come at the
/// end.
template <int T, int V>
[[gnu::always_inline]] inline void row_scaled_vectors(const QuantTileArgs& args, int first) {
  // So many sums as registers hold beside the integers; others stay in c.
  constexpr bool kInRegisters = 2 * T * V + 4 <= kRegisters;
  float* c = args.c + first * kLanes;
  Vec sums[V][T];
  for (int v = 0; v < V; ++v) {
    for (int t = 0; t < T; ++t) {
      float* at = c + t * args.c_stride + v * kLanes;
      sums[v][t] = args.accumulate && kInRegisters ? vload(at) : vzero();
      if (!args.accumulate && !kInRegisters) vstore(at, vzero());
    }
  }
  const char* group = args.groups;
  const char* x = args.x;
  for (int64_t g = 0; g < args.count; g += kGroupsOfRowScaled) {
    const char* scales = x + T * kCodesBytes<RowScaledTraits>;
    const char* sums_of_x = scales + T * kScaleBytes;
    IVec dots[V][T];
    for (int t = 0; t < T; ++t) {
      const IVec begin = ivset(kSignedNeedsSum ? int_at(sums_of_x + t * kSumsBytes) : 0);
      for (int v = 0; v < V; ++v) dots[v][t] = begin;
    }
    for (int64_t i = g; i < g + kGroupsOfRowScaled && i < args.count;
         ++i, group += RowScaledTraits::kGroupBytes, x += T * kRecordBytes<RowScaledTraits>) {
      if (args.ahead != 0)
        prefetch_group<V>(group, args.ahead, RowScaledTraits::kGroupBytes, first);
      for (int quad = 0; quad < 8; ++quad) {
        IVec w[V];
        for (int v = 0; v < V; ++v) w[v] = RowScaledTraits::codes(group, quad, first + v);
        for (int t = 0; t < T; ++t) {
          const IVec four = broadcast_quad(x + t * kGroupColumns + quad * 4);
          for (int v = 0; v < V; ++v) {
            dots[v][t] = dot_signed(dots[v][t], w[v], four);
            if constexpr (T > 1) pin(dots[v][t]);
          }
        }
      }
    }
    for (int t = 0; t < T; ++t) {
      const Vec scale = vset(float_at(scales + t * kScaleBytes));
      for (int v = 0; v < V; ++v) {
        float* at = c + t * args.c_stride + v * kLanes;
        const Vec before = kInRegisters ? sums[v][t] : vload(at);
        sums[v][t] = vfma(iv_to_float(dots[v][t]), scale, before);
        if (!kInRegisters) vstore(at, sums[v][t]);
      }
    }
  }
  if (!kInRegisters) return;
  for (int v = 0; v < V; ++v)
    for (int t = 0; t < T; ++t) vstore(c + t * args.c_stride + v * kLanes, sums[v][t]);
}

/// Vectors of a panel that one pass takes, and those whose integer sums are in registers at a time.
struct Passes {
  int vectors;
  int at_once;
};

// Tiles have no more tokens than the level's registers hold sums of, beside codes and one token's
// quad: an integer and a float sum a token and vector, for w8 the integer alone (see kInRegisters).

#if defined(__AVX512VNNI__)
inline constexpr int kQuantTileRows = 6;
inline constexpr int kRowScaledTileRows = 12;
constexpr Passes passes_of(int /*rows*/) { return {2, 2}; }
#elif defined(__AVX2__)
inline constexpr int kQuantTileRows = 4;
inline constexpr int kRowScaledTileRows = 4;
constexpr Passes passes_of(int rows) {
  return rows == 1 ? Passes{4, 2} : rows == 2 ? Passes{2, 2} : Passes{1, 1};
}
#else
inline constexpr int kQuantTileRows = 2;
inline constexpr int kRowScaledTileRows = 2;
constexpr Passes passes_of(int rows) { return rows == 1 ? Passes{8, 1} : Passes{2, 1}; }
#endif

/// T tokens times the groups of a whole panel.
template <typename F, int T>
void quant_tile(const QuantTileArgs& args) {
  constexpr Passes kPasses = passes_of(T);
  for (int v = 0; v < kVectorsPerPanel; v += kPasses.vectors) {
    if constexpr (F::kRowScaled) {
      row_scaled_vectors<T, kPasses.vectors>(args, v);
    } else {
      quant_vectors<F, T, kPasses.vectors, kPasses.at_once>(args, v);
    }
  }
}

}  // namespace
}  // namespace legato::kernels::cpu::LEGATO_CPU_LEVEL
