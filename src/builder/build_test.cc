#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "builder/builder_fixture.h"
#include "device/cpu/huge_memory.h"
#include "engine/engine.h"
#include "engine/validate.h"

namespace legato::builder {
namespace {

using testing::HasSubstr;

TEST(Build, EqualInputsGiveEqualBytes) {
  const TemporaryFolder folder;
  build(input_of(decoder_text()), {}, folder / "a.engine");
  build(input_of(decoder_text()), {}, folder / "b.engine");
  EXPECT_EQ(engine::file_bytes(folder / "a.engine"), engine::file_bytes(folder / "b.engine"));
  EXPECT_EQ(folder.num_files(), 2u);
}

TEST(Build, WritesWhatPlanPromises) {
  const TemporaryFolder folder;
  for (const auto precision : {DType::kF32, DType::kF16, DType::kBF16}) {
    BuildOptions options;
    options.precision = precision;
    const BuildReport report = build(input_of(decoder_text()), options, folder / "x.engine");
    const auto engine = engine::Engine::load(folder / "x.engine", {});
    ASSERT_TRUE(engine.ok()) << engine.status().to_string();
    EXPECT_EQ((*engine)->spec(), plan_spec(input_of(decoder_text()), options));
    EXPECT_EQ((*engine)->file_bytes(), report.bytes);
    EXPECT_EQ((*engine)->spec().precision, report.precision);
  }
}

TEST(Build, ReportsTheCache) {
  const TemporaryFolder folder;
  BuildOptions options;
  options.precision = DType::kF16;
  const BuildReport report = build(input_of(decoder_text()), options, folder / "x.engine");
  EXPECT_TRUE(report.kv_bound);
  EXPECT_EQ(report.kv_reason, "");
  EXPECT_EQ(report.kv_layers, 2);
  EXPECT_EQ(report.kv_bytes_per_token, 2u * 2 * 2 * 16 * 2);
  EXPECT_EQ(report.precision, "fp16");
  EXPECT_FALSE(report.passes.empty());
  const engine::EngineSpec spec = plan_spec(input_of(decoder_text()), options);
  EXPECT_EQ(spec.kv.default_dtype, DType::kF16);
  EXPECT_EQ(spec.kv.layers[1], (KvLayerSpec{2, 16, 9, 2}));
}

TEST(Build, CacheTypeFollowsThePrecisionUnlessAsked) {
  BuildOptions options;
  EXPECT_EQ(plan_spec(input_of(decoder_text()), options).kv.default_dtype, DType::kF32);
  options.precision = DType::kBF16;
  EXPECT_EQ(plan_spec(input_of(decoder_text()), options).kv.default_dtype, DType::kBF16);
  options.kv_dtype = DType::kF32;
  EXPECT_EQ(plan_spec(input_of(decoder_text()), options).kv.default_dtype, DType::kF32);
  options.kv_dtype = DType::kI8;
  EXPECT_THAT(failure_of([&] { plan_spec(input_of(decoder_text()), options); }).to_string(),
              HasSubstr("kv_dtype: is i8, expected f32, f16 or bf16"));
}

TEST(Build, OptionsChangeTheFingerprint) {
  const TemporaryFolder folder;
  build(input_of(decoder_text()), {}, folder / "a.engine");
  BuildOptions options;
  options.max_step_tokens = 64;
  build(input_of(decoder_text()), options, folder / "b.engine");
  EXPECT_NE((*engine::Engine::open(folder / "a.engine"))->fingerprint(),
            (*engine::Engine::open(folder / "b.engine"))->fingerprint());
}

TEST(Build, RequiredLevelStandsInTheFile) {
  const TemporaryFolder folder;
  BuildOptions options;
  options.required_level = CpuLevel::kAvx2;
  build(input_of(decoder_text()), options, folder / "x.engine");
  engine::LoadOptions load;
  load.cpu_level = CpuLevel::kSse2;
  EXPECT_EQ(engine::Engine::load(folder / "x.engine", load).status().code, Code::kDeviceMismatch);
}

TEST(Build, IdsOutsideTheVocabularyAreLeftOut) {
  BuildInput input = input_of(decoder_text());
  input.model.eos_ids = {9, 2, 70, 9};
  input.model.pad_id = -1;
  input.model.bos_id = 69;
  const engine::EngineSpec spec = plan_spec(std::move(input), {});
  EXPECT_THAT(spec.model.eos_ids, testing::ElementsAre(2, 9));
  EXPECT_EQ(spec.model.pad_id, std::nullopt);
  EXPECT_EQ(spec.model.bos_id, 69);
}

TEST(Build, UnknownPassIsRefused) {
  BuildOptions options;
  options.disabled_passes = {"fuse-everything"};
  EXPECT_THAT(failure_of([&] { plan_spec(input_of(decoder_text()), options); }).to_string(),
              HasSubstr("\"fuse-everything\" is no pass"));
}

TEST(Build, ProgressRisesToTheWhole) {
  const TemporaryFolder folder;
  uint64_t last = 0, whole = 1;
  BuildOptions options;
  options.progress = [&](std::string_view, uint64_t done, uint64_t total) {
    EXPECT_GE(done, last);
    last = done;
    whole = total;
  };
  build(input_of(decoder_text()), options, folder / "x.engine");
  EXPECT_EQ(last, whole);
}

TEST(Build, FullDiskLeavesNoFile) {
  const TemporaryFolder folder;
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const rlimit limit{50000, old_limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  const Status status =
      failure_of([&] { build(input_of(decoder_text()), {}, folder / "x.engine"); });
  setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(status.code, Code::kResourceExhausted) << status.to_string();
  EXPECT_THAT(status.to_string(), HasSubstr("x.engine"));
  EXPECT_EQ(folder.num_files(), 0u);
}

TEST(Build, UnwritableFolderIsNamed) {
  const TemporaryFolder folder;
  const Status absent =
      failure_of([&] { build(input_of(decoder_text()), {}, folder / "no/such/x.engine"); });
  EXPECT_EQ(absent.code, Code::kNotFound);
  EXPECT_THAT(absent.to_string(), HasSubstr("no/such/x.engine"));
  if (::geteuid() == 0) return;  // root may write anywhere
  std::filesystem::permissions(
      folder / "", std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const Status refused =
      failure_of([&] { build(input_of(decoder_text()), {}, folder / "x.engine"); });
  EXPECT_EQ(refused.code, Code::kIo);
  std::filesystem::permissions(folder / "", std::filesystem::perms::owner_all);
}

/// A constant whose source breaks off in the middle.
class Broken final : public ir::Constant {
 public:
  Broken() : Constant(DType::kF32, {64, 64}) {}
  void read_rows(int64_t, int64_t, std::byte*) const override {
    throw Error(Code::kIo, "model.safetensors", "cannot read");
  }
};

TEST(Build, UnreadableWeightLeavesNoFile) {
  const TemporaryFolder folder;
  BuildInput input;
  ir::Graph& graph = input.graph;
  const ir::ValueId x = graph.add_input("x", {DType::kF32, {Dim::symbol("tokens"), 64}});
  const ir::ValueId w = graph.add_constant("w", std::make_shared<Broken>());
  graph.add_output("y", graph.add("Linear", "linear", {x, w}));
  const Status status = failure_of([&] { build(std::move(input), {}, folder / "x.engine"); });
  EXPECT_EQ(status.to_string(), "model.safetensors: cannot read");
  EXPECT_EQ(folder.num_files(), 0u);
}

TEST(Build, ASourceThatChangedMeanwhileGivesNoEngine) {
  const TemporaryFolder folder;
  BuildInput input = input_of(decoder_text());
  input.check_source = [] { throw Error(Code::kIo, "model.gguf", "was changed"); };
  const Status status = failure_of([&] { build(std::move(input), {}, folder / "x.engine"); });
  EXPECT_EQ(status.to_string(), "model.gguf: was changed");
  EXPECT_EQ(folder.num_files(), 0u);
}

}  // namespace
}  // namespace legato::builder
