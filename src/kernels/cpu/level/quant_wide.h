#pragma once

#include <type_traits>
#include <utility>

#include "kernels/cpu/level/quant_pack.h"

/// Many tokens and quantised weights on levels without byte products that add into 32 bits: a block
/// of groups of a panel is widened once into the form that the level multiplies fastest, and all
/// tiles of tokens then meet it in the first level of the cache. Sums of a group are the same exact
/// integers and meet the scales in the same order as in quant_tile.h, so the number of tokens
/// doesn't change a result's bits.
///
/// Codes become 16-bit numbers around zero, which pmaddwd multiplies with activations of one or two
/// terms alike; unsigned codes of less than 8 bits that meet activations of one term become bytes,
/// since pairs of their products fit 16 bits.
namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

#if defined(__AVX512VNNI__)
inline constexpr bool kWidensCodes = false;
#else
inline constexpr bool kWidensCodes = true;
#endif

/// Records of activations for codes of 16 bits.
template <typename F>
struct WideRecords : F {
  static constexpr bool kWords = true;
};

/// What a widened group of F holds, for all rows of the panel: scales (f32, of each half that has
/// its own) and, when affine, minima, then codes. w8 has codes alone.
template <typename F>
struct WideGroup {
  static constexpr bool kBytes = kHasByteProducts && F::kTerms == 1 && !F::kSigned;
  using Records = std::conditional_t<kBytes, F, WideRecords<F>>;
  /// Groups whose exact sums meet one scale.
  static constexpr int64_t kGroupsOfScale = F::kRowScaled ? kGroupsOfRowScaled : 1;
  static constexpr int kScaleVectors = F::kRowScaled ? 0 : F::kHalves + (F::kAffine ? 1 : 0);
  /// Columns that a lane of codes holds, so many a step.
  static constexpr int kColumns = kBytes ? 4 : 2;
  static constexpr int kSteps = static_cast<int>(kGroupColumns) / kColumns;
  static constexpr int64_t kHeaderBytes = kScaleVectors * kPanelLanes * kScaleBytes;
  static constexpr int64_t kGroupBytes = kHeaderBytes + kSteps * kQuadBytes;
};

template <typename F>
LEGATO_SIMD void widen_scales(const char* super, const char* group, char* to) {
  for (int v = 0; v < kVectorsPerPanel; ++v) {
    const GroupScales<F> own(super, group, v);
    float* at = reinterpret_cast<float*>(to) + v * kLanes;
    for (int half = 0; half < F::kHalves; ++half) vstore(at + half * kPanelLanes, own.scale[half]);
    if constexpr (F::kAffine) vstore(at + F::kHalves * kPanelLanes, own.minimum);
  }
}

template <typename F>
LEGATO_SIMD void widen_codes(const char* codes, char* to) {
  for (int quad = 0; quad < 8; ++quad) {
    for (int v = 0; v < kVectorsPerPanel; ++v) {
      const IVec four = F::codes(codes, quad, v);
      if constexpr (WideGroup<F>::kBytes) {
        ivstore(to + quad * kQuadBytes + v * 4 * kLanes, four);
      } else {
        char* at = to + 2 * quad * kQuadBytes + v * 4 * kLanes;
        const IVec zero = ivset(F::kZero * 0x10001);  // in both words
        ivstore(at, ivsub_words(ivlow_words(four), zero));
        ivstore(at + kQuadBytes, ivsub_words(ivhigh_words(four), zero));
      }
    }
  }
}

/// Widens `count` groups from `group` on, the first of them a super-block's where there are such.
template <typename F>
void widen_groups(const char* group, int64_t count, char* to) {
  const char* super = group;
  for (int64_t g = 0; g < count; ++g) {
    if constexpr (F::kSuper) {
      if (g % kGroupsOfSuper == 0) {
        super = group;
        group += F::kSuperHeader;
      }
    }
    if constexpr (WideGroup<F>::kScaleVectors > 0) widen_scales<F>(super, group, to);
    widen_codes<F>(group + F::kGroupHeader, to + WideGroup<F>::kHeaderBytes);
    group += F::kGroupBytes;
    to += WideGroup<F>::kGroupBytes;
  }
}

struct WideTileArgs {
  const char* groups;  ///< widened
  int64_t count;
  const char* x;  ///< the records of the first group
  float* c;       ///< row t, lane i at t * c_stride + i
  int64_t c_stride;
  bool accumulate;    ///< go on from what c holds instead of from zero
  const char* ahead;  ///< memory to ask for meanwhile
  int64_t ahead_bytes;
};

template <int... I, typename Body>
[[gnu::always_inline]] inline void unroll(std::integer_sequence<int, I...>, const Body& body) {
  (body(I), ...);
}
/// body(0) ... body(N - 1), unrolled before the compiler decides what may live in registers.
template <int N, typename Body>
[[gnu::always_inline]] inline void unroll(const Body& body) {
  unroll(std::make_integer_sequence<int, N>(), body);
}
/// Of lambdas, which take no [[gnu::always_inline]] there.
#define LEGATO_INLINE __attribute__((always_inline))

/// Adds the products of a half of a group: V vectors of codes with T tokens.
template <typename F, int T, int V>
[[gnu::always_inline]] inline void add_wide(const char* codes, const char* x, IVec (&dots)[V][T]) {
  using Wide = WideGroup<F>;
#pragma GCC unroll 4
  for (int i = 0; i < Wide::kSteps / F::kHalves; ++i) {
    IVec w[V];
    unroll<V>([&](int v) LEGATO_INLINE { w[v] = ivload(codes + i * kQuadBytes + v * 4 * kLanes); });
    unroll<T>([&](int t) LEGATO_INLINE {
      const IVec columns = broadcast_quad(x + t * kCodesBytes<typename Wide::Records> + i * 4);
      unroll<V>([&](int v) LEGATO_INLINE {
        IVec& sum = dots[v][t];
        sum = Wide::kBytes ? quant_dot<F>(sum, w[v], columns) : dot_words(sum, w[v], columns);
        pin(sum);
      });
    });
  }
}

/// Adds a group's exact sums, of one half of it where there are two, to row t of c.
template <typename F, int T, int V>
[[gnu::always_inline]] inline void add_scaled(const IVec (&dots)[V][T], const float* own,
                                              const char* scales, int half, float* c,
                                              int64_t c_stride) {
  using Wide = WideGroup<F>;
  unroll<T>([&](int t) LEGATO_INLINE {
    const Vec x_scale = vset(float_at(scales + t * kScaleBytes));
    const char* sums = scales + T * kScaleBytes + t * kSumsBytes;
    unroll<V>([&](int v) LEGATO_INLINE {
      IVec dot = dots[v][t];
      if constexpr (Wide::kBytes) {
        if constexpr (kNarrowSums<F>) dot = widened_sums(dot);
        if constexpr (!F::kAffine) dot = ivadd(dot, ivset(int_at(sums + half * kSumBytes)));
      }
      float* at = c + t * c_stride + v * kLanes;
      const Vec scale =
          F::kRowScaled ? x_scale : vmul(vload(own + half * kPanelLanes + v * kLanes), x_scale);
      Vec sum = vfma(iv_to_float(dot), scale, vload(at));
      if constexpr (F::kAffine)
        sum = vfma(vload(own + F::kHalves * kPanelLanes + v * kLanes), vset(float_at(sums)), sum);
      vstore(at, sum);
    });
  });
}

/// T tokens times the V vectors of the panel from `first` on. Float sums stay in c between scales:
/// the registers are the integers'.
template <typename F, int T, int V>
[[gnu::always_inline]] inline void wide_vectors(const WideTileArgs& args, int first) {
  using Wide = WideGroup<F>;
  using Records = typename Wide::Records;
  float* c = args.c + first * kLanes;
  if (!args.accumulate)
    for (int t = 0; t < T; ++t)
      for (int v = 0; v < V; ++v) vstore(c + t * args.c_stride + v * kLanes, vzero());
  const char* group = args.groups;
  const char* x = args.x;
  for (int64_t g = 0; g < args.count; g += Wide::kGroupsOfScale) {
    const char* scales = x + T * kCodesBytes<Records>;
    const auto* own = reinterpret_cast<const float*>(group) + first * kLanes;
    unroll<F::kHalves>([&](int half) LEGATO_INLINE {
      constexpr int kSteps = Wide::kSteps / F::kHalves;
      IVec dots[V][T];
      unroll<T>([&](int t) LEGATO_INLINE {
        unroll<V>([&](int v) LEGATO_INLINE { dots[v][t] = ivset(0); });
      });
      const char* codes =
          group + Wide::kHeaderBytes + half * kSteps * kQuadBytes + first * 4 * kLanes;
      const char* x_half = x + half * kSteps * 4;
      add_wide<F, T, V>(codes, x_half, dots);
      if constexpr (Wide::kGroupsOfScale == 2) {
        if (g + 1 < args.count)
          add_wide<F, T, V>(codes + Wide::kGroupBytes, x_half + T * kRecordBytes<Records>, dots);
      }
      add_scaled<F, T, V>(dots, own, scales, half, c, args.c_stride);
    });
    group += Wide::kGroupsOfScale * Wide::kGroupBytes;
    x += Wide::kGroupsOfScale * T * kRecordBytes<Records>;
  }
}

template <typename F, int T>
void wide_tile(const WideTileArgs& args) {
  constexpr int kVectors = 2;
  for (int64_t i = 0; i < args.ahead_bytes; i += 64) __builtin_prefetch(args.ahead + i, 0, 2);
  for (int v = 0; v < kVectorsPerPanel; v += kVectors) wide_vectors<F, T, kVectors>(args, v);
}

}  // namespace
}  // namespace legato::kernels::cpu::LEGATO_CPU_LEVEL
