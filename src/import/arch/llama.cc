#include "import/arch_registry.h"
#include "import/decoder/llama_decoder.h"

namespace legato::importer {
namespace {

ArchModel build_llama(const Config& config, WeightSource& weights) {
  LlamaSettings settings = read_llama_settings(config, 2048);
  settings.qkv_bias = settings.output_bias = config.get_bool("attention_bias", false);
  settings.mlp_bias = config.get_bool("mlp_bias", false);
  // Splits matrices into slices whose sums are the same numbers.
  config.mark_read("pretraining_tp");
  return build_llama_decoder(config, weights, settings);
}

}  // namespace

void register_llama(ArchRegistry& registry) { registry.add("llama", build_llama); }

}  // namespace legato::importer
