#pragma once

#include "kernels/cpu/level/linear.h"

/// Linear and GatedMlp on quantised weights: plain structs between the tactics and the levels.
namespace legato::kernels::cpu {

/// How a format's codes, scales and activations meet. Weights lie as tensor/quant_panel.h says.
/// Activations are quantised once a launch: codes = round(x / scale) with scale = max|x| / 127 over
/// a group of 32 columns (over the whole row for kRow), so they depend on the token alone.
enum class QuantKind : uint8_t {
  kS8Group,        ///< 8-bit codes with zero 128, f16 scale a group: q8_0
  kU8Group,        ///< 8-bit codes below 128 with another zero: q5_0
  kU8GroupAffine,  ///< and with a minimum: q5_1
  kU4Group,        ///< 4-bit codes: q4_0
  kU4GroupAffine,  ///< q4_1, w4
  kU4SuperAffine,  ///< q4_k
  kU8SuperAffine,  ///< q5_k
  kU6Super,        ///< 6-bit codes, a scale each 16 columns: q6_k
  kS8Row,          ///< 8-bit codes with zero 128, f32 scale a row: w8
};

/// A tile of quantised activations: group g of token t (of `width`) at g * width records; of a
/// group first all codes, then all scales, then all sums.
inline constexpr int64_t kQuantRecordBytes = 32 + 4 + 8;

/// The activations' part of LinearKernels for quantised weights.
struct QuantLinearWork {
  LinearWork linear;  ///< `element` means nothing here
  QuantKind kind = QuantKind::kS8Group;
  int zero = 0;
};

struct QuantLinearKernels {
  int tile_rows;
  int few_tokens;  ///< from more on `many` is the faster way
  /// Bytes of scratch that `many` needs for so many tokens.
  int64_t (*many_scratch_bytes)(int64_t tokens);
  /// Normalises and quantises tile `tile` to its place in `packed`: at tile * tile_rows * k / 32
  /// records. `row` has room for k floats rounded up to kBlockK.
  void (*pack)(const QuantLinearWork& work, int64_t tile, char* packed, float* row);
  /// Panels [first, first + count) for at most few_tokens tokens.
  void (*few)(const QuantLinearWork& work, int64_t first, int64_t count, const char* packed);
  /// The same for any number of tokens in [tokens.first, ...), tokens.first at a tile's begin.
  void (*many)(const QuantLinearWork& work, int64_t first, int64_t count, int64_t first_token,
               int64_t tokens, const char* packed, char* scratch);
};

}  // namespace legato::kernels::cpu
