#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/schema.h"
#include "engine/writer.h"
#include "tests/support/temporary_folder.h"

/// What the tests of this folder share: a small but complete engine.
namespace legato::engine {

inline StepSpec step(const std::string& op, std::vector<OperandRef> inputs, OperandRef output) {
  StepSpec made;
  made.name = op + ".0";
  made.op = op;
  made.tactic = "ref." + op;
  made.inputs = std::move(inputs);
  made.outputs = {output};
  return made;
}

/// ids -> Embedding -> Attention on the columns of a Linear -> logits, with a reshaped alias.
inline EngineSpec small_spec() {
  const Dim tokens = Dim::symbol("tokens");
  EngineSpec spec;
  spec.precision = "fp32";
  spec.model.architecture = "llama";
  spec.model.vocab_size = 5;
  spec.model.max_context = 64;
  spec.model.eos_ids = {1, 4};
  spec.model.bos_id = 1;
  spec.kv.layers = {{2, 4, 0, 0}};
  spec.profile = {{"tokens", 1, 8, 16}};
  spec.weights = {{"embedding", DType::kF32, {5, 8}, WeightLayout::kPlain, 0, 160},
                  {"qkv", DType::kF32, {24, 8}, WeightLayout::kRows32, 192, 1024},
                  {"scale", DType::kF32, {3}, WeightLayout::kPlain, 1216, 12}};
  spec.weights_bytes = 1280;
  spec.slots = {{{tokens * Dim(96)}}, {{tokens * Dim(32)}}};
  spec.values = {{"input_ids", DType::kI32, {tokens}, Storage::kInput, 0},
                 {"embedding", DType::kF32, {5, 8}, Storage::kWeight, 0},
                 {"qkv", DType::kF32, {24, 8}, Storage::kWeight, 1},
                 {"hidden", DType::kF32, {tokens, 8}, Storage::kSlot, 1},
                 {"packed", DType::kF32, {tokens, 24}, Storage::kSlot, 0},
                 {"mixed", DType::kF32, {tokens, 8}, Storage::kSlot, 1},
                 {"halves", DType::kF32, {tokens * Dim(2), 4}, Storage::kSlot, 1},
                 {"logits", DType::kF32, {tokens, 5}, Storage::kOutput, 0}};
  spec.inputs = {0};
  spec.outputs = {7};
  spec.steps = {step("Embedding", {{0}, {1}}, {3}), step("Linear", {{3}, {2}}, {4}),
                step("Attention", {{4, 0, 8}, {4, 8, 8}, {4, 16, 8}, {-1}}, {5}),
                step("Linear", {{6}, {1}}, {7})};
  spec.steps[2].attributes = {{"layer", int64_t{0}},
                              {"kv_heads", int64_t{2}},
                              {"head_dim", int64_t{4}},
                              {"scale", 0.5},
                              {"name", std::string("x")},
                              {"ints", std::vector<int64_t>{-1, 0, INT64_MIN}},
                              {"floats", std::vector<double>{0.1, -3}}};
  spec.build_options = "precision=fp32";
  return spec;
}

/// Byte `at` of the data of all weights of the test's engine, gaps not counted.
inline std::byte test_byte(size_t at) { return static_cast<std::byte>(at * 7 + at / 251 + 1); }

inline std::vector<std::byte> weight_data(const EngineSpec& spec) {
  size_t bytes = 0;
  for (const WeightSpec& weight : spec.weights) bytes += weight.bytes;
  std::vector<std::byte> data(bytes);
  for (size_t i = 0; i < bytes; ++i) data[i] = test_byte(i);
  return data;
}

inline Status write_engine(const std::filesystem::path& path, const EngineSpec& spec,
                           const std::string& tokenizer = "tokenizer bytes") {
  LEGATO_ASSIGN_OR_RETURN(EngineWriter writer, EngineWriter::create(path, spec, tokenizer));
  LEGATO_RETURN_IF_ERROR(writer.write_weight_bytes(weight_data(spec)));
  return writer.finish();
}

inline std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void overwrite(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace legato::engine
