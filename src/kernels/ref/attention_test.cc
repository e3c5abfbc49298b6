#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "passes/testing.h"

namespace legato::kernels {
namespace {
using passes::evaluate;
using passes::f32;
using passes::i32;
using passes::random_f32;

constexpr int32_t kTokens = 70;

/// Which positions each position sees, read off the output: with equal scores the result is the
/// mean of one-hot values.
std::vector<std::vector<bool>> visible(const std::string& attributes) {
  const ir::Graph graph = ir::parse(
      "graph { input %q: f32[t, 70]  input %v: f32[t, 70]\n"
      "%y: f32[t, 70] = Attention(%q, %q, %v) {heads=1, kv_heads=1, "
      "head_dim=70, scale=1.0, layer=0" +
      attributes + "}\n output \"y\" = %y }");
  Tensor v(DType::kF32, {kTokens, kTokens});
  for (int64_t i = 0; i < kTokens; ++i) v.data<float>()[i * kTokens + i] = 1.0f;
  const Tensor y = evaluate(graph, {{"q", Tensor(DType::kF32, {kTokens, kTokens})}, {"v", v}})[0];
  std::vector<std::vector<bool>> seen(kTokens, std::vector<bool>(kTokens));
  for (size_t p = 0; p < kTokens; ++p)
    for (size_t key = 0; key < kTokens; ++key)
      seen[p][key] = y.data<float>()[p * kTokens + key] > 0;
  return seen;
}

TEST(ReferenceAttention, MaskIsCausalWithWindowAndSinks) {
  const auto causal = visible("");
  const auto window = visible(", window=8");
  const auto sinks = visible(", window=8, sinks=3");
  for (int p = 0; p < kTokens; ++p) {
    for (int key = 0; key < kTokens; ++key) {
      const auto at = [&](const auto& mask) {
        return static_cast<bool>(mask[static_cast<size_t>(p)][static_cast<size_t>(key)]);
      };
      ASSERT_EQ(at(causal), key <= p) << p << " " << key;
      ASSERT_EQ(at(window), key <= p && p - key < 8) << p << " " << key;
      ASSERT_EQ(at(sinks), key <= p && (p - key < 8 || key < 3)) << p << " " << key;
    }
  }
}

constexpr char kFull[] = R"(graph {
  input %q: f32[t, 24]
  input %k: f32[t, 12]
  input %v: f32[t, 12]
  input %table: f32[t, 4]
  input %qn: f32[6]
  input %kn: f32[6]
  %y: f32[t, 24] = Attention(%q, %k, %v, %table, %qn, %kn) {heads=4, kv_heads=2, head_dim=6, scale=0.4, layer=1, window=40, sinks=2, softcap=3.0, rotary_dim=4, norm_epsilon=1e-06}
  output "y" = %y
})";

/// Rows [first, first + count) of a matrix.
Tensor rows(const Tensor& all, int64_t first, int64_t count) {
  Tensor part(DType::kF32, {count, all.shape()[1]});
  std::memcpy(part.raw().data(), all.data<float>() + first * all.shape()[1], part.bytes());
  return part;
}

TEST(ReferenceAttention, PagedCacheInAnyChunksEqualsOwnTokens) {
  const ir::Graph graph = ir::parse(kFull);
  std::map<std::string, Tensor> all = {
      {"q", random_f32({kTokens, 24}, 1)}, {"k", random_f32({kTokens, 12}, 2)},
      {"v", random_f32({kTokens, 12}, 3)}, {"table", random_f32({kTokens, 4}, 4)},
      {"qn", random_f32({6}, 5)},          {"kn", random_f32({6}, 6)}};
  const Tensor whole = evaluate(graph, all)[0];

  const KvLayout layout({{1, 8, 0, 0}, {2, 6, 40, 2}}, DType::kF32);
  std::vector<std::byte> pool(layout.block_bytes() * 7);
  const KvView kv{pool.data(), &layout};
  const std::vector<int32_t> blocks = {5, 0, 3};
  int32_t past = 0;
  for (const int32_t count : {1, 30, 1, 5, 33}) {
    std::map<std::string, Tensor> chunk = all;
    for (const char* name : {"q", "k", "v", "table"}) chunk[name] = rows(all[name], past, count);
    const SequenceSpan span{0, count, past, blocks.data()};
    const RaggedBatch batch{{&span, 1}, count};
    const Tensor part = evaluate(graph, chunk, &batch, &kv)[0];
    EXPECT_EQ(passes::max_difference(part, rows(whole, past, count)), 0) << past;
    past += count;
  }
  ASSERT_EQ(past, kTokens);
}

TEST(ReferenceAttention, SequencesOfABatchDoNotSeeEachOther) {
  const ir::Graph graph = ir::parse(kFull);
  std::map<std::string, Tensor> all = {
      {"q", random_f32({9, 24}, 1)}, {"k", random_f32({9, 12}, 2)},
      {"v", random_f32({9, 12}, 3)}, {"table", random_f32({9, 4}, 4)},
      {"qn", random_f32({6}, 5)},    {"kn", random_f32({6}, 6)}};
  const std::vector<SequenceSpan> spans = {{0, 4, 0, nullptr}, {4, 5, 0, nullptr}};
  const RaggedBatch batch{spans, 9};
  const Tensor both = evaluate(graph, all, &batch)[0];
  for (const SequenceSpan& span : spans) {
    std::map<std::string, Tensor> alone = all;
    for (const char* name : {"q", "k", "v", "table"})
      alone[name] = rows(all[name], span.first_token, span.num_tokens);
    EXPECT_EQ(passes::max_difference(evaluate(graph, alone)[0],
                                     rows(both, span.first_token, span.num_tokens)),
              0);
  }
}

TEST(ReferenceAttention, FollowsTheFormula) {
  // Two positions, one head of one number: weights are the softmax of 0.5*q*k.
  const ir::Graph graph = ir::parse(R"(graph {
    input %q: f32[t, 1]
    input %k: f32[t, 1]
    input %v: f32[t, 1]
    %y: f32[t, 1] = Attention(%q, %k, %v) {heads=1, kv_heads=1, head_dim=1, scale=0.5, layer=0}
    %c: f32[t, 1] = Attention(%q, %k, %v) {heads=1, kv_heads=1, head_dim=1, scale=0.5, layer=0, softcap=0.5}
    output "y" = %y
    output "c" = %c
  })");
  const auto y = evaluate(
      graph,
      {{"q", f32({2, 1}, {7, 2})}, {"k", f32({2, 1}, {1, 3})}, {"v", f32({2, 1}, {10, 20})}});
  const double weight = std::exp(3.0) / (std::exp(1.0) + std::exp(3.0));
  EXPECT_FLOAT_EQ(y[0].data<float>()[0], 10);
  EXPECT_FLOAT_EQ(y[0].data<float>()[1], static_cast<float>(10 + 10 * weight));
  const double a = 0.5 * std::tanh(2.0);
  const double b = 0.5 * std::tanh(6.0);
  EXPECT_FLOAT_EQ(y[1].data<float>()[1],
                  static_cast<float>(10 + 10 * std::exp(b) / (std::exp(a) + std::exp(b))));
}

}  // namespace
}  // namespace legato::kernels
