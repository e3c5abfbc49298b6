#include "kernels/cpu/level/linear.h"

#include "kernels/cpu/level/epilogue.h"
#include "kernels/cpu/level/norm.h"
#include "kernels/cpu/level/tables.h"
#include "kernels/cpu/level/tile.h"

namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

static_assert(kManyTokens % kTileRows == 0);
constexpr int64_t kManyScratchFloats =
    kManyPanels * kPanelLanes * kBlockK + kManyTokens * kManyPanels * kPanelLanes;

int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
int64_t padded_k(const LinearWork& work) { return (work.k + kBlockK - 1) / kBlockK * kBlockK; }

const float* floats(const char* packed) { return reinterpret_cast<const float*>(packed); }

void pack(const LinearWork& work, int64_t tile, char* packed, char* /*scratch*/) {
  const int64_t first = tile * kTileRows;
  const int64_t width = smaller(kTileRows, work.tokens - first);
  float* out = reinterpret_cast<float*>(packed) + first * padded_k(work);
  for (int64_t t = 0; t < width; ++t)
    norm_row(work.x + (first + t) * work.x_stride, work.k, work.norm, out + t * kBlockK,
             width * kBlockK);
}

/// All of k for panels [first, first + at_once): each panel is read as one stream, each block of it
/// by one tile of rows after the other.
void sum_panels(const LinearWork& work, int64_t first, int64_t at_once, const float* packed,
                TileArgs args) {
  float* c = args.c;
  // A single row is contiguous in its packed form, so its sum needs no interruption.
  const int64_t block = work.tokens == 1 ? work.k : kBlockK;
  for (int64_t k = 0; k < work.k; k += block) {
    const void* panels[kManyPanels];
    for (int64_t i = 0; i < at_once; ++i)
      panels[i] = panel_of(work, first + i) + k * kPanelLanes * element_bytes(work.element);
    args.panels = panels;
    args.segment_k = smaller(block, work.k - k);
    args.accumulate = k > 0;
    for (int64_t t = 0; t < work.tokens; t += kTileRows) {
      const int64_t width = smaller(kTileRows, work.tokens - t);
      const TileEntry& entry = tile_entry(work.element, width);
      args.a = packed + t * padded_k(work) + k * width;
      args.c = c + t * args.c_stride;
      (at_once == 1 ? entry.single : entry.wide)(args);
    }
  }
}

void few(const LinearWork& work, int64_t first, int64_t count, const char* packed) {
  alignas(64) float c[kDirectRows * kManyPanels * kPanelLanes];
  const int64_t wide =
      work.tokens <= kTileRows ? tile_entry(work.element, work.tokens).wide_panels : 1;
  const int64_t group = wide > 2 ? wide : 2;
  TileArgs args{};
  args.segments = 1;
  args.stride = kPanelLanes;
  args.c_stride = group * kPanelLanes;
  for (int64_t begin = first; begin < first + count; begin += group) {
    const int64_t end = smaller(begin + group, first + count);
    for (int64_t p = begin; p < end;) {
      const int64_t at_once = p + wide <= end ? wide : 1;
      args.c = c + (p - begin) * kPanelLanes;
      sum_panels(work, p, at_once, floats(packed), args);
      p += at_once;
    }
    finish_tile(work, {c, args.c_stride, begin, end - begin, 0, work.tokens});
  }
}

template <typename E>
void widen(const void* panel, int64_t count, float* out) {
  const auto* in = static_cast<const typename E::Type*>(panel);
  for (int64_t i = 0; i < count; i += 2 * kLanes) {
    vstore(out + i, E::load(in + i));
    vstore(out + i + kLanes, E::load(in + i + kLanes));
  }
}

/// Columns [k, k + columns) of a panel as floats: where they lie, or widened into scratch.
const void* widened(const LinearWork& work, int64_t panel, int64_t k, int64_t columns,
                    float* scratch) {
  const char* source = panel_of(work, panel) + k * kPanelLanes * element_bytes(work.element);
  if (work.element == Element::kF32) return source;
  if (work.element == Element::kF16) {
    widen<F16>(source, columns * kPanelLanes, scratch);
  } else {
    widen<BF16>(source, columns * kPanelLanes, scratch);
  }
  return scratch;
}

/// Memory that the inner loop asks for while it computes something else, so that it has come when
/// its turn comes.
struct Slice {
  const void* begin;
  int64_t bytes;
};

/// Part `part` of `parts` of the activations that `many` reads after tile `tile` of `tiles` of the
/// columns from k: the next tile's, or those of the next columns' first.
Slice activations_ahead(const LinearWork& work, const ManyRange& range, const char* packed,
                        int64_t k, int64_t tile) {
  int64_t first = range.first_token + (tile + 1) * kTileRows;
  if (first >= range.first_token + range.tokens) {
    first = range.first_token;
    k += kBlockK;
    if (k >= work.k) return {packed, 0};
  }
  const int64_t width = smaller(kTileRows, work.tokens - first);
  return {packed + (first * padded_k(work) + k * width) * 4, width * kBlockK * 4};
}

/// Part `tile` of `tiles` of the weights that `many` widens after the columns from k: the next
/// ones of its panels, or the first ones of the panels that follow.
Slice weights_ahead(const LinearWork& work, const ManyRange& range, int64_t k, int64_t tile,
                    int64_t tiles) {
  k += kBlockK;
  int64_t panel = range.first_panel;
  if (k >= work.k) {
    k = 0;
    panel += range.panels;
  }
  // Slices don't cross panels, which lie far apart.
  const int64_t parts = tiles > range.panels ? tiles / range.panels : 1;
  const int64_t of_range = tile / parts;
  if (of_range >= range.panels || panel + of_range >= work.panels) return {work.out, 0};
  const int64_t column_bytes = kPanelLanes * element_bytes(work.element);
  const int64_t bytes = smaller(kBlockK, work.k - k) * column_bytes / parts;
  return {panel_of(work, panel + of_range) + k * column_bytes + tile % parts * bytes, bytes};
}

/// Asks for the lines that a panel's results of a tile will be written to.
void prefetch_out(const LinearWork& work, int64_t panel, int64_t first, int64_t width) {
  const int64_t column = panel / (work.gated ? 2 : 1) * kPanelLanes;
  if (column >= work.features) return;
  for (int64_t t = 0; t < width; ++t) {
    const float* out = work.out + (first + t) * work.out_stride + column;
    __builtin_prefetch(out, 1);
    __builtin_prefetch(out + smaller(kPanelLanes, work.features - column) - 1, 1);
  }
}

void many(const LinearWork& work, const ManyRange& range, const char* packed, char* scratch_bytes) {
  float* scratch = reinterpret_cast<float*>(scratch_bytes);
  float* sums = scratch + kManyPanels * kPanelLanes * kBlockK;
  constexpr int64_t kStride = kManyPanels * kPanelLanes;
  const int64_t tiles = (range.tokens + kTileRows - 1) / kTileRows;
  for (int64_t k = 0; k < work.k; k += kBlockK) {
    const int64_t columns = smaller(kBlockK, work.k - k);
    const bool last = k + kBlockK >= work.k;
    const void* panels[kManyPanels];
    for (int64_t i = 0; i < range.panels; ++i)
      panels[i] =
          widened(work, range.first_panel + i, k, columns, scratch + i * kPanelLanes * kBlockK);
    for (int64_t tile = 0; tile < tiles; ++tile) {
      const int64_t first = range.first_token + tile * kTileRows;
      const int64_t width = smaller(kTileRows, work.tokens - first);
      TileArgs args{};
      args.segments = 1;
      args.segment_k = columns;
      args.stride = kPanelLanes;
      args.a = floats(packed) + first * padded_k(work) + k * width;
      args.c = sums + tile * kTileRows * kStride;
      args.c_stride = kStride;
      args.accumulate = k > 0;
      const Slice rows = activations_ahead(work, range, packed, k, tile);
      for (int64_t p = 0; p < range.panels; ++p) {
        if (last) prefetch_out(work, range.first_panel + p, first, width);
        Slice ahead = weights_ahead(work, range, k, tile, tiles);
        if (p + 1 < range.panels) {
          ahead.bytes = rows.bytes / (range.panels - 1);
          ahead.begin = static_cast<const char*>(rows.begin) + p * ahead.bytes;
        }
        args.panels = panels + p;
        args.ahead = &ahead.begin;
        args.ahead_step = ahead.bytes / columns;
        tile_entry(Element::kF32, width).single(args);
        args.c += kPanelLanes;
      }
      if (last)
        finish_tile(work, {args.c - range.panels * kPanelLanes, kStride, range.first_panel,
                           range.panels, first, width});
    }
  }
}

int64_t row_bytes(int64_t k) { return (k + kBlockK - 1) / kBlockK * kBlockK * 4; }
int64_t no_scratch(int64_t /*k*/) { return 0; }

constexpr LinearKernels kKernels = {.tile_rows = kTileRows,
                                    .few_tokens = kDirectRows,
                                    .reads_plain_row = true,
                                    .row_bytes = row_bytes,
                                    .pack_scratch_bytes = no_scratch,
                                    .many_scratch_bytes = kManyScratchFloats * 4,
                                    .pack = pack,
                                    .few = few,
                                    .many = many};

}  // namespace

const LinearKernels& linear_kernels() { return kKernels; }

}  // namespace legato::kernels::cpu::LEGATO_CPU_LEVEL
