#pragma once

#include <string_view>

#include "import/gguf/model_file.h"
#include "import/gguf/weights.h"
#include "import/hf/config.h"

namespace legato::importer {

/// Tensor by which each rotary frequency is divided: how GGUF spells Llama 3's rope.
inline constexpr std::string_view kGgufRopeFactors = "rope_freqs.weight";

/// What the metadata of a GGUF model says, in the terms of a config.json.
struct GgufSettings {
  Config config;
  PairedRows paired;
  bool rope_factors = false;  ///< the file has kGgufRopeFactors
};

/// Reads general.architecture ("llama", "qwen2", "qwen3" or "gpt2"; others are refused by name) and
/// the keys of that architecture; refuses by name what would change the arithmetic and isn't
/// supported. Throws Error.
GgufSettings read_gguf_settings(const GgufModelFile& file);

}  // namespace legato::importer
