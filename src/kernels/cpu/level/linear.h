#pragma once

#include "kernels/cpu/level/types.h"

namespace legato::kernels::cpu {

/// One launch of Linear or GatedMlp. Weights are panels of 32 output rows; virtual panel v lies at
/// weights[v % 2] + (v / 2) * panel_step bytes, which covers one matrix (the second base is its
/// second panel), gate and up packed into one, and two matrices.
struct LinearWork {
  const float* x = nullptr;
  int64_t x_stride = 0;
  int64_t tokens = 0;
  int64_t k = 0;
  NormSpec norm;

  const void* weights[2] = {nullptr, nullptr};
  int64_t panel_step = 0;
  Element element = Element::kF32;
  int64_t panels = 0;  ///< virtual ones; gate and up panels alternate when gated
  bool gated = false;

  int64_t features = 0;  ///< columns of out
  const float* bias = nullptr;
  const float* up_bias = nullptr;
  Activation activation = Activation::kNone;
  const float* residual = nullptr;
  int64_t residual_stride = 0;
  float* out = nullptr;
  int64_t out_stride = 0;
};

/// Panels that one call of `many` takes at most, and its scratch memory.
inline constexpr int64_t kManyPanels = 4;
inline constexpr int64_t kManyTokens = 384;
inline constexpr int64_t kManyScratchFloats =
    kManyPanels * kPanelLanes * kBlockK + kManyTokens * kManyPanels * kPanelLanes;

/// What one call of `many` computes: `tokens` <= kManyTokens, the first of them a tile's begin, by
/// `panels` <= kManyPanels.
struct ManyRange {
  int64_t first_panel = 0;
  int64_t panels = 0;
  int64_t first_token = 0;
  int64_t tokens = 0;
};

/// The activations are first packed: tile i holds the tokens [i * tile_rows, (i + 1) * tile_rows)
/// and starts at i * tile_rows * padded(k) floats, padded to kBlockK; inside it, block b of columns
/// and row t at (b * width + t) * kBlockK, width being the tokens of the tile.
struct LinearKernels {
  int tile_rows;
  int few_tokens;  ///< from more on `many` is the faster way
  /// Normalises and packs tile `tile` to its place in `packed`.
  void (*pack)(const LinearWork& work, int64_t tile, float* packed);
  /// Panels [first, first + count) for at most few_tokens tokens.
  void (*few)(const LinearWork& work, int64_t first, int64_t count, const float* packed);
  /// The same for some of the tokens, with kManyScratchFloats of scratch.
  void (*many)(const LinearWork& work, const ManyRange& range, const float* packed, float* scratch);
};

}  // namespace legato::kernels::cpu
