#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "legato/status.h"

namespace legato {
inline namespace v1 {

/// Element types of tensors, weights and caches.
enum class DataType : uint8_t {
  kF32 = 0,
  kF16 = 1,
  kBF16 = 2,
  kF64 = 3,
  kI64 = 4,
  kI32 = 5,
  kI16 = 6,
  kI8 = 7,
  kU64 = 8,
  kU32 = 9,
  kU16 = 10,
  kU8 = 11,
  kBool = 12,
  // Quantised: only for matrices of weights.
  kQ8_0 = 13,
  kQ4_0 = 14,
  kQ4_1 = 15,
  kQ5_0 = 16,
  kQ5_1 = 17,
  kQ4K = 18,
  kQ5K = 19,
  kQ6K = 20,
  kW8 = 21,
  kW4 = 22,
};

/// "f32", "bf16", "i64", "w8", "q4_0" ...
LEGATO_API std::string_view data_type_name(DataType type);
/// Bytes of one element; 0 for quantised types, whose elements share scales.
LEGATO_API size_t data_type_bytes(DataType type);

/// Told how far a long piece of work is: (what is being done, units done, units in all). Must not
/// throw.
using ProgressCallback = std::function<void(std::string_view what, uint64_t done, uint64_t total)>;

/// An input or output of an engine. An extent is a number or a formula such as "tokens".
struct TensorInfo {
  std::string name;
  DataType type = DataType::kF32;
  std::vector<std::string> shape;
};

/// Keys or values of one attention layer in the cache.
///
/// The cache is a pool of blocks; a block holds `block_tokens` consecutive positions of one
/// sequence for all layers. Head h of this tensor begins at byte `offset + h * head_bytes` of the
/// block and is [head_dim][block_tokens] for keys, [block_tokens][head_dim] for values.
struct KvBinding {
  enum class Kind : uint8_t { kKey, kValue };
  int32_t layer = 0;
  Kind kind = Kind::kKey;
  DataType type = DataType::kF32;
  int32_t heads = 0;
  int32_t head_dim = 0;
  int32_t window = 0;  ///< 0: every position is visible; else position p sees (p - window, p]
  int32_t sinks = 0;   ///< the first `sinks` positions stay visible beside the window
  int64_t block_tokens = 0;
  uint64_t block_bytes = 0;  ///< of a whole block: from one block to the next
  uint64_t offset = 0;
  uint64_t head_bytes = 0;
};

/// A section of an engine file.
struct EngineSection {
  std::string name;
  uint64_t bytes = 0;
  uint64_t checksum = 0;
};

/// The weights of an engine that have one type.
struct EngineWeights {
  std::string precision;  ///< as EngineInfo names it
  int64_t tensors = 0;
  uint64_t bytes = 0;
};

/// Bounds of a named extent that an engine was built for.
struct EngineProfile {
  std::string symbol;
  int64_t min = 1, opt = 1, max = 1;
};

/// One kernel launch of an engine's step.
struct EngineLayer {
  std::string name;
  std::string op;
  std::string tactic;
  std::string config;     ///< attributes that shaped it, "name=value ..."
  double bytes = 0;       ///< that a step of one token moves, weights and cache included
  double operations = 0;  ///< floating-point, a multiply-add counts two
};

}  // namespace v1
}  // namespace legato
