#include "builder/kv_binding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builder/builder_fixture.h"
#include "builder/sequence_walk.h"

namespace legato::builder {
namespace {

using testing::HasSubstr;

TEST(KvBinding, CollectsLayersInOrder) {
  const KvBinding binding = bind_kv_cache(ir::parse(decoder_text()), true);
  EXPECT_TRUE(binding.bound);
  ASSERT_EQ(binding.kv.layers.size(), 2u);
  EXPECT_EQ(binding.kv.layers[0], (KvLayerSpec{2, 16, 0, 0}));
  EXPECT_EQ(binding.kv.layers[1], (KvLayerSpec{2, 16, 9, 2}));
}

TEST(KvBinding, LayerUsedTwiceIsRefused) {
  std::string text = decoder_text();
  text.replace(text.find("layer=1"), 7, "layer=0");
  EXPECT_THAT(failure_of([&] { bind_kv_cache(ir::parse(text), false); }).to_string(),
              HasSubstr("uses cache layer 0, expected one of its own"));
}

TEST(KvBinding, HoleInTheLayersIsRefused) {
  std::string text = decoder_text();
  text.replace(text.find("layer=1"), 7, "layer=3");
  EXPECT_THAT(failure_of([&] { bind_kv_cache(ir::parse(text), false); }).to_string(),
              HasSubstr("has cache layer 3, expected layer 1"));
}

TEST(KvBinding, GraphWithoutAttentionHasNoCache) {
  const ir::Graph graph = ir::parse(graph_text(R"(
  input %x: f32[tokens, 8]
  constant %w: f32[4, 8]
  %y: f32[tokens, 4] = Linear(%x, %w)
  output "y" = %y
)"));
  const KvBinding binding = bind_kv_cache(graph, false);
  EXPECT_FALSE(binding.bound);
  EXPECT_EQ(binding.reason, "the graph has no attention");
  EXPECT_THAT(failure_of([&] { bind_kv_cache(graph, true); }).to_string(),
              HasSubstr("no KV cache can be bound, which was required"));
}

constexpr char kPooling[] = R"(
  input %input_ids: i32[tokens]
  constant %table: f32[9, 8]
  %h: f32[tokens, 8] = Embedding(%input_ids, %table) "embed"
  %mean: f32[1, 8] = ReduceMean(%h) {axes=[0], keepdims=1} "pool"
  output "y" = %mean
)";

TEST(KvBinding, NamesTheNodeThatStopsIt) {
  const ir::Graph graph = ir::parse(graph_text(kPooling));
  EXPECT_EQ(bind_kv_cache(graph, false).reason, "node pool: ReduceMean combines all positions");
  const Status status = failure_of([&] { bind_kv_cache(graph, true); });
  EXPECT_EQ(status.code, Code::kUnsupported);
  EXPECT_THAT(status.to_string(), HasSubstr("pool: ReduceMean combines all positions"));
}

TEST(KvBinding, CacheBesideANodeThatMixesPositionsIsRefused) {
  std::string text = decoder_text();
  const std::string before = "  %last:";
  text.insert(text.find(before),
              "  %mean: f32[1, 64] = ReduceMean(%h3) {axes=[0], keepdims=1} \"pool\"\n");
  text.insert(text.rfind("}"), "  output \"mean\" = %mean\n");
  EXPECT_THAT(failure_of([&] { bind_kv_cache(ir::parse(text), false); }).to_string(),
              HasSubstr("pool: ReduceMean combines all positions"));
}

TEST(SequenceWalk, SliceAlongTheSequenceMovesPositions) {
  const ir::Graph graph = ir::parse(graph_text(R"(
  input %input_ids: i32[tokens]
  %cut: i32[4] = Slice(%input_ids) {axes=[0], ends=[5], starts=[1]} "cut"
  output "y" = %cut
)"));
  const auto obstacle = find_obstacle(graph);
  ASSERT_TRUE(obstacle);
  EXPECT_EQ(obstacle->node, "cut");
  EXPECT_EQ(obstacle->reason, "Slice moves positions");
}

TEST(SequenceWalk, PickingRowsByAnInputEndsTheAxis) {
  EXPECT_EQ(find_obstacle(ir::parse(decoder_text())), std::nullopt);
}

TEST(SequenceWalk, PickingRowsByComputedIndicesDoesNot) {
  const ir::Graph graph = ir::parse(graph_text(R"(
  input %input_ids: i32[tokens]
  constant %table: f32[9, 8]
  constant %rows: i32[1] = [3]
  %h: f32[tokens, 8] = Embedding(%input_ids, %table)
  %last: f32[1, 8] = Gather(%h, %rows) {axis=0} "pick"
  output "y" = %last
)"));
  const auto obstacle = find_obstacle(graph);
  ASSERT_TRUE(obstacle);
  EXPECT_EQ(obstacle->node, "pick");
}

}  // namespace
}  // namespace legato::builder
