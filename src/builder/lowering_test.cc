#include "builder/lowering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builder/builder_fixture.h"
#include "builder/kv_binding.h"
#include "builder/weight_stream.h"
#include "engine/engine.h"
#include "engine/validate.h"

namespace legato::builder {
namespace {

using engine::Storage;
using testing::HasSubstr;

Program lowered(const std::string& text,
                const kernels::TacticRegistry& registry = kernels::tactics()) {
  const ir::Graph graph = ir::parse(text);
  Program program;
  program.spec.kv = bind_kv_cache(graph, false).kv;
  lower(graph, {}, registry, program);
  const Status status = engine::validate_spec(program.spec, "spec");
  EXPECT_TRUE(status.ok()) << status.to_string();
  return program;
}

const engine::ValueSpec& value(const Program& program, const engine::OperandRef& operand) {
  return program.spec.values[static_cast<size_t>(operand.value)];
}

TEST(Lowering, OneStepANodeInOrder) {
  const Program program = lowered(decoder_text());
  EXPECT_EQ(program.spec.steps.size(), ir::parse(decoder_text()).order().size());
  EXPECT_EQ(program.spec.steps.front().op, "Embedding");
  EXPECT_EQ(program.spec.steps.back().op, "Linear");
  EXPECT_EQ(program.spec.inputs.size(), 3u);
  ASSERT_EQ(program.spec.outputs.size(), 1u);
  EXPECT_EQ(program.spec.values[static_cast<size_t>(program.spec.outputs[0])].name, "logits");
}

TEST(Lowering, TiedWeightIsStoredOnceInTheLayoutThatLinearWants) {
  const Program program = lowered(decoder_text());
  int tables = 0;
  for (const engine::WeightSpec& weight : program.spec.weights) {
    if (weight.name != "table") continue;
    ++tables;
    EXPECT_EQ(weight.layout, WeightLayout::kRows32);
    EXPECT_EQ(weight.bytes, 96u * 64 * 4);
  }
  EXPECT_EQ(tables, 1);
  EXPECT_EQ(program.spec.steps.front().inputs[1].value, program.spec.steps.back().inputs[1].value);
}

TEST(Lowering, ReadersThatCannotAgreeGetACopyEach) {
  // The reference embedding reads plain rows only; a Linear for the CPU wants panels.
  const ir::Graph graph = ir::parse(graph_text(R"(
  input %ids: i32[tokens]
  constant %table: f32[40, 8]
  %h: f32[tokens, 8] = Gather(%table, %ids) {axis=0}
  %y: f32[tokens, 40] = Linear(%h, %table)
  output "y" = %y
)"));
  Program program;
  lower(graph, {}, kernels::tactics(), program);
  ASSERT_EQ(program.spec.weights.size(), 2u);
  EXPECT_EQ(program.spec.weights[0].layout, WeightLayout::kPlain);
  EXPECT_EQ(program.spec.weights[1].layout, WeightLayout::kRows32);
}

TEST(Lowering, SliceOfColumnsIsReadInPlace) {
  const Program program = lowered(graph_text(R"(
  input %x: f32[tokens, 64]
  constant %w: f32[128, 64]
  %qkv: f32[tokens, 128] = Linear(%x, %w)
  %q: f32[tokens, 64] = Slice(%qkv) {axes=[1], ends=[64], starts=[0]}
  %kv: f32[tokens, 64] = Slice(%qkv) {axes=[-1], ends=[9223372036854775807], starts=[64]}
  %k: f32[tokens, 32] = Slice(%kv) {axes=[1], ends=[32], starts=[0]}
  %v: f32[tokens, 32] = Slice(%kv) {axes=[1], ends=[64], starts=[-32]}
  %a: f32[tokens, 64] = Attention(%q, %k, %v) {head_dim=16, heads=4, kv_heads=2, layer=0, scale=1.0}
  output "y" = %a
)"));
  ASSERT_EQ(program.spec.steps.size(), 2u);
  const auto& inputs = program.spec.steps[1].inputs;
  EXPECT_EQ(inputs[0], (engine::OperandRef{inputs[0].value, 0, 64}));
  EXPECT_EQ(inputs[1], (engine::OperandRef{inputs[0].value, 64, 32}));
  EXPECT_EQ(inputs[2], (engine::OperandRef{inputs[0].value, 96, 32}));
  EXPECT_EQ(value(program, inputs[0]).name, "qkv");
}

TEST(Lowering, SliceThatIsAnOutputIsCopied) {
  const Program program = lowered(graph_text(R"(
  input %x: f32[tokens, 64]
  %y: f32[tokens, 8] = Slice(%x) {axes=[1], ends=[8], starts=[0]}
  output "y" = %y
)"));
  ASSERT_EQ(program.spec.steps.size(), 1u);
  EXPECT_EQ(program.spec.steps[0].op, "Slice");
}

TEST(Lowering, SliceWithAStepIsCopied) {
  const Program program = lowered(graph_text(R"(
  input %x: f32[tokens, 64]
  %s: f32[tokens, 32] = Slice(%x) {axes=[1], ends=[64], starts=[0], steps=[2]}
  %y: f32[tokens, 32] = Add(%s, %s)
  output "y" = %y
)"));
  EXPECT_EQ(program.spec.steps.size(), 2u);
}

TEST(Lowering, SliceOfRowsIsCopied) {
  const Program program = lowered(graph_text(R"(
  input %x: f32[6, 64]
  %s: f32[3, 64] = Slice(%x) {axes=[0], ends=[3], starts=[0]}
  %y: f32[3, 64] = Add(%s, %s)
  output "y" = %y
)"));
  EXPECT_EQ(program.spec.steps.size(), 2u);
}

TEST(Lowering, ReshapeIsAnotherNameForTheSameBytes) {
  const Program program = lowered(graph_text(R"(
  input %x: f32[tokens, 64]
  %a: f32[tokens, 64] = Add(%x, %x)
  %r: f32[tokens, 4, 16] = Reshape(%a) {shape=[-1, 4, 16]}
  %y: f32[tokens, 4, 16] = Add(%r, %r)
  output "y" = %y
)"));
  ASSERT_EQ(program.spec.steps.size(), 2u);
  const engine::ValueSpec& alias = value(program, program.spec.steps[1].inputs[0]);
  const engine::ValueSpec& root = value(program, program.spec.steps[0].outputs[0]);
  EXPECT_EQ(alias.name, "r");
  EXPECT_EQ(alias.storage, Storage::kSlot);
  EXPECT_EQ(alias.index, root.index);
}

TEST(Lowering, ReshapedOutputIsWrittenWhereTheOutputLies) {
  const Program program = lowered(graph_text(R"(
  input %x: f32[tokens, 64]
  %a: f32[tokens, 64] = Add(%x, %x)
  %r: f32[tokens, 4, 16] = Reshape(%a) {shape=[-1, 4, 16]}
  output "y" = %r
)"));
  ASSERT_EQ(program.spec.steps.size(), 1u);
  EXPECT_EQ(value(program, program.spec.steps[0].outputs[0]).storage, Storage::kOutput);
  EXPECT_EQ(program.spec.values[static_cast<size_t>(program.spec.outputs[0])].name, "y");
}

TEST(Lowering, SliceBehindAReshapeIsCopied) {
  const Program program = lowered(graph_text(R"(
  input %x: f32[tokens, 64]
  %s: f32[tokens, 32] = Slice(%x) {axes=[1], ends=[32], starts=[0]}
  %r: f32[tokens, 2, 16] = Reshape(%s) {shape=[-1, 2, 16]}
  %y: f32[tokens, 2, 16] = Add(%r, %r)
  output "y" = %y
)"));
  EXPECT_EQ(program.spec.steps.size(), 2u);
  EXPECT_EQ(program.spec.steps[0].op, "Slice");
}

TEST(Lowering, InputsConstantsAndSecondOutputsAreCopied) {
  const Program program = lowered(graph_text(R"(
  input %x: f32[tokens, 4]
  constant %c: f32[4] = [1.0, 2.0, 3.0, 4.0]
  %a: f32[tokens, 4] = Add(%x, %c)
  output "x" = %x
  output "c" = %c
  output "a" = %a
  output "again" = %a
)"));
  EXPECT_EQ(program.spec.steps.size(), 4u);
  ASSERT_EQ(program.spec.outputs.size(), 4u);
  const char* names[] = {"x", "c", "a", "again"};
  for (size_t i = 0; i < 4; ++i) {
    const auto& output = program.spec.values[static_cast<size_t>(program.spec.outputs[i])];
    EXPECT_EQ(output.storage, Storage::kOutput);
    EXPECT_EQ(output.index, static_cast<int32_t>(i));
    EXPECT_EQ(output.name, names[i]);
  }
}

TEST(Lowering, AbsentOptionalInputsStayAbsent) {
  const Program program = lowered(graph_text(R"(
  input %x: f32[tokens, 8]
  constant %w: f32[8, 8]
  %y: f32[tokens, 8] = Linear(%x, %w, none, %x)
  output "y" = %y
)"));
  ASSERT_EQ(program.spec.steps[0].inputs.size(), 4u);
  EXPECT_EQ(program.spec.steps[0].inputs[2], engine::OperandRef{});
}

TEST(Lowering, ProfileHasEverySymbolOfTheInputs) {
  const Program program = lowered(decoder_text());
  ASSERT_EQ(program.spec.profile.size(), 2u);
  EXPECT_EQ(program.spec.profile[0], (engine::ProfileDim{"logit_rows", 0, 1, 512}));
  EXPECT_EQ(program.spec.profile[1], (engine::ProfileDim{"tokens", 1, 1, 512}));
}

TEST(Lowering, NodeWithoutATacticIsNamed) {
  const kernels::TacticRegistry none;
  Program program;
  const Status status = failure_of([&] { lower(ir::parse(decoder_text()), {}, none, program); });
  EXPECT_EQ(status.code, Code::kUnsupported);
  EXPECT_THAT(status.to_string(), HasSubstr("h0: Embedding: no tactic supports it"));
}

/// Every weight of a file against its constant, element by element.
TEST(WeightStream, WritesEachElementWhereItsLayoutSays) {
  const TemporaryFolder folder;
  Program program = lowered(decoder_text());
  program.spec.precision = "fp32";
  {
    auto writer =
        value_or_throw(engine::EngineWriter::create(folder / "x.engine", program.spec, ""));
    stream_weights(program, writer, nullptr);
    throw_if_failed(writer.finish());
  }
  const auto engine = value_or_throw(engine::Engine::load(folder / "x.engine", {}));
  for (size_t i = 0; i < program.weights.size(); ++i) {
    const engine::WeightSpec& weight = engine->spec().weights[i];
    const Tensor source = program.weights[i]->load();
    const auto* stored = reinterpret_cast<const float*>(engine->weights() + weight.offset);
    const int64_t columns = weight.shape[weight.shape.rank() - 1];
    const int64_t rows = weight.shape.elements() / columns;
    const int64_t stored_rows = static_cast<int64_t>(weight.bytes) / 4 / columns;
    for (int64_t row = 0; row < stored_rows; ++row) {
      for (int64_t column = 0; column < columns; ++column) {
        const float expected = row < rows ? source.data<float>()[row * columns + column] : 0.0f;
        ASSERT_EQ(stored[layout_index(weight.layout, columns, row, column)], expected)
            << weight.name << " " << row << " " << column;
      }
    }
  }
}

/// Many chunks and a ragged end, with every row told from the others.
TEST(WeightStream, ChunksJoinWithoutASeam) {
  const TemporaryFolder folder;
  BuildInput input;
  const int64_t rows = 3001, columns = 1024;
  const ir::ValueId x = input.graph.add_input("x", {DType::kF32, {Dim::symbol("tokens"), columns}});
  const auto constant = ir::random_normal(DType::kF32, {rows, columns}, 7, 1.0f);
  input.graph.add_output(
      "y", input.graph.add("Linear", "linear", {x, input.graph.add_constant("w", constant)}));
  build(std::move(input), {}, folder / "x.engine");
  const auto engine = value_or_throw(engine::Engine::load(folder / "x.engine", {}));
  ASSERT_EQ(engine->spec().weights[0].layout, WeightLayout::kRows32);
  const auto* stored = reinterpret_cast<const float*>(engine->weights());
  const Tensor source = constant->load();
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; column += 97)
      ASSERT_EQ(stored[layout_index(WeightLayout::kRows32, columns, row, column)],
                source.data<float>()[row * columns + column]);
}

}  // namespace
}  // namespace legato::builder
