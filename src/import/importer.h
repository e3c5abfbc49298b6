#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/model_info.h"
#include "import/hf/config.h"
#include "import/weight_source.h"
#include "ir/graph.h"

namespace legato::importer {

struct ImportOptions {
  /// Positions that the engine will be asked for; a model that can't tell so many apart is refused.
  std::optional<int64_t> max_len;
};

/// A model file as a graph: a decoder on packed tokens. Its constants keep the weight files mapped.
struct ImportedModel {
  ir::Graph graph;
  ModelInfo info;
  std::filesystem::path folder;  ///< empty when there is none
};

/// Imports a Hugging Face folder: config.json, generation_config.json where present, and
/// model.safetensors or its shards. Throws Error.
ImportedModel import_folder(const std::filesystem::path& folder, const ImportOptions& options = {});

/// A model with seeded random weights, of a known shape (llama-3.2-1b ...) or of the shape that a
/// config.json gives. Throws Error.
ImportedModel random_model(const std::string& shape_or_config_path, uint64_t seed,
                           const ImportOptions& options = {});

/// What both do once settings and weights are at hand.
ImportedModel import_model(const Config& config, WeightSource& weights,
                           const ImportOptions& options);

}  // namespace legato::importer
