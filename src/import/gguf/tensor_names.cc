#include "import/gguf/tensor_names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace legato::importer {
namespace {

struct Module {
  std::string_view theirs;
  std::string_view ours;
};

// Without ".weight" and ".bias".
constexpr std::array kOuter = {
    Module{"model.embed_tokens", "token_embd"},
    Module{"model.norm", "output_norm"},
    Module{"lm_head", "output"},
    Module{"transformer.wte", "token_embd"},
    Module{"transformer.wpe", "position_embd"},
    Module{"transformer.ln_f", "output_norm"},
};
// Of one layer, after "model.layers.N." or "transformer.h.N.".
constexpr std::array kInner = {
    Module{"input_layernorm", "attn_norm"},
    Module{"self_attn.q_proj", "attn_q"},
    Module{"self_attn.k_proj", "attn_k"},
    Module{"self_attn.v_proj", "attn_v"},
    Module{"self_attn.o_proj", "attn_output"},
    Module{"self_attn.q_norm", "attn_q_norm"},
    Module{"self_attn.k_norm", "attn_k_norm"},
    Module{"post_attention_layernorm", "ffn_norm"},
    Module{"mlp.gate_proj", "ffn_gate"},
    Module{"mlp.up_proj", "ffn_up"},
    Module{"mlp.down_proj", "ffn_down"},
    Module{"ln_1", "attn_norm"},
    Module{"attn.c_attn", "attn_qkv"},
    Module{"attn.c_proj", "attn_output"},
    Module{"ln_2", "ffn_norm"},
    Module{"mlp.c_fc", "ffn_up"},
    Module{"mlp.c_proj", "ffn_down"},
};

template <size_t kCount>
std::string_view translate(const std::array<Module, kCount>& modules, std::string_view name) {
  const auto found = std::find_if(modules.begin(), modules.end(),
                                  [&](const Module& module) { return module.theirs == name; });
  return found == modules.end() ? std::string_view() : found->ours;
}

}  // namespace

std::string gguf_tensor_name(std::string_view hf_name) {
  const size_t dot = hf_name.rfind('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view suffix = hf_name.substr(dot);
  std::string_view module = hf_name.substr(0, dot);
  if (suffix != ".weight" && suffix != ".bias") return {};
  if (const std::string_view outer = translate(kOuter, module); !outer.empty())
    return std::string(outer).append(suffix);
  for (const std::string_view prefix : {"model.layers.", "transformer.h."}) {
    if (!module.starts_with(prefix)) continue;
    module.remove_prefix(prefix.size());
    const size_t end = module.find('.');
    if (end == std::string_view::npos || end == 0) return {};
    const std::string_view number = module.substr(0, end);
    const bool digits = std::all_of(number.begin(), number.end(),
                                    [](unsigned char c) { return std::isdigit(c) != 0; });
    const std::string_view inner = translate(kInner, module.substr(end + 1));
    if (!digits || inner.empty()) return {};
    return std::string("blk.").append(number).append(".").append(inner).append(suffix);
  }
  return {};
}

}  // namespace legato::importer
