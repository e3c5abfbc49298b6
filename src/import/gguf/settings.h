#pragma once

#include "import/gguf/model_file.h"
#include "import/gguf/weights.h"
#include "import/hf/config.h"

namespace legato::importer {

/// What the metadata of a GGUF model says, in the terms of a config.json.
struct GgufSettings {
  Config config;
  PairedRows paired;
  bool rope_factors = false;  ///< the tensor rope_freqs.weight divides the frequencies
};

/// Reads general.architecture ("llama", "qwen2", "qwen3" or "gpt2"; others are refused by name) and
/// the keys of that architecture; refuses by name what would change the arithmetic and isn't
/// supported. Throws Error.
GgufSettings read_gguf_settings(const GgufModelFile& file);

}  // namespace legato::importer
