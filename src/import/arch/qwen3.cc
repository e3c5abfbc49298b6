#include "import/arch_registry.h"
#include "import/decoder/llama_decoder.h"
#include "import/decoder/settings.h"

namespace legato::importer {
namespace {

/// Llama with an RmsNorm of each query and key head, heads of 128 unless the file says otherwise.
ArchModel build_qwen3(const Config& config, WeightSource& weights) {
  LlamaSettings settings = read_llama_settings(config, 32'768, 128);
  settings.qkv_bias = settings.output_bias = config.get_bool("attention_bias", false);
  settings.head_norms = true;
  settings.windows = read_layer_windows(config, settings.layers);
  for (const std::string_view name : {"mlp_bias", "use_mrope"}) config.refuse_if_set(name);
  return build_llama_decoder(config, weights, settings);
}

}  // namespace

void register_qwen3(ArchRegistry& registry) { registry.add("qwen3", build_qwen3); }

}  // namespace legato::importer
