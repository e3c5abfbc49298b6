#include "import/gguf/gguf_importer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "import/gguf/small_model.h"
#include "import/import_fixture.h"
#include "tensor/quant_format.h"
#include "tests/support/temporary_folder.h"

namespace legato::importer {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const fs::path kData = fs::path(LEGATO_SOURCE_DIR) / "tests/data/gguf";

std::string error_with(const std::function<void(SmallLlama&)>& change) {
  SmallLlama model;
  change(model);
  const std::string bytes = model.build();
  return error_of([&] { import_bytes(bytes); });
}

TEST(GgufImporter, EveryModelOfTheTestDataGivesADecoder) {
  const std::map<std::string, std::string> models = {{"llama-00001-of-00002.gguf", "llama"},
                                                     {"mistral.gguf", "mistral"},
                                                     {"llama3.gguf", "llama"},
                                                     {"llama-yarn.gguf", "llama"},
                                                     {"qwen2.gguf", "qwen2"},
                                                     {"qwen3.gguf", "qwen3"},
                                                     {"gpt2.gguf", "gpt2"},
                                                     {"llama-mixed.gguf", "llama"}};
  for (const auto& [file, architecture] : models) {
    SCOPED_TRACE(file);
    ASSERT_TRUE(is_gguf(kData / file));
    const ImportedModel model = import_gguf(kData / file);
    ir::verify(model.graph);
    EXPECT_EQ(model.info.architecture, architecture);
  }
}

TEST(GgufImporter, EverySeedOfTheFuzzerIsAWholeModel) {
  for (const char* name : {"gpt2", "llama", "qwen2", "qwen3"}) {
    SCOPED_TRACE(name);
    const fs::path path = fs::path(LEGATO_SOURCE_DIR) / "tests/fuzz/seeds/gguf" / name;
    EXPECT_EQ(import_gguf(path).info.architecture, name);
    EXPECT_TRUE(gguf_tokenizer(path).ok());
  }
}

TEST(GgufImporter, MatricesKeepTheTypesOfTheFile) {
  const ImportedModel model = import_gguf(kData / "llama-mixed.gguf");
  std::map<DType, size_t> counts;
  for (size_t id = 0; id < model.graph.num_values(); ++id) {
    const ir::Value& value = model.graph.value(static_cast<ir::ValueId>(id));
    if (value.constant != nullptr && value.constant->shape().rank() == 2)
      ++counts[value.constant->dtype()];
  }
  for (const DType dtype : {DType::kQ8_0, DType::kQ4_0, DType::kQ4_1, DType::kQ5_0, DType::kQ5_1,
                            DType::kF16, DType::kBF16})
    EXPECT_GT(counts[dtype], 0u) << dtype_name(dtype);
  EXPECT_EQ(counts[DType::kF32], 0u);
}

TEST(GgufImporter, BlocksStandForTheNumbersThatTheReferenceReads) {
  const auto file = GgufModelFile::open(kData / "blocks.gguf");
  const std::map<std::string, DType> formats = {{"Q8_0", DType::kQ8_0}, {"Q4_0", DType::kQ4_0},
                                                {"Q4_1", DType::kQ4_1}, {"Q5_0", DType::kQ5_0},
                                                {"Q5_1", DType::kQ5_1}, {"Q4_K", DType::kQ4K},
                                                {"Q5_K", DType::kQ5K},  {"Q6_K", DType::kQ6K}};
  for (const auto& [name, dtype] : formats) {
    SCOPED_TRACE(name);
    const GgufTensor& blocks = *file->find(name + ".blocks");
    const GgufTensor& numbers = *file->find(name + ".numbers");
    ASSERT_EQ(blocks.shape, (Shape{3, 512}));
    ASSERT_EQ(numbers.shape, (Shape{3, 512}));
    const size_t row_bytes = blocks.bytes.size() / 3;
    std::vector<float> found(512), expected(512);
    for (size_t row = 0; row < 3; ++row) {
      dequantize_row(dtype, blocks.bytes.data() + row * row_bytes, 512, found.data());
      std::memcpy(expected.data(), numbers.bytes.data() + row * 2048, 2048);
      for (size_t i = 0; i < 512; ++i) ASSERT_FLOAT_EQ(found[i], expected[i]) << row << " " << i;
    }
  }
}

TEST(GgufImporter, IdsEndsAndSamplingComeFromTheMetadata) {
  SmallLlama small;
  small.bytes.u32("tokenizer.ggml.bos_token_id", 1).u32("tokenizer.ggml.eos_token_id", 2);
  small.bytes.u32("tokenizer.ggml.eot_token_id", 5)
      .u32("tokenizer.ggml.padding_token_id", UINT32_MAX);
  small.bytes.texts("tokenizer.ggml.tokens", {"a", "b", "c", "<|im_end|>", "<|end|>", "d"});
  small.bytes.numbers<int32_t>("tokenizer.ggml.token_type", GgufValueType::kI32,
                               {1, 3, 3, 3, 1, 1});
  small.bytes.f32("general.sampling.temp", 0.5f).f32("general.sampling.min_p", 0.25f);
  small.bytes.key("general.sampling.top_k", GgufValueType::kI32, raw<int32_t>(40));
  const std::string bytes = small.build();
  const ModelInfo info = import_bytes(bytes).info;
  EXPECT_THAT(info.eos_ids, ElementsAre(2, 3, 5));
  EXPECT_EQ(info.bos_id, 1);
  EXPECT_EQ(info.pad_id, std::nullopt);
  EXPECT_EQ(info.vocab_size, 10);
  EXPECT_EQ(info.max_context, 64);
  EXPECT_EQ(info.generation, (GenerationDefaults{true, 0.5, 40, 1.0, 0.25, 1.0}));
}

TEST(GgufImporter, TiedOrNotIsToldByTheOutputMatrix) {
  const auto has_head = [](bool untied) {
    SmallLlama small;
    if (untied) small.tensors["output.weight"] = {32, 10};
    const std::string bytes = small.build();
    const ImportedModel model = import_bytes(bytes);
    return find_constant(model.graph, "lm_head.weight") != nullptr;
  };
  EXPECT_TRUE(has_head(true));
  EXPECT_FALSE(has_head(false));
}

TEST(GgufImporter, SettingsThatAreNotSupportedAreRefusedByKey) {
  const auto set = [](const char* name, uint32_t value) {
    return error_with([&](SmallLlama& m) { m.numbers[name] = value; });
  };
  const auto drop = [](const char* name) {
    return error_with([&](SmallLlama& m) { m.numbers.erase(name); });
  };
  EXPECT_EQ(error_with([](SmallLlama& m) { m.arch = "mamba"; }),
            "m.gguf: key \"general.architecture\": \"mamba\" is not supported; known: gpt2, llama, "
            "qwen2, qwen3");
  EXPECT_THAT(set("attention.head_count_kv", 3),
              HasSubstr("key \"llama.attention.head_count_kv\": 3 doesn't divide 2"));
  EXPECT_THAT(error_with([](SmallLlama& m) {
                m.numbers["attention.head_count"] = 3;
                m.numbers.erase("attention.key_length");
                m.numbers.erase("attention.value_length");
                m.numbers.erase("attention.head_count_kv");
              }),
              HasSubstr("key \"llama.attention.head_count\": 3 doesn't divide hidden_size 32"));
  EXPECT_THAT(set("attention.head_count", 0), HasSubstr("llama.attention.head_count\": expected"));
  EXPECT_THAT(drop("embedding_length"), HasSubstr("llama.embedding_length\": is required"));
  EXPECT_THAT(drop("context_length"), HasSubstr("llama.context_length\": is required"));
  EXPECT_THAT(set("block_count", 1000000), HasSubstr("llama.block_count\": expected an integer"));
  EXPECT_THAT(set("expert_count", 8), HasSubstr("llama.expert_count\": is set"));
  EXPECT_THAT(set("attention.value_length", 8),
              HasSubstr("llama.attention.value_length\": keys of 16 and values of 8 numbers"));
  EXPECT_THAT(set("rope.dimension_count", 8), HasSubstr("only the size of a head, 16"));
  EXPECT_THAT(
      error_with([](SmallLlama& m) { m.bytes.text("llama.rope.scaling.type", "longrope"); }),
      HasSubstr("\"longrope\" is not supported; known: none, linear, yarn"));
  EXPECT_THAT(error_with([](SmallLlama& m) { m.bytes.f32("llama.logit_scale", 2); }),
              HasSubstr("llama.logit_scale\": only 1 is supported, found 2"));
  for (const char* factor : {"rope.scaling.attn_factor", "rope.scaling.yarn_ext_factor",
                             "rope.scaling.yarn_attn_factor", "rope.scaling.alpha"})
    EXPECT_THAT(
        error_with([&](SmallLlama& m) { m.bytes.f32(std::string("llama.") + factor, 0.5f); }),
        HasSubstr(std::string(factor) + "\": only 1 is supported, found 0.5"));
  EXPECT_THAT(error_with([](SmallLlama& m) { m.bytes.flag("llama.attention.causal", false); }),
              HasSubstr("llama.attention.causal\": only true"));
}

/// Which row of the file each row of a constant is.
std::vector<int> rows_of(const ir::Graph& graph, const std::string& name) {
  const ir::Value* value = find_constant(graph, name);
  if (value == nullptr) return {};
  const Tensor tensor = value->constant->load();
  const int64_t columns = value->constant->row_elements();
  std::vector<int> rows;
  for (int64_t row = 0; row < value->constant->rows(); ++row)
    rows.push_back(static_cast<int>(tensor.data<float>()[row * columns]) /
                   static_cast<int>(columns));
  return rows;
}

/// Rows 2j and 2j + 1 of a head of 16 are pair j, whose halves Hugging Face keeps 8 rows apart.
TEST(GgufImporter, RotaryPairsOfLlamaAreTakenApart) {
  const auto import = [](const char* arch) {
    SmallLlama small;
    small.arch = arch;
    small.counts = true;
    for (const char* name : {"q", "k", "v", "output"})
      small.tensors[fmt::format("blk.0.attn_{}.bias", name)] = {
          name[0] == 'q' || name[0] == 'o' ? 32u : 16u};
    if (std::string_view(arch) == "qwen2") small.tensors.erase("blk.0.attn_output.bias");
    const std::string bytes = small.build();
    // Constants lie in the bytes, which go with this call.
    const ImportedModel model = import_bytes(bytes);
    std::map<std::string, std::vector<int>> rows;
    for (const char* name : {"q", "k", "v"})
      for (const char* part : {"weight", "bias"})
        rows[fmt::format("{}.{}", name, part)] =
            rows_of(model.graph, fmt::format("model.layers.0.self_attn.{}_proj.{}", name, part));
    return rows;
  };
  const std::vector<int> plain = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const std::vector<int> apart = {0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15};
  const auto two_heads = [](std::vector<int> head) {
    for (size_t i = 0; i < 16; ++i) head.push_back(head[i] + 16);
    return head;
  };
  auto llama = import("llama"), qwen2 = import("qwen2");
  for (const char* part : {".weight", ".bias"}) {
    EXPECT_EQ(llama[std::string("q") + part], two_heads(apart)) << part;
    EXPECT_EQ(llama[std::string("k") + part], apart) << part;
    EXPECT_EQ(llama[std::string("v") + part], plain) << part;
    EXPECT_EQ(qwen2[std::string("q") + part], two_heads(plain)) << part;
    EXPECT_EQ(qwen2[std::string("k") + part], plain) << part;
  }
}

/// Frequencies and scale of the rotary table; head size 16, so eight of them.
std::pair<std::vector<double>, double> rotary_table(
    const std::function<void(SmallLlama&)>& change) {
  SmallLlama small;
  change(small);
  const std::string bytes = small.build();
  const ImportedModel model = import_bytes(bytes);
  for (const ir::NodeId id : model.graph.order()) {
    const ir::Node& node = model.graph.node(id);
    if (node.op == "RotaryTable")
      return {node.attributes.get_floats("inv_freq"), node.attributes.get_float("scale", 1.0)};
  }
  ADD_FAILURE() << "no rotary table";
  return {};
}

/// What the keys mean to llama.cpp, for which such files are written.
TEST(GgufImporter, RopeScalingMeansWhatReadersOfGgufTakeItFor) {
  const auto table = [](const char* type, const char* factor_key, float factor = 4) {
    return rotary_table([&](SmallLlama& m) {
      if (type != nullptr) m.bytes.text("llama.rope.scaling.type", type);
      if (factor_key != nullptr) m.bytes.f32(factor_key, factor);
    });
  };
  constexpr const char* kFactor = "llama.rope.scaling.factor";
  constexpr const char* kOldFactor = "llama.rope.scale_linear";
  const auto plain = table(nullptr, nullptr);
  ASSERT_EQ(plain.first.size(), 8u);
  EXPECT_FLOAT_EQ(static_cast<float>(plain.first[1]), std::pow(10000.0f, -1.0f / 8));
  auto quarter = plain;
  for (double& frequency : quarter.first) frequency /= 4;
  for (const auto& [type, key] : {std::pair{"linear", kFactor}, {"linear", kOldFactor}}) {
    EXPECT_EQ(table(type, key), quarter) << key;
    EXPECT_EQ(table(nullptr, key), quarter) << key;
    EXPECT_EQ(table("none", key), plain) << key;
    EXPECT_EQ(table(type, key, 1), plain) << key;
  }
  EXPECT_EQ(table("linear", nullptr), plain);
  EXPECT_EQ(table("yarn", nullptr), plain);
  const auto yarn = table("yarn", kFactor);
  EXPECT_EQ(yarn, table("yarn", kOldFactor));
  EXPECT_FLOAT_EQ(static_cast<float>(yarn.second), 0.1f * std::log(4.0f) + 1);
  EXPECT_EQ(yarn.first.front(), plain.first.front());
  EXPECT_EQ(yarn.first.back(), quarter.first.back());
}

TEST(GgufImporter, EveryNumberOfYarnHasASay) {
  const auto table = [](const char* key, float value, uint32_t original = 0) {
    return rotary_table([&](SmallLlama& m) {
      m.bytes.text("llama.rope.scaling.type", "yarn").f32("llama.rope.scaling.factor", 4);
      if (key != nullptr) m.bytes.f32(key, value);
      if (original != 0) m.numbers["rope.scaling.original_context_length"] = original;
    });
  };
  constexpr const char* kFast = "llama.rope.scaling.yarn_beta_fast";
  constexpr const char* kSlow = "llama.rope.scaling.yarn_beta_slow";
  const auto usual = table(nullptr, 0);
  EXPECT_EQ(table(kFast, 32), usual);
  EXPECT_EQ(table(kSlow, 1), usual);
  EXPECT_EQ(table(nullptr, 0, 64), usual);
  EXPECT_NE(table(kFast, 2), usual);
  EXPECT_NE(table(kSlow, 4), usual);
  EXPECT_NE(table(nullptr, 0, 256), usual);
}

TEST(GgufImporter, AHeadIsAPartOfTheWidthUnlessAKeyTellsItsSize) {
  const auto head_dim = [](const std::function<void(SmallLlama&)>& change) {
    return rotary_table(change).first.size() * 2;
  };
  for (const char* arch : {"llama", "qwen2", "qwen3"}) {
    EXPECT_EQ(
        head_dim([&](SmallLlama& m) {
          m.arch = arch;
          m.numbers.erase("attention.key_length");
          if (std::string_view(arch) != "llama")
            for (const char* name : {"q", "k", "v"})
              m.tensors[fmt::format("blk.0.attn_{}.bias", name)] = {name[0] == 'q' ? 32u : 16u};
          if (std::string_view(arch) != "qwen3") return;
          for (const char* name : {"q", "k", "v"})
            m.tensors.erase(fmt::format("blk.0.attn_{}.bias", name));
          m.tensors["blk.0.attn_q_norm.weight"] = m.tensors["blk.0.attn_k_norm.weight"] = {16};
        }),
        16u)
        << arch;
  }
  EXPECT_EQ(head_dim([](SmallLlama& m) {
              m.numbers["attention.key_length"] = m.numbers["attention.value_length"] = 8;
              m.numbers["rope.dimension_count"] = 8;
              m.tensors["blk.0.attn_q.weight"] = {32, 16};
              m.tensors["blk.0.attn_k.weight"] = m.tensors["blk.0.attn_v.weight"] = {32, 8};
              m.tensors["blk.0.attn_output.weight"] = {16, 32};
            }),
            8u);
}

TEST(GgufImporter, KeysThatNobodyReadsAreTold) {
  SmallLlama small;
  small.numbers["rope.scaling.finetuned"] = 1;
  small.numbers["attention.novelty"] = 3;
  small.bytes.u32("qwen2.attention.novelty", 1);
  const std::string bytes = small.build();
  LogCapture log;
  import_bytes(bytes);
  EXPECT_EQ(log.text(),
            "m.gguf: a key without meaning here, ignored: "
            "\"llama.attention.novelty\"\n");
  SmallLlama many;
  for (int i = 0; i < 3000; ++i) many.numbers[fmt::format("key{:04}", i)] = 1;
  const std::string more = many.build();
  const LogCapture short_log;
  import_bytes(more);
  EXPECT_THAT(short_log.text(), HasSubstr("3000 keys without meaning here, ignored: "
                                          "\"llama.key0000\""));
  EXPECT_LT(short_log.text().size(), 300u);
}

TEST(GgufImporter, NumbersThatAreNoneAreRefusedByTensorWhenTheyAreRead) {
  const auto error_at = [](const char* tensor, uint32_t type, const char* constant) {
    SmallLlama small;
    small.types[tensor] = type;
    small.fill = '\xff';
    const std::string bytes = small.build();
    const ImportedModel model = import_bytes(bytes);
    const ir::Value* value = find_constant(model.graph, constant);
    return value == nullptr ? "no constant" : error_of([&] { value->constant->load(); });
  };
  constexpr const char* kDown = "model.layers.0.mlp.down_proj.weight";
  for (const uint32_t type : {0u, 1u, 2u, 3u, 6u, 7u, 8u, 30u})
    EXPECT_EQ(error_at("blk.0.ffn_down.weight", type, kDown),
              "m.gguf: tensor \"blk.0.ffn_down.weight\" has a NaN at row 0, column 0, expected "
              "finite numbers")
        << type;
  EXPECT_THAT(error_at("blk.0.attn_k.weight", 8, "model.layers.0.self_attn.k_proj.weight"),
              HasSubstr("tensor \"blk.0.attn_k.weight\" has a NaN"));
  EXPECT_THAT(error_at("blk.0.attn_norm.weight", 0, "model.layers.0.input_layernorm.weight"),
              HasSubstr("tensor \"blk.0.attn_norm.weight\" has a NaN"));
}

TEST(GgufImporter, TensorsThatDoNotFitAreRefusedByName) {
  const auto typed = [](uint32_t type) {
    return error_with([&](SmallLlama& m) {
      m.types["blk.0.ffn_down.weight"] = type;
      m.numbers["feed_forward_length"] = 256;
      m.tensors["blk.0.ffn_down.weight"] = {256, 32};
      m.tensors["blk.0.ffn_up.weight"] = m.tensors["blk.0.ffn_gate.weight"] = {32, 256};
    });
  };
  const std::string known =
      ", supported are F32, F16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K, BF16";
  const std::map<uint32_t, std::string> refused = {
      {10, "Q2_K"},  {11, "Q3_K"}, {16, "IQ2_XXS"}, {20, "IQ4_NL"}, {23, "IQ4_XS"}, {34, "TQ1_0"},
      {39, "MXFP4"}, {26, "I32"},  {99, "99"},      {40, "NVFP4"},  {41, "Q1_0"}};
  for (const auto& [number, name] : refused)
    EXPECT_EQ(typed(number), "m.gguf: tensor \"blk.0.ffn_down.weight\" has type " + name + known);
  EXPECT_THAT(error_with([](SmallLlama& m) { m.tensors.erase("blk.0.attn_v.weight"); }),
              HasSubstr("tensor \"blk.0.attn_v.weight\" [16, 32] is missing"));
  EXPECT_THAT(error_with([](SmallLlama& m) {
                m.tensors["blk.0.attn_v.weight"] = {32, 8};
              }),
              HasSubstr("\"blk.0.attn_v.weight\": expected shape [16, 32], found [8, 32]"));
  EXPECT_THAT(error_with([](SmallLlama& m) { m.tensors["blk.0.attn_sinks.weight"] = {2}; }),
              HasSubstr("\"blk.0.attn_sinks.weight\" has no place in a model of this"));
  EXPECT_THAT(error_with([](SmallLlama& m) { m.types["blk.0.attn_norm.weight"] = 8; }),
              HasSubstr("only matrices may be quantised"));
  EXPECT_THAT(error_with([](SmallLlama& m) { m.tensors["rope_freqs.weight"] = {8}; }),
              HasSubstr("\"rope_freqs.weight\"[0] is 0, expected a factor above 0"));
}

TEST(GgufImporter, FilesAreToldByNameOrMagic) {
  const TemporaryFolder folder;
  EXPECT_TRUE(is_gguf(folder.write("m.gguf", "")));
  EXPECT_TRUE(is_gguf(folder.write("blob", "GGUF...")));
  EXPECT_FALSE(is_gguf(folder.write("m.engine", "LGTO")));
  EXPECT_FALSE(is_gguf(folder.path()));
  EXPECT_FALSE(is_gguf(folder.path() / "missing.gguf"));
}

TEST(GgufImporter, OnlyModelsAreImported) {
  SmallLlama model, adapter;
  model.bytes.text("general.type", "model");
  import_bytes(model.build());
  adapter.bytes.text("general.type", "adapter");
  EXPECT_EQ(error_of([&] { import_bytes(adapter.build()); }),
            "m.gguf: key \"general.type\": expected \"model\", found \"adapter\"");
}

}  // namespace
}  // namespace legato::importer
