#pragma once

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "device/cpu/huge_memory.h"
#include "engine/engine.h"
#include "engine/writer.h"
#include "kvcache/sequence_cache.h"
#include "runtime/context.h"
#include "tests/support/temporary_folder.h"

namespace legato::runtime {

/// For tests: assembles the engine of a small decoder (two layers with norm, rotary attention and
/// MLP) by hand, from reference tactics and random weights.
class TestDecoder {
 public:
  static constexpr int64_t kVocab = 50, kWidth = 16, kHeads = 4, kKvHeads = 2, kHeadDim = 4;
  static constexpr int64_t kMaxContext = 200, kMaxStepTokens = 64;

  explicit TestDecoder(int64_t layers = 2, int32_t window = 0, int32_t sinks = 0) {
    spec_.precision = "fp32";
    spec_.model.architecture = "test";
    spec_.model.vocab_size = kVocab;
    spec_.model.max_context = kMaxContext;
    spec_.profile = {{"logit_rows", 0, 1, kMaxStepTokens}, {"tokens", 1, 8, kMaxStepTokens}};
    const int32_t ids = input("input_ids", "tokens");
    const int32_t positions = input("positions", "tokens");
    const int32_t rows = input("logit_rows", "logit_rows");
    const int32_t table = slot("rope", {tokens(), kHeadDim});
    step("RotaryTable", {{positions}}, table,
         {{"inv_freq", std::vector<double>{1.0, 0.01}}, {"scale", 1.0}});
    int32_t x = slot("embedded", {tokens(), kWidth});
    step("Embedding", {{ids}, {weight("embedding", {kVocab, kWidth})}}, x);
    for (int64_t i = 0; i < layers; ++i) x = layer(i, x, table, window, sinks);
    const int32_t last = slot("last", {Dim::symbol("logit_rows"), kWidth});
    step("Gather", {{x}, {rows}}, last, {{"axis", int64_t{0}}});
    const int32_t logits = add_value("logits", DType::kF32, {Dim::symbol("logit_rows"), kVocab},
                                     engine::Storage::kOutput, 0);
    spec_.outputs = {logits};
    step("Linear", {{last}, {weight("head", {kVocab, kWidth})}}, logits);
  }

  engine::EngineSpec& spec() { return spec_; }
  const engine::EngineSpec& spec() const { return spec_; }

  /// Writes the engine to a temporary file, loads it and removes the file.
  std::shared_ptr<const engine::Engine> load() const {
    const TemporaryFolder folder;
    return write_and_load(folder / "test.engine").value();
  }

 private:
  static Dim tokens() { return Dim::symbol("tokens"); }

  Result<std::shared_ptr<const engine::Engine>> write_and_load(
      const std::filesystem::path& path) const {
    LEGATO_ASSIGN_OR_RETURN(engine::EngineWriter writer,
                            engine::EngineWriter::create(path, spec_, ""));
    std::mt19937 random(7);
    std::normal_distribution<float> normal(0.0f, 0.4f);
    for (const engine::WeightSpec& weight : spec_.weights) {
      std::vector<float> data(weight.bytes / sizeof(float));
      for (float& element : data) element = normal(random);
      LEGATO_RETURN_IF_ERROR(writer.write_weight_bytes(std::as_bytes(std::span(data))));
    }
    LEGATO_RETURN_IF_ERROR(writer.finish());
    static HugeMemory memory;  // as the engine stays, without a thread that moves it there
    engine::LoadOptions options;
    options.allocator = &memory;
    return engine::Engine::load(path, options);
  }

  int32_t add_value(std::string name, DType dtype, SymShape shape, engine::Storage storage,
                    size_t index) {
    spec_.values.push_back(
        {std::move(name), dtype, std::move(shape), storage, static_cast<int32_t>(index)});
    return static_cast<int32_t>(spec_.values.size() - 1);
  }
  int32_t input(const std::string& name, const std::string& symbol) {
    const int32_t id = add_value(name, DType::kI32, {Dim::symbol(symbol)}, engine::Storage::kInput,
                                 spec_.inputs.size());
    spec_.inputs.push_back(id);
    return id;
  }
  int32_t slot(const std::string& name, SymShape shape) {
    spec_.slots.push_back({{shape.elements() * Dim(4)}});
    return add_value(name, DType::kF32, std::move(shape), engine::Storage::kSlot,
                     spec_.slots.size() - 1);
  }
  int32_t weight(const std::string& name, Shape shape) {
    const auto bytes = static_cast<uint64_t>(shape.elements()) * sizeof(float);
    spec_.weights.push_back(
        {name, DType::kF32, shape, WeightLayout::kPlain, spec_.weights_bytes, bytes});
    spec_.weights_bytes += (bytes + 63) / 64 * 64;
    return add_value(name, DType::kF32, SymShape(shape), engine::Storage::kWeight,
                     spec_.weights.size() - 1);
  }
  void step(const std::string& op, std::vector<engine::OperandRef> inputs, int32_t output,
            Attributes attributes = {}) {
    std::string tactic = "ref." + op;
    for (char& c : tactic) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    spec_.steps.push_back({fmt::format("{}.{}", op, spec_.steps.size()),
                           op,
                           tactic,
                           std::move(attributes),
                           std::move(inputs),
                           {{output}}});
  }
  int32_t layer(int64_t index, int32_t x, int32_t table, int32_t window, int32_t sinks) {
    const auto named = [index](const char* part) { return fmt::format("{}.{}", part, index); };
    const int64_t q = kHeads * kHeadDim, kv = kKvHeads * kHeadDim;
    spec_.kv.layers.push_back(
        {static_cast<int32_t>(kKvHeads), static_cast<int32_t>(kHeadDim), window, sinks});
    const Attributes norm = {
        {"norm", std::string("rms")}, {"epsilon", 1e-5}, {"activation", std::string("none")}};
    const int32_t qkv = slot(named("qkv"), {tokens(), q + 2 * kv});
    step("Linear",
         {{x},
          {weight(named("wqkv"), {q + 2 * kv, kWidth})},
          {-1},
          {-1},
          {weight(named("norm"), {kWidth})}},
         qkv, norm);
    const int32_t mixed = slot(named("mixed"), {tokens(), q});
    step("Attention", {{qkv, 0, q}, {qkv, q, kv}, {qkv, q + kv, kv}, {table}}, mixed,
         {{"heads", kHeads},
          {"kv_heads", kKvHeads},
          {"head_dim", kHeadDim},
          {"scale", 0.5},
          {"layer", index},
          {"window", int64_t{window}},
          {"sinks", int64_t{sinks}},
          {"rotary_dim", kHeadDim},
          {"interleaved", int64_t{0}}});
    const int32_t attended = slot(named("attended"), {tokens(), kWidth});
    step("Linear", {{mixed}, {weight(named("wo"), {kWidth, q})}, {-1}, {x}}, attended);
    const int32_t up = slot(named("up"), {tokens(), 2 * kWidth});
    Attributes gelu = norm;
    gelu.set("activation", std::string("gelu"));
    step("Linear",
         {{attended},
          {weight(named("wup"), {2 * kWidth, kWidth})},
          {-1},
          {-1},
          {weight(named("norm2"), {kWidth})}},
         up, gelu);
    const int32_t out = slot(named("out"), {tokens(), kWidth});
    step("Linear", {{up}, {weight(named("wdown"), {kWidth, 2 * kWidth})}, {-1}, {attended}}, out);
    return out;
  }

  engine::EngineSpec spec_;
};

inline ContextOptions test_options(int threads = 1) {
  ContextOptions options;
  options.threads = threads;
  options.max_tokens = 40;
  options.max_logit_rows = 40;
  options.max_sequences = 6;
  options.max_context = 120;
  return options;
}

/// A loaded decoder with a context and a pool.
struct TestRun {
  explicit TestRun(const TestDecoder& decoder = TestDecoder(),
                   const ContextOptions& options = test_options(), int64_t num_blocks = 24)
      : engine(decoder.load()),
        context(std::move(Context::create(engine, options, memory)).value()),
        pool(std::move(kvcache::BlockPool::create(KvLayout(engine->spec().kv.layers, DType::kF32),
                                                  num_blocks, memory))
                 .value()) {}

  kvcache::SequenceCache sequence() { return {pool, nullptr}; }
  /// One step of one sequence that must succeed; its logits.
  std::vector<float> step(kvcache::SequenceCache& cache, std::span<const int32_t> tokens,
                          SequenceStep::Logits logits = SequenceStep::Logits::kLast) {
    const SequenceStep one{&cache, tokens, logits};
    const Status status = context->step({&one, 1});
    if (!status.ok()) throw Error(status);
    return {context->logits().begin(), context->logits().end()};
  }

  HugeMemory memory;
  std::shared_ptr<const engine::Engine> engine;
  std::unique_ptr<Context> context;
  kvcache::BlockPool pool;
};

inline std::vector<int32_t> test_tokens(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int32_t> tokens(count);
  for (int32_t& token : tokens) token = static_cast<int32_t>(random() % TestDecoder::kVocab);
  return tokens;
}

}  // namespace legato::runtime
