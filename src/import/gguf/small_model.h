#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "import/gguf/gguf_importer.h"
#include "import/gguf/test_bytes.h"

namespace legato::importer {

/// The constant of this name; null when there is none.
inline const ir::Value* find_constant(const ir::Graph& graph, const std::string& name) {
  for (size_t id = 0; id < graph.num_values(); ++id) {
    const ir::Value& value = graph.value(static_cast<ir::ValueId>(id));
    if (value.name == name && value.constant != nullptr) return &value;
  }
  return nullptr;
}

/// A llama of one layer, width 32, two heads and one key/value head, with zeros for weights.
class SmallLlama {
 public:
  GgufBytes bytes;
  std::string arch = "llama";
  char fill = '\0';     ///< every byte of the weights
  bool counts = false;  ///< the weights are 0, 1, 2 ... in each tensor, all of them F32
  std::map<std::string, uint32_t> numbers = {
      {"context_length", 64},       {"embedding_length", 32},     {"block_count", 1},
      {"feed_forward_length", 64},  {"attention.head_count", 2},  {"attention.head_count_kv", 1},
      {"rope.dimension_count", 16}, {"attention.key_length", 16}, {"attention.value_length", 16}};
  std::map<std::string, uint32_t> types;  ///< of tensors; F32 otherwise
  std::map<std::string, std::vector<uint64_t>> tensors = {
      {"token_embd.weight", {32, 10}},     {"output_norm.weight", {32}},
      {"blk.0.attn_norm.weight", {32}},    {"blk.0.ffn_norm.weight", {32}},
      {"blk.0.attn_q.weight", {32, 32}},   {"blk.0.attn_k.weight", {32, 16}},
      {"blk.0.attn_v.weight", {32, 16}},   {"blk.0.attn_output.weight", {32, 32}},
      {"blk.0.ffn_gate.weight", {32, 64}}, {"blk.0.ffn_up.weight", {32, 64}},
      {"blk.0.ffn_down.weight", {64, 32}}};

  std::string build() {
    bytes.text("general.architecture", arch);
    for (const auto& [name, value] : numbers) bytes.u32(arch + "." + name, value);
    bytes.f32(arch + ".attention.layer_norm_rms_epsilon", 1e-5f);
    uint64_t offset = 0;
    for (const auto& [name, dims] : tensors) {
      bytes.tensor(name, dims, types.count(name) != 0 ? types[name] : 0, offset);
      uint64_t elements = 1;
      for (const uint64_t dim : dims) elements *= dim;
      for (uint64_t i = 0; counts && i < elements; ++i) bytes.data += raw(static_cast<float>(i));
      bytes.data.resize((bytes.data.size() + 31) / 32 * 32);
      offset += (elements * 4 + 31) / 32 * 32;
    }
    bytes.data_bytes = counts ? 0 : offset;
    bytes.fill = fill;
    return bytes.build();
  }
};

inline ImportedModel import_bytes(const std::string& bytes) {
  return import_gguf(GgufModelFile::from_bytes(std::as_bytes(std::span(bytes)), "m.gguf"));
}

}  // namespace legato::importer
