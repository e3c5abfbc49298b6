#pragma once

#include "kernels/cpu/level/types.h"

namespace legato::kernels::cpu {

/// One launch of Linear or GatedMlp. Weights are panels of 32 output rows; virtual panel v lies at
/// weights[v % 2] + (v / 2) * panel_step bytes, which covers one matrix (the second base is its
/// second panel), gate and up packed into one, and two matrices. Panels of quantised weights lie as
/// tensor/quant_panel.h says.
struct LinearWork {
  const float* x = nullptr;
  int64_t x_stride = 0;
  int64_t tokens = 0;
  int64_t k = 0;
  NormSpec norm;

  const void* weights[2] = {nullptr, nullptr};
  int64_t panel_step = 0;
  int64_t panel_bytes = 0;
  Element element = Element::kF32;  ///< of weights that aren't quantised
  int64_t panels = 0;               ///< virtual ones; gate and up panels alternate when gated
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

/// Panels and tokens that one call of `many` takes at most: their f32 sums take 288 KiB, which the
/// second level of the cache holds beside a block of weights. Tokens are a multiple of every
/// tile_rows.
inline constexpr int64_t kManyPanels = 4;
inline constexpr int64_t kManyTokens = 576;

/// What one call of `many` computes: `tokens` <= kManyTokens, the first of them a tile's begin, by
/// `panels` <= kManyPanels.
struct ManyRange {
  int64_t first_panel = 0;
  int64_t panels = 0;
  int64_t first_token = 0;
  int64_t tokens = 0;
};

/// The loops for one form of weights. Activations are first packed, tile_rows tokens to a tile,
/// row_bytes(k) for each token. Where a tile's bytes lie and what they hold is the form's own
/// affair; the values depend on nothing but its tokens. All memory is 64-byte aligned.
struct LinearKernels {
  int tile_rows;
  int few_tokens;                   ///< most that `few` takes; for more `many` is the faster way
  bool reads_plain_row;             ///< a single row without norm is used where it lies, unpacked
  int64_t (*row_bytes)(int64_t k);  ///< that a packed token takes
  int64_t (*pack_scratch_bytes)(int64_t k);  ///< that `pack` needs
  int64_t many_scratch_bytes;                ///< that `many` needs
  /// Normalises and packs tile `tile` to its place in `packed`.
  void (*pack)(const LinearWork& work, int64_t tile, char* packed, char* scratch);
  /// The finished outputs of panels [first, first + count) for all tokens, at most few_tokens.
  void (*few)(const LinearWork& work, int64_t first, int64_t count, const char* packed);
  /// The same for some of the tokens.
  void (*many)(const LinearWork& work, const ManyRange& range, const char* packed, char* scratch);
};

/// Forms of quantised weights: how codes, scales and activations meet. Activations are quantised
/// once a launch: codes = round(x / scale), scale = max|x| / 127 over a group of 32 columns
/// (kS8Row: of 64), so they depend on the token alone. With two terms they have 15
/// bits: scale = max|x| / 16256.
enum class QuantForm : uint8_t {
  kS8Group,        ///< 8-bit codes with zero 128, f16 scale a group: q8_0
  kU8Group,        ///< 5-bit codes in 8 bits with zero 16: q5_0
  kU8GroupAffine,  ///< the same with a minimum: q5_1
  kU4Group,        ///< 4-bit codes with zero 8: q4_0
  kU4GroupAffine,  ///< 4-bit codes with a minimum: q4_1, w4
  kU4SuperAffine,  ///< q4_k
  kU8SuperAffine,  ///< q5_k
  kU6Super,        ///< 6-bit codes with zero 32, a scale each 16 columns: q6_k
  kS8Row,          ///< 8-bit codes with zero 128, f32 scale a row: w8
};
inline constexpr int kNumQuantForms = 9;

}  // namespace legato::kernels::cpu
