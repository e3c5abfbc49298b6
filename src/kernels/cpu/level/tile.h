#pragma once

#include "kernels/cpu/level/types.h"
#include "kernels/cpu/simd/simd.h"

/// The one inner loop of matrix products: T rows of activations times panels of 32 lanes. Linear
/// (lanes are output features), scores (lanes are positions) and the weighted sum of values (lanes
/// are head columns) all run it. Every result is one accumulator that starts at zero and takes its
/// products in the order of k, so its bits don't depend on T, on the number of panels at once or
/// on where the sum is interrupted.
namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

struct F32 {
  using Type = float;
  LEGATO_SIMD static Vec load(const Type* p) { return vload(p); }
  LEGATO_SIMD static void store(Type* p, Vec v) { vstore(p, v); }
};
struct F16 {
  using Type = uint16_t;
  LEGATO_SIMD static Vec load(const Type* p) { return vload_f16(p); }
  LEGATO_SIMD static void store(Type* p, Vec v) { vstore_f16(p, v); }
};
struct BF16 {
  using Type = uint16_t;
  LEGATO_SIMD static Vec load(const Type* p) { return vload_bf16(p); }
  LEGATO_SIMD static void store(Type* p, Vec v) { vstore_bf16(p, v); }
};

#if defined(__AVX512F__)
inline constexpr int kTileRows = 12;
/// Up to so many rows weights are widened in registers for each tile, beyond it once into scratch.
inline constexpr int kDirectRows = 48;
constexpr int panels_at_once(int rows) { return rows <= 3 ? 4 : rows <= 6 ? 2 : 1; }
constexpr int vectors_at_once(int) { return 2; }
#elif defined(__AVX2__)
inline constexpr int kTileRows = 6;
inline constexpr int kDirectRows = 24;
constexpr int panels_at_once(int rows) { return rows <= 1 ? 2 : 1; }
constexpr int vectors_at_once(int rows) { return rows <= 3 ? 4 : 2; }
#else
inline constexpr int kTileRows = 6;
inline constexpr int kDirectRows = 6;
constexpr int panels_at_once(int) { return 1; }
constexpr int vectors_at_once(int rows) { return rows <= 1 ? 8 : rows <= 3 ? 4 : 2; }
#endif

inline constexpr int kMaxPanelsAtOnce = 4;

/// How far ahead the inner loop prefetches where it isn't told what comes next: slow streams (many
/// rows to a panel) don't keep the hardware prefetcher far enough ahead.
inline constexpr int64_t kPrefetchBytes = 2048;

/// One call of the inner loop.
struct TileArgs {
  const void* const* panels;  ///< [segments][P]: where k = 0 of each panel lies
  int64_t segments;           ///< stretches of k that follow each other
  int64_t segment_k;
  int64_t stride;  ///< elements from one k to the next
  const float* a;  ///< row t, column k at t * kBlockK + k (k runs over all segments)
  float* c;        ///< row t, panel p, lane i at t * c_stride + 32 p + i
  int64_t c_stride;
  /// What to prefetch meanwhile, ahead_step bytes a k from each of these [segments][P] places;
  /// null: the panels themselves, further on.
  const void* const* ahead;
  int64_t ahead_step;
  bool accumulate;  ///< go on from what c holds instead of from zero
};

template <typename E, int T, int P, int V>
[[gnu::always_inline]] inline void tile_lanes(const TileArgs& args, int64_t first_lane) {
  Vec acc[P][V][T];
  float* c = args.c + first_lane;
  for (int p = 0; p < P; ++p)
    for (int v = 0; v < V; ++v)
      for (int t = 0; t < T; ++t)
        acc[p][v][t] =
            args.accumulate ? vload(c + t * args.c_stride + p * kPanelLanes + v * kLanes) : vzero();
  const float* a = args.a;
  const void* const* panels = args.panels;
  const void* const* ahead = args.ahead;
  constexpr int64_t kRowBytes = kPanelLanes * sizeof(typename E::Type);
  const int64_t ahead_step = ahead != nullptr ? args.ahead_step : kRowBytes;
  for (int64_t segment = 0; segment < args.segments; ++segment) {
    const typename E::Type* w[P];
    const char* next[P];
    for (int p = 0; p < P; ++p) {
      w[p] = static_cast<const typename E::Type*>(panels[p]) + first_lane;
      next[p] = ahead != nullptr ? static_cast<const char*>(ahead[p])
                                 : static_cast<const char*>(panels[p]) + kPrefetchBytes;
    }
    for (int64_t k = 0; k < args.segment_k; ++k) {
      // Into the second level: requests of the first are too few to cover the latency of memory.
      for (int p = 0; p < P; ++p) {
        for (int64_t line = 0; line < kRowBytes; line += 64)
          __builtin_prefetch(next[p] + line, 0, 2);
        next[p] += ahead_step;
      }
      // Whichever side has fewer vectors stays in registers. Three rows of four panels: sums take
      // so many that rows are better broadcast one at a time.
      if constexpr (T > P * V || (T == 3 && P == 4)) {
        Vec weight[P][V];
        for (int p = 0; p < P; ++p)
          for (int v = 0; v < V; ++v) weight[p][v] = E::load(w[p] + v * kLanes);
        for (int t = 0; t < T; ++t) {
          const Vec x = vset(a[t * kBlockK]);
          for (int p = 0; p < P; ++p)
            for (int v = 0; v < V; ++v) acc[p][v][t] = vfma(weight[p][v], x, acc[p][v][t]);
        }
      } else {
        Vec x[T];
        for (int t = 0; t < T; ++t) x[t] = vset(a[t * kBlockK]);
        for (int p = 0; p < P; ++p) {
          for (int v = 0; v < V; ++v) {
            const Vec weight = E::load(w[p] + v * kLanes);
            for (int t = 0; t < T; ++t) acc[p][v][t] = vfma(weight, x[t], acc[p][v][t]);
          }
        }
      }
      for (int p = 0; p < P; ++p) w[p] += args.stride;
      ++a;
    }
    panels += P;
    if (ahead != nullptr) ahead += P;
  }
  for (int p = 0; p < P; ++p)
    for (int v = 0; v < V; ++v)
      for (int t = 0; t < T; ++t)
        vstore(c + t * args.c_stride + p * kPanelLanes + v * kLanes, acc[p][v][t]);
}

template <typename E, int T, int P>
void tile(const TileArgs& args) {
  constexpr int kVectors = vectors_at_once(T);
  for (int64_t lane = 0; lane < kPanelLanes; lane += kVectors * kLanes)
    tile_lanes<E, T, P, kVectors>(args, lane);
}

using TileFn = void (*)(const TileArgs&);

/// The loops for one number of rows: as many panels at once as registers allow, two, and one.
struct TileEntry {
  TileFn wide;
  int wide_panels;
  TileFn pair;  ///< is wide where that takes less than two
  TileFn single;

  static constexpr int pair_panels_of(int wide) { return wide < 2 ? wide : 2; }
  int pair_panels() const { return pair_panels_of(wide_panels); }
  /// How many of `left` panels, at least one, the widest loop takes.
  int panels_of(int64_t left) const {
    return left >= wide_panels ? wide_panels : left >= pair_panels() ? pair_panels() : 1;
  }
  TileFn loop(int panels) const {
    return panels == wide_panels ? wide : panels == pair_panels() ? pair : single;
  }
};

template <typename E>
struct TileTable {
  template <int T>
  static constexpr TileEntry entry() {
    constexpr int kWide = panels_at_once(T);
    constexpr int kPair = TileEntry::pair_panels_of(kWide);
    return {tile<E, T, kWide>, kWide, tile<E, T, kPair>, tile<E, T, 1>};
  }
#if defined(__AVX512F__)
  static constexpr TileEntry kEntries[kTileRows] = {
      entry<1>(), entry<2>(), entry<3>(), entry<4>(),  entry<5>(),  entry<6>(),
      entry<7>(), entry<8>(), entry<9>(), entry<10>(), entry<11>(), entry<12>()};
#else
  static constexpr TileEntry kEntries[kTileRows] = {entry<1>(), entry<2>(), entry<3>(),
                                                    entry<4>(), entry<5>(), entry<6>()};
#endif
};

inline const TileEntry& tile_entry(Element element, int64_t rows) {
  if (element == Element::kF16) return TileTable<F16>::kEntries[rows - 1];
  if (element == Element::kBF16) return TileTable<BF16>::kEntries[rows - 1];
  return TileTable<F32>::kEntries[rows - 1];
}

inline int64_t element_bytes(Element element) { return element == Element::kF32 ? 4 : 2; }

}  // namespace
}  // namespace legato::kernels::cpu::LEGATO_CPU_LEVEL
