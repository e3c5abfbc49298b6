#pragma once

#include "base/model_info.h"
#include "import/hf/config.h"

namespace legato::importer {

/// Adds to `info` the end, begin and pad ids that a config.json or generation_config.json names.
/// Ids outside the vocabulary are left out with a warning.
void read_special_ids(const Config& config, ModelInfo& info);

/// Sampling defaults of generation_config.json (or of an old config.json that carries them). Warns
/// by name of settings that would change the text and aren't supported.
GenerationDefaults read_generation_defaults(const Config& config);

}  // namespace legato::importer
