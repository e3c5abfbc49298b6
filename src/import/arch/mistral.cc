#include "import/arch_registry.h"
#include "import/decoder/llama_decoder.h"
#include "import/hf/limits.h"

namespace legato::importer {
namespace {

/// Llama whose layers all see a sliding window when the file names one.
ArchModel build_mistral(const Config& config, WeightSource& weights) {
  LlamaSettings settings = read_llama_settings(config, 131'072);
  if (config.has("sliding_window"))
    settings.windows.assign(static_cast<size_t>(settings.layers),
                            config.get_int("sliding_window", kPositionRange));
  for (const std::string_view name : {"attention_bias", "mlp_bias"}) config.refuse_if_set(name);
  return build_llama_decoder(config, weights, settings);
}

}  // namespace

void register_mistral(ArchRegistry& registry) { registry.add("mistral", build_mistral); }

}  // namespace legato::importer
