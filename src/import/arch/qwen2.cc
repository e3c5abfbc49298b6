#include "import/arch_registry.h"
#include "import/decoder/llama_decoder.h"
#include "import/decoder/settings.h"

namespace legato::importer {
namespace {

/// Llama with biases on queries, keys and values alone, and windows in some layers.
ArchModel build_qwen2(const Config& config, WeightSource& weights) {
  LlamaSettings settings = read_llama_settings(config, 32'768);
  settings.qkv_bias = true;
  settings.windows = read_layer_windows(config, settings.layers);
  for (const std::string_view name : {"attention_bias", "mlp_bias", "use_mrope"})
    config.refuse_if_set(name);
  return build_llama_decoder(config, weights, settings);
}

}  // namespace

void register_qwen2(ArchRegistry& registry) { registry.add("qwen2", build_qwen2); }

}  // namespace legato::importer
