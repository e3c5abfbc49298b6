#include <utility>

#include "kernels/cpu/level/epilogue.h"
#include "kernels/cpu/level/quant_wide.h"
#include "kernels/cpu/level/tables.h"

namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

constexpr int64_t kFewTokens = 24;
/// Codes are widened from more tokens on. Words pay early where activations have two terms, unless
/// the sums of 4-bit codes are cheap without.
template <typename F>
constexpr int64_t kFewTokensOf = kWidensCodes&& F::kTerms == 2 && F::kBits > 4 ? 8 : kFewTokens;

using QuantTileFn = void (*)(const QuantTileArgs&);
using WideTileFn = void (*)(const WideTileArgs&);

template <typename F>
inline constexpr int kTileRows = F::kRowScaled ? kRowScaledTileRows : kQuantTileRows;

/// A form's inner loops by their number of tokens, less one: on a panel's own codes, and on widened
/// ones.
template <typename F, typename = std::make_integer_sequence<int, kTileRows<F>>>
struct Tiles;
template <typename F, int... I>
struct Tiles<F, std::integer_sequence<int, I...>> {
  static constexpr QuantTileFn kOnPanel[sizeof...(I)] = {quant_tile<F, I + 1>...};
  static constexpr WideTileFn kOnWidened[sizeof...(I)] = {wide_tile<F, I + 1>...};
};

/// Where a group lies in its panel; of a super-block's first group, the super-block.
template <typename F>
int64_t group_offset(int64_t group) {
  return F::kPanelHeader + group * F::kGroupBytes + group / kGroupsOfSuper * F::kSuperHeader;
}

/// Multiplies the finished sums of a tile by the rows' scales, where rows have one.
template <typename F>
void scale_rows(const char* panel, int64_t width, float* c, int64_t stride) {
  if constexpr (!F::kRowScaled) return;
  for (int64_t t = 0; t < width; ++t) {
    for (int64_t i = 0; i < kPanelLanes; i += kLanes) {
      float* at = c + t * stride + i;
      vstore(at, vmul(vload(at), vload(reinterpret_cast<const float*>(panel) + i)));
    }
  }
}

template <typename F>
using WideRecordsOf = typename WideGroup<F>::Records;

template <typename F>
int64_t row_bytes(int64_t k) {
  return k / kGroupColumns * kRecordBytes<std::conditional_t<kWidensCodes, WideRecordsOf<F>, F>>;
}
int64_t pack_scratch_bytes(int64_t k) { return (k + kBlockK - 1) / kBlockK * kBlockK * 4; }

template <typename F, typename Records>
void pack_tile(const LinearWork& work, int64_t tile, char* packed, char* scratch) {
  const int64_t first = tile * kTileRows<F>;
  const int64_t width = smaller(kTileRows<F>, work.tokens - first);
  const TilePlace<Records> place{packed, work.tokens, work.k / kGroupColumns, first, width};
  float* row = reinterpret_cast<float*>(scratch);
  for (int64_t t = 0; t < width; ++t) {
    norm_row(work.x + (first + t) * work.x_stride, work.k, work.norm, row, kBlockK);
    pack_token<Records>(row, place, t);
  }
}

template <typename F>
void pack(const LinearWork& work, int64_t tile, char* packed, char* scratch) {
  if (kWidensCodes && work.tokens > kFewTokensOf<F>) {
    pack_tile<F, WideRecordsOf<F>>(work, tile, packed, scratch);
  } else {
    pack_tile<F, F>(work, tile, packed, scratch);
  }
}

/// Sums of one panel with tokens [first, first + tokens): row t at c + t * stride.
struct PanelSums {
  const LinearWork* work;
  const char* packed;
  int64_t first_token;
  int64_t tokens;

  /// What the tile at token t of a block asks memory for. One pass for few tokens is a stream that
  /// the hardware keeps ahead of. Where tokens take their time it falls behind: then the first tile
  /// looks into its own block, and the second into the next.
  template <typename F>
  int64_t bytes_ahead(int64_t t, int64_t groups) const {
    constexpr int64_t kSlowTokens = 4;
    constexpr int64_t kOwnBlock = 4096;
    if (tokens < kSlowTokens || t > kTileRows<F>) return 0;
    return t == 0 ? kOwnBlock : group_offset<F>(groups);
  }

  /// Groups [group, group + count) of all tokens.
  template <typename F>
  void add(const char* panel, int64_t group, int64_t count, float* c, int64_t stride) const {
    QuantTileArgs args{};
    args.groups = panel + group_offset<F>(group);
    args.count = count;
    args.c_stride = stride;
    args.accumulate = group > 0;
    const bool last = group + count == work->k / kGroupColumns;
    for (int64_t t = 0; t < tokens; t += kTileRows<F>) {
      const int64_t width = smaller(kTileRows<F>, work->tokens - first_token - t);
      const TilePlace<F> tile{packed, work->tokens, work->k / kGroupColumns, first_token + t,
                              width};
      args.x = tile.group(group);
      args.c = c + t * stride;
      args.ahead = bytes_ahead<F>(t, count);
      Tiles<F>::kOnPanel[width - 1](args);
      if (last) scale_rows<F>(panel, width, args.c, stride);
    }
  }
};

template <typename F>
void few(const LinearWork& work, int64_t first, int64_t count, const char* packed) {
  alignas(64) float c[kFewTokens * 2 * kPanelLanes];
  constexpr int64_t kStride = 2 * kPanelLanes;
  const PanelSums sums{&work, packed, 0, work.tokens};
  const int64_t groups = work.k / kGroupColumns;
  // A single tile reads a panel in one go where one pass takes all its vectors.
  const bool one_pass = work.tokens <= kTileRows<F> &&
                        passes_of(static_cast<int>(work.tokens)).vectors == kVectorsPerPanel;
  const int64_t step = one_pass ? groups : kGroupsAtOnce;
  for (int64_t begin = first; begin < first + count; begin += 2) {
    const int64_t panels = smaller(2, first + count - begin);
    for (int64_t p = 0; p < panels; ++p)
      for (int64_t g = 0; g < groups; g += step)
        sums.add<F>(panel_of(work, begin + p), g, smaller(step, groups - g), c + p * kPanelLanes,
                    kStride);
    finish_tile(work, {c, kStride, begin, panels, 0, work.tokens});
  }
}

constexpr int64_t kManyStride = kManyPanels * kPanelLanes;

/// Sums of panels with the tokens of a range, where codes are widened first.
struct WidenedSums {
  const LinearWork* work;
  const ManyRange* range;
  const char* packed;
  char* wide;  ///< room for kGroupsAtOnce widened groups

  /// Adds up to kGroupsAtOnce groups from `group` on of the range's panel `panel` to c: row t at
  /// c + t * kManyStride.
  template <typename F>
  void add(int64_t panel, int64_t group, float* c) const {
    const int64_t groups = work->k / kGroupColumns;
    const int64_t count = smaller(kGroupsAtOnce, groups - group);
    const char* weights = panel_of(*work, range->first_panel + panel);
    widen_groups<F>(weights + group_offset<F>(group), count, wide);
    WideTileArgs args{};
    args.groups = wide;
    args.count = count;
    args.c_stride = kManyStride;
    args.accumulate = group > 0;
    // The first tile asks for the groups that follow.
    const int64_t next = group + count;
    const int64_t next_count = smaller(kGroupsAtOnce, groups - next);
    args.ahead = weights + group_offset<F>(next);
    args.ahead_bytes = group_offset<F>(next + next_count) - group_offset<F>(next);
    for (int64_t t = 0; t < range->tokens; t += kTileRows<F>, args.ahead_bytes = 0) {
      const int64_t first = range->first_token + t;
      const int64_t width = smaller(kTileRows<F>, work->tokens - first);
      const TilePlace<WideRecordsOf<F>> tile{packed, work->tokens, groups, first, width};
      args.x = tile.group(group);
      args.c = c + t * kManyStride;
      Tiles<F>::kOnWidened[width - 1](args);
      if (next == groups) scale_rows<F>(weights, width, args.c, kManyStride);
    }
  }
};

static_assert(kManyTokens % kQuantTileRows == 0 && kManyTokens % kRowScaledTileRows == 0);
constexpr int64_t kManySumsBytes = kManyTokens * kManyStride * 4;

template <typename F>
void many(const LinearWork& work, const ManyRange& range, const char* packed, char* scratch) {
  float* c = reinterpret_cast<float*>(scratch);
  const int64_t groups = work.k / kGroupColumns;
  for (int64_t g = 0; g < groups; g += kGroupsAtOnce) {
    for (int64_t p = 0; p < range.panels; ++p) {
      float* at = c + p * kPanelLanes;
      if constexpr (kWidensCodes) {
        WidenedSums{&work, &range, packed, scratch + kManySumsBytes}.add<F>(p, g, at);
      } else {
        const PanelSums sums{&work, packed, range.first_token, range.tokens};
        sums.add<F>(panel_of(work, range.first_panel + p), g, smaller(kGroupsAtOnce, groups - g),
                    at, kManyStride);
      }
    }
  }
  finish_tile(work,
              {c, kManyStride, range.first_panel, range.panels, range.first_token, range.tokens});
}

template <typename F>
constexpr LinearKernels kKernels = {
    .tile_rows = kTileRows<F>,
    .few_tokens = kFewTokensOf<F>,
    .reads_plain_row = false,
    .row_bytes = row_bytes<F>,
    .pack_scratch_bytes = pack_scratch_bytes,
    .many_scratch_bytes =
        kManySumsBytes + (kWidensCodes ? kGroupsAtOnce * WideGroup<F>::kGroupBytes : 0),
    .pack = pack<F>,
    .few = few<F>,
    .many = many<F>};

template <int Terms>
const LinearKernels& kernels_of(QuantForm form) {
  switch (form) {
    case QuantForm::kS8Group:
      return kKernels<QuantFormTraits<8, 128, false, false, Terms>>;
    case QuantForm::kU8Group:
      return kKernels<QuantFormTraits<8, 16, false, false, Terms>>;
    case QuantForm::kU8GroupAffine:
      return kKernels<QuantFormTraits<8, 0, true, false, Terms>>;
    case QuantForm::kU4Group:
      return kKernels<QuantFormTraits<4, 8, false, false, Terms>>;
    case QuantForm::kU4GroupAffine:
      return kKernels<QuantFormTraits<4, 0, true, false, Terms>>;
    case QuantForm::kU4SuperAffine:
      return kKernels<QuantFormTraits<4, 0, true, true, Terms>>;
    case QuantForm::kU8SuperAffine:
      return kKernels<QuantFormTraits<8, 0, true, true, Terms>>;
    case QuantForm::kU6Super:
      return kKernels<QuantFormTraits<6, 32, false, true, Terms>>;
    case QuantForm::kS8Row:
      break;
  }
  return kKernels<RowScaledTraits>;
}

}  // namespace

const LinearKernels& quant_linear_kernels(QuantForm form, int terms) {
  return terms == 2 ? kernels_of<2>(form) : kernels_of<1>(form);
}

}  // namespace legato::kernels::cpu::LEGATO_CPU_LEVEL
