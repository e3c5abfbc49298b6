#pragma once

#include <cstdint>

#include "import/hf/config.h"

namespace legato::importer {

// Bounds on what a config.json may ask for, above every published model; they keep products of
// sizes far from overflow and what a hostile file costs small.
inline constexpr int64_t kMaxPositions = int64_t{1} << 30;
inline constexpr IntRange kLayerRange{1, 256};
inline constexpr IntRange kWidthRange{1, int64_t{1} << 17};
inline constexpr IntRange kHiddenRange{1, int64_t{1} << 19};  ///< inner width of an MLP
inline constexpr IntRange kHeadRange{1, int64_t{1} << 12};
inline constexpr IntRange kHeadDimRange{1, int64_t{1} << 12};
inline constexpr IntRange kVocabRange{1, int64_t{1} << 24};
inline constexpr IntRange kPositionRange{1, kMaxPositions};
/// Layers times width: a model of 405 billion parameters has half of it.
inline constexpr int64_t kMaxLayerWidth = int64_t{1} << 22;

}  // namespace legato::importer
