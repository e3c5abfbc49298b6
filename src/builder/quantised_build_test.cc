#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builder/builder_fixture.h"
#include "builder/weight_stream.h"
#include "engine/engine.h"
#include "quant/quantised.h"
#include "tensor/quant_panel.h"

namespace legato::builder {
namespace {

BuildOptions quantised_options(DType precision) {
  BuildOptions options;
  options.precision = precision;
  return options;
}

TEST(QuantisedBuild, QuantisedEnginesAreEqualByteForByteAndAsPlanned) {
  const TemporaryFolder folder;
  std::string text = decoder_text();
  for (const DType precision : {DType::kW8, DType::kW4}) {
    const BuildOptions options = quantised_options(precision);
    const BuildReport report = build(input_of(text), options, folder / "a.engine");
    build(input_of(text), options, folder / "b.engine");
    EXPECT_EQ(engine::file_bytes(folder / "a.engine"), engine::file_bytes(folder / "b.engine"));
    EXPECT_EQ(report.precision, dtype_name(precision));
    const auto engine = engine::Engine::load(folder / "a.engine", {});
    ASSERT_TRUE(engine.ok()) << engine.status().to_string();
    const engine::EngineSpec& spec = (*engine)->spec();
    EXPECT_EQ(spec, plan_spec(input_of(text), options));
    EXPECT_EQ(spec.kv.default_dtype, DType::kF16);
    EXPECT_EQ(spec.precision, dtype_name(precision));
    size_t quantised = 0;
    for (const engine::WeightSpec& weight : spec.weights) {
      if (weight.shape.rank() != 2) continue;
      const bool tied = weight.shape[0] == 70;
      EXPECT_EQ(weight.dtype, tied ? DType::kW8 : precision) << weight.name;
      EXPECT_EQ(weight.bytes,
                layout_bytes(weight.layout, weight.dtype, weight.shape[0], weight.shape[1]));
      ++quantised;
    }
    EXPECT_EQ(quantised, 1u + 2 * 2 + 2);  // the table once, qkv and output twice, one MLP
  }
}

TEST(QuantisedBuild, QuantisedWeightsLieInTheFileAsTheyAreRead) {
  const TemporaryFolder folder;
  build(input_of(decoder_text()), quantised_options(DType::kW8), folder / "x.engine");
  const auto engine = engine::Engine::load(folder / "x.engine", {});
  ASSERT_TRUE(engine.ok()) << engine.status().to_string();
  const ir::Graph graph = ir::parse(decoder_text());
  size_t compared = 0;
  for (const engine::WeightSpec& weight : (*engine)->spec().weights) {
    const std::string source = weight.name.substr(0, weight.name.find('.'));
    if (source != "table" && source != "down0" && source != "wo1") continue;
    for (size_t id = 0; id < graph.num_values(); ++id) {
      const ir::Value& value = graph.value(static_cast<ir::ValueId>(id));
      if (value.name != source) continue;
      const Tensor expected = quant::quantised(value.constant, DType::kW8, source)->load();
      std::vector<float> want(static_cast<size_t>(weight.shape[1])), got(want.size());
      const size_t row_bytes = *dtype_row_bytes(DType::kW8, weight.shape[1]);
      for (int64_t row = 0; row < weight.shape[0]; ++row) {
        const auto offset = static_cast<size_t>(row) * row_bytes;
        dequantize_row(DType::kW8, expected.raw().data() + offset, weight.shape[1], want.data());
        const std::byte* stored = (*engine)->weights() + weight.offset;
        if (weight.layout == WeightLayout::kPlain) {
          dequantize_row(DType::kW8, stored + offset, weight.shape[1], got.data());
        } else {
          dequantize_panel_row(
              DType::kW8,
              stored + static_cast<uint64_t>(row / 32) * panel_bytes(DType::kW8, weight.shape[1]),
              row % 32, weight.shape[1], got.data());
        }
        ASSERT_EQ(got, want) << weight.name << " row " << row;
      }
      ++compared;
    }
  }
  EXPECT_EQ(compared, 3u);
}

TEST(QuantisedBuild, PanelsOfQuantisedRowsAreStreamed) {
  const TemporaryFolder folder;
  Program program;
  program.spec = engine::small_spec();
  const ir::ConstantPtr source = ir::random_normal(DType::kF32, {40, 64}, 3, 0.1f);
  const ir::ConstantPtr matrix = quant::quantised(source, DType::kW4, "w");
  const uint64_t bytes = *layout_bytes(WeightLayout::kRows32, DType::kW4, 40, 64);
  engine::EngineSpec& spec = program.spec;
  spec.weights[1] = {"qkv", DType::kW4, {40, 64}, WeightLayout::kRows32, 192, bytes};
  spec.values[2].dtype = DType::kW4;
  spec.values[2].shape = {40, 64};
  spec.weights[2].offset = 192 + bytes;
  spec.weights_bytes = spec.weights[2].offset + 64;
  program.weights = {ir::random_normal(DType::kF32, {5, 8}, 1, 1.0f), matrix,
                     ir::random_normal(DType::kF32, {3}, 2, 1.0f)};
  auto writer = value_or_throw(engine::EngineWriter::create(folder / "x.engine", spec, ""));
  stream_weights(program, writer, nullptr);
  throw_if_failed(writer.finish());
  const auto engine = value_or_throw(engine::Engine::load(folder / "x.engine", {}));
  std::vector<float> want(64), got(64);
  const Tensor rows = matrix->load();
  for (int64_t row = 0; row < 40; ++row) {
    dequantize_row(DType::kW4, rows.raw().data() + static_cast<size_t>(row) * 40, 64, want.data());
    dequantize_panel_row(DType::kW4,
                         engine->weights() + 192 + static_cast<uint64_t>(row / 32) * bytes / 2,
                         row % 32, 64, got.data());
    ASSERT_EQ(got, want) << row;
  }
}

TEST(QuantisedBuild, RefusesWhatCannotBeQuantised) {
  const auto message = [](const BuildOptions& options) {
    return failure_of([&] { plan_spec(input_of(decoder_text()), options); }).to_string();
  };
  BuildOptions options = quantised_options(DType::kI8);
  EXPECT_EQ(message(options), "precision: is i8, expected f32, f16, bf16, w8 or w4");
  options = quantised_options(DType::kW4);
  options.group = 32;
  EXPECT_EQ(message(options), "");
  options.group = 64;
  EXPECT_EQ(message(options), "group: is 64, expected 32, the only one of w4 on the CPU");
  options.precision = DType::kW8;
  options.group = 32;
  EXPECT_EQ(message(options), "group: is 32, expected none: no weights are w4");
  options.head_precision = DType::kW4;
  EXPECT_EQ(message(options), "");
  options.head_precision = DType::kQ8_0;
  EXPECT_EQ(message(options), "head_precision: is q8_0, expected f32, f16, bf16, w8 or w4");
}

}  // namespace
}  // namespace legato::builder
