#pragma once

#include <string>
#include <string_view>

namespace legato::importer {

/// The name that GGUF gives to a tensor of a Hugging Face model of the families "llama", "qwen2",
/// "qwen3" and "gpt2": "model.layers.3.self_attn.q_proj.weight" is "blk.3.attn_q.weight". Empty for
/// a name without a counterpart.
std::string gguf_tensor_name(std::string_view hf_name);

}  // namespace legato::importer
