// Sliding windows and attention sinks: who sees whom, found out by changing one token.

#include <gtest/gtest.h>

#include <cstring>

#include "tests/conformance/invariants/reference.h"
#include "tests/conformance/invariants/trace.h"

namespace legato::invariants {
namespace {

constexpr int64_t kVocab = 64, kWidth = 32, kHeads = 4, kKvHeads = 2, kHeadDim = 16;

struct Mask {
  int64_t window = 0;  ///< 0: everything before is visible
  int64_t sinks = 0;

  bool sees(int64_t position, int64_t other) const {
    if (other > position) return false;
    return window == 0 || other > position - window || other < sinks;
  }
};

/// Builds decoders from attention layers alone.
class MaskedDecoder {
 public:
  MaskedDecoder(const Mask& mask, int64_t layers) {
    const Dim tokens = Dim::symbol("tokens");
    const ir::ValueId ids = graph_.add_input("input_ids", {DType::kI32, {tokens}});
    const ir::ValueId positions = graph_.add_input("positions", {DType::kI32, {tokens}});
    const ir::ValueId rows =
        graph_.add_input("logit_rows", {DType::kI32, {Dim::symbol("logit_rows")}});
    const ir::ValueId table =
        graph_.add("RotaryTable", "rope", {positions},
                   {{"inv_freq", std::vector<double>(kHeadDim / 2, 0.125)}, {"scale", 1.0}});
    ir::ValueId x = graph_.add("Embedding", "embed", {ids, weight("table", {kVocab, kWidth}, 1)});
    for (int64_t i = 0; i < layers; ++i) x = layer(i, x, table, mask);
    x = graph_.add("Gather", "last", {x, rows}, {{"axis", int64_t{0}}});
    graph_.add_output("logits", linear("head", x, kVocab, kWidth));
  }

  const ir::Graph& graph() const { return graph_; }
  std::shared_ptr<const engine::Engine> engine() const {
    ModelInfo info;
    info.architecture = "masked";
    info.vocab_size = kVocab;
    info.max_context = 256;
    return build_engine(graph_, info);
  }

 private:
  ir::ValueId weight(const std::string& name, Shape shape, float deviation) {
    return graph_.add_constant(name, ir::random_normal(DType::kF32, shape, ++seed_, deviation));
  }
  ir::ValueId linear(const std::string& name, ir::ValueId x, int64_t rows, int64_t columns) {
    return graph_.add(
        "Linear", name, {x, weight(name + ".weight", {rows, columns}, 0.25f)},
        {{"activation", std::string("none")}, {"norm", std::string("none")}, {"epsilon", 1e-5}});
  }
  ir::ValueId layer(int64_t index, ir::ValueId x, ir::ValueId table, const Mask& mask) {
    const std::string name = "layer" + std::to_string(index);
    const auto rope = [&](const char* part, ir::ValueId value) {
      return graph_.add(
          "Rope", name + part, {value, table},
          {{"head_dim", kHeadDim}, {"rotary_dim", kHeadDim}, {"interleaved", int64_t{0}}});
    };
    const ir::ValueId q = rope(".qr", linear(name + ".q", x, kHeads * kHeadDim, kWidth));
    const ir::ValueId k = rope(".kr", linear(name + ".k", x, kKvHeads * kHeadDim, kWidth));
    const ir::ValueId v = linear(name + ".v", x, kKvHeads * kHeadDim, kWidth);
    const ir::ValueId mixed = graph_.add("Attention", name + ".attention", {q, k, v},
                                         {{"heads", kHeads},
                                          {"kv_heads", kKvHeads},
                                          {"head_dim", kHeadDim},
                                          {"scale", 0.25},
                                          {"layer", index},
                                          {"window", mask.window},
                                          {"sinks", mask.sinks}});
    const ir::ValueId out = linear(name + ".o", mixed, kWidth, kHeads * kHeadDim);
    return graph_.add("Add", name + ".add", {x, out});
  }

  ir::Graph graph_;
  uint64_t seed_ = 0;
};

const Mask kMasks[] = {{0, 0}, {1, 0}, {5, 0},   {32, 0}, {40, 0},
                       {5, 1}, {7, 4}, {32, 33}, {90, 3}, {1, 2}};

std::vector<float> rows_of(Runner& runner, const std::vector<int32_t>& tokens, size_t chunk) {
  kvcache::SequenceCache cache = runner.sequence();
  std::vector<float> rows;
  for (size_t i = 0; i < tokens.size(); i += chunk) {
    runner.step(cache, std::span(tokens).subspan(i, std::min(chunk, tokens.size() - i)));
    rows.insert(rows.end(), runner.context->logits().begin(), runner.context->logits().end());
  }
  return rows;
}

TEST(Mask, AChangedTokenReachesExactlyThePositionsThatSeeIt) {
  for (const Mask& mask : kMasks) {
    Runner runner(MaskedDecoder(mask, 1).engine(), DType::kF32, {2});
    const std::vector<int32_t> tokens = random_prompt(runner, 90, 1);
    for (const size_t chunk : {90u, 1u}) {
      const std::vector<float> before = rows_of(runner, tokens, chunk);
      for (const size_t changed : {0u, 2u, 3u, 31u, 50u}) {
        std::vector<int32_t> others = tokens;
        others[changed] = (others[changed] + 1) % kVocab;
        const std::vector<float> after = rows_of(runner, others, chunk);
        for (size_t p = 0; p < tokens.size(); ++p) {
          const bool same =
              std::memcmp(&before[p * kVocab], &after[p * kVocab], kVocab * sizeof(float)) == 0;
          ASSERT_EQ(!same, mask.sees(static_cast<int64_t>(p), static_cast<int64_t>(changed)))
              << "window " << mask.window << ", sinks " << mask.sinks << ": position " << p
              << ", changed " << changed << ", chunks of " << chunk;
        }
      }
    }
  }
}

TEST(Mask, WindowsAndSinksEqualTheReference) {
  for (const Mask& mask : kMasks) {
    const MaskedDecoder decoder(mask, 3);
    Runner runner(decoder.engine(), DType::kF32, {2});
    const std::vector<int32_t> tokens = random_prompt(runner, 130, 2);
    const std::vector<float> whole = rows_of(runner, tokens, 60);
    EXPECT_LT(relative_difference(whole, recompute(decoder.graph(), tokens)),
              recompute_tolerance(DType::kF32, longest_sum(decoder.graph())))
        << "window " << mask.window << ", sinks " << mask.sinks;
    EXPECT_EQ(rows_of(runner, tokens, 1), whole)
        << "window " << mask.window << ", sinks " << mask.sinks;
  }
}

}  // namespace
}  // namespace legato::invariants
