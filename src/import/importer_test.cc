#include "import/importer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "import/import_fixture.h"
#include "import/known_shapes.h"
#include "import/random_weights.h"
#include "tests/support/temporary_folder.h"

namespace legato::importer {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const fs::path kZoo = fs::path(LEGATO_SOURCE_DIR) / "tests/data/zoo";

/// A small config of each family, with `change` merged into it; null removes a field.
Json small_config(const std::string& family, const Json& change = Json::object()) {
  const std::map<std::string, Json> more = {
      {"llama", Json::object()},
      {"mistral", Json::object()},
      {"qwen2", Json::object()},
      {"qwen3", Json::object()},
      {"gpt_neox", Json::object()},
      {"opt", {{"ffn_dim", 32}}},
      {"gpt2", {{"n_embd", 16}, {"n_layer", 2}, {"n_head", 2}, {"n_positions", 64}}}};
  Json config = {
      {"model_type", family},         {"vocab_size", 32},       {"hidden_size", 16},
      {"intermediate_size", 32},      {"num_hidden_layers", 2}, {"num_attention_heads", 2},
      {"max_position_embeddings", 64}};
  config.update(more.at(family));
  for (const auto& [name, value] : change.items()) {
    if (value.is_null()) {
      config.erase(name);
    } else {
      config[name] = value;
    }
  }
  return config;
}

ImportedModel import_random(const Json& json, const ImportOptions& options = {}) {
  const Config config = Config::parse(json.dump(), "config.json");
  RandomWeights weights(1, DType::kF32);
  return import_model(config, weights, options);
}

const ir::Value* find_constant(const ir::Graph& graph, const std::string& name) {
  for (size_t id = 0; id < graph.num_values(); ++id) {
    const ir::Value& value = graph.value(static_cast<ir::ValueId>(id));
    if (value.name == name && value.constant != nullptr) return &value;
  }
  return nullptr;
}

size_t count_ops(const ir::Graph& graph, const std::string& op) {
  size_t count = 0;
  for (const ir::NodeId id : graph.order()) count += graph.node(id).op == op ? 1u : 0u;
  return count;
}

TEST(Importer, EveryModelOfTheTestDataGivesADecoder) {
  size_t models = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kZoo)) {
    if (!entry.is_directory()) continue;
    SCOPED_TRACE(entry.path().string());
    const ImportedModel model = import_folder(entry.path());
    ir::verify(model.graph);
    ASSERT_EQ(model.graph.inputs().size(), 3u);
    ASSERT_EQ(model.graph.outputs().size(), 1u);
    const ir::ValueType& logits = model.graph.value(model.graph.outputs()[0].value).type;
    EXPECT_EQ(logits.shape, (SymShape{Dim::symbol("logit_rows"), Dim(model.info.vocab_size)}));
    EXPECT_GT(count_ops(model.graph, "Attention"), 0u);
    EXPECT_THAT(model.info.eos_ids, ElementsAre(2));
    EXPECT_EQ(model.info.bos_id, 1);
    ++models;
  }
  EXPECT_EQ(models, 18u);
}

TEST(Importer, KnownShapesHaveTheParametersOfTheModels) {
  const std::map<std::string, double> millions = {
      {"gpt2", 124.4},           {"llama-2-7b", 6738.4}, {"llama-3-8b", 8030.3},
      {"llama-3.2-1b", 1235.8},  {"mistral-7b", 7241.7}, {"pythia-160m", 162.3},
      {"qwen2.5-0.5b", 494.0},   {"qwen3-0.6b", 596.0},  {"smollm2-135m", 134.5},
      {"tinyllama-1.1b", 1100.0}};
  std::string names;
  for (const auto& [name, expected] : millions) {
    names += (names.empty() ? "" : ", ") + name;
    const ImportedModel model = random_model(name, 1);
    ir::verify(model.graph);
    double parameters = 0;
    for (size_t id = 0; id < model.graph.num_values(); ++id) {
      const ir::Value& value = model.graph.value(static_cast<ir::ValueId>(id));
      if (value.constant != nullptr)
        parameters += static_cast<double>(value.constant->shape().elements());
    }
    EXPECT_NEAR(parameters / 1e6, expected, 0.06) << name;
    EXPECT_FALSE(model.info.eos_ids.empty());
  }
  EXPECT_EQ(known_shape_names(), names);
  EXPECT_THAT(error_of([] { random_model("llama-9", 1); }),
              HasSubstr("llama-9: is neither a config.json nor a known shape (gpt2, llama-2-7b"));
}

TEST(Importer, RandomWeightsDependOnSeedAndName) {
  const auto weight = [](uint64_t seed, const std::string& name) {
    const ImportedModel model = random_model("smollm2-135m", seed);
    std::vector<std::byte> row(576 * 2);
    find_constant(model.graph, name)->constant->read_rows(5, 1, row.data());
    return row;
  };
  const std::string q = "model.layers.0.self_attn.q_proj.weight";
  EXPECT_EQ(weight(1, q), weight(1, q));
  EXPECT_NE(weight(1, q), weight(2, q));
  EXPECT_NE(weight(1, q), weight(1, "model.layers.1.self_attn.q_proj.weight"));
}

TEST(Importer, TiedWeightsAreOneConstant) {
  const ImportedModel tied = import_folder(kZoo / "more-llama-yarn-mscale");
  EXPECT_EQ(find_constant(tied.graph, "lm_head.weight"), nullptr);
  const ImportedModel untied = import_folder(kZoo / "llama");
  EXPECT_NE(find_constant(untied.graph, "lm_head.weight"), nullptr);
}

TEST(Importer, OneRotaryTableServesAllLayers) {
  const ImportedModel model = import_folder(kZoo / "llama");
  EXPECT_EQ(count_ops(model.graph, "RotaryTable"), 1u);
  EXPECT_EQ(count_ops(model.graph, "Rope"), 6u);
}

TEST(Importer, WindowsComeFromTheLayersSettings) {
  const ImportedModel model = import_folder(kZoo / "more-qwen2-windows");
  std::vector<int64_t> windows;
  for (const ir::NodeId id : model.graph.order())
    if (model.graph.node(id).op == "Attention")
      windows.push_back(model.graph.node(id).attributes.get_int("window"));
  EXPECT_THAT(windows, ElementsAre(0, 12, 12));
}

TEST(Importer, LengthsBeyondTheModelsAreRefusedWithTheReason) {
  const Json dynamic =
      small_config("llama", {{"rope_scaling", {{"type", "dynamic"}, {"factor", 2.0}}}});
  EXPECT_EQ(import_random(dynamic, {.max_len = 64}).info.max_context, 64);
  EXPECT_THAT(error_of([&] { import_random(dynamic, {.max_len = 65}); }),
              HasSubstr("a length of 65 is more than the model's 64 (rope type \"dynamic\""));
  EXPECT_THAT(error_of([&] { import_random(small_config("gpt2"), {.max_len = 65}); }),
              HasSubstr("(n_positions 64)"));
}

struct Refusal {
  const char* family;
  Json change;
  const char* message;
};

TEST(Importer, SettingsThatChangeTheArithmeticAreRefusedByName) {
  const Refusal cases[] = {
      {"llama", {{"hidden_act", "quick_gelu"}}, "\"hidden_act\": activation \"quick_gelu\""},
      {"llama", {{"quantization_config", {{"bits", 4}}}}, "\"quantization_config\""},
      {"llama", {{"num_local_experts", 8}}, "\"num_local_experts\""},
      {"llama", {{"logits_scaling", 8.0}}, "\"logits_scaling\": only 1 is supported"},
      {"llama", {{"final_logit_softcapping", 30.0}}, "\"final_logit_softcapping\""},
      {"llama", {{"partial_rotary_factor", 0.5}}, "\"partial_rotary_factor\""},
      {"llama", {{"rope_scaling", {{"type", "longrope"}}}}, "\"longrope\" is not supported"},
      {"mistral", {{"sliding_window", -1}}, "\"sliding_window\""},
      {"mistral", {{"attention_bias", true}}, "\"attention_bias\""},
      {"qwen2", {{"use_sliding_window", true}}, "but sliding_window is absent"},
      {"qwen2", {{"layer_types", {"full_attention"}}}, "has 1 entries, expected 2"},
      {"qwen2", {{"layer_types", {"full_attention", "linear_attention"}}}, "\"linear_attention\""},
      {"qwen2", {{"layer_types", {"full_attention", "sliding_attention"}}}, "don't give a window"},
      {"qwen3", {{"num_experts", 128}}, "\"num_experts\""},
      {"gpt2", {{"scale_attn_by_inverse_layer_idx", true}}, "\"scale_attn_by_inverse_layer_idx\""},
      {"gpt2", {{"add_cross_attention", true}}, "\"add_cross_attention\": only false is supported"},
      {"gpt2", {{"n_head", 3}}, "\"n_head\": 3 doesn't divide n_embd 16"},
      {"opt", {{"word_embed_proj_dim", 8}}, "\"word_embed_proj_dim\": only hidden_size 16"},
      {"opt", {{"do_layer_norm_before", false}}, "\"do_layer_norm_before\": only true"},
      {"opt", {{"_remove_final_layer_norm", true}}, "\"_remove_final_layer_norm\": only false"},
      {"gpt_neox", {{"use_parallel_residual", false}}, "\"use_parallel_residual\": only true"},
      {"gpt_neox", {{"hidden_act", "gelu_10"}}, "\"gelu_10\""},
      {"gpt_neox", {{"num_key_value_heads", 1}}, "\"num_key_value_heads\""},
  };
  for (const Refusal& test : cases) {
    const std::string message =
        error_of([&] { import_random(small_config(test.family, test.change)); });
    EXPECT_THAT(message, HasSubstr(test.message)) << test.family << " " << test.change.dump();
    EXPECT_THAT(message, HasSubstr("config.json: ")) << message;
  }
}

TEST(Importer, SettingsThatChangeNothingAreAccepted) {
  const std::pair<const char*, Json> cases[] = {
      {"llama", {{"pretraining_tp", 2}}},
      {"gpt2", {{"reorder_and_upcast_attn", true}}},
      {"gpt2", {{"scale_attn_weights", false}}},
      {"gpt2", {{"n_inner", 24}}},
      {"opt", {{"enable_bias", false}}},
      {"gpt_neox", {{"tie_word_embeddings", true}}},
      {"mistral", {{"sliding_window", 8}}},
      {"llama", {{"head_dim", 24}}},
      {"qwen3", {{"head_dim", 6}}},
      {"llama", {{"num_experts", 0}}},
      {"llama", {{"quantization_config", Json::object()}}},
      {"qwen2", {{"max_window_layers", 1}}}};
  for (const auto& [family, change] : cases)
    EXPECT_NO_THROW(ir::verify(import_random(small_config(family, change)).graph))
        << family << " " << change.dump();
}

TEST(Importer, SizesAreBoundedBeforeAnythingIsMade) {
  const Refusal cases[] = {
      {"llama", {{"hidden_size", int64_t{1} << 40}}, "\"hidden_size\""},
      {"llama", {{"vocab_size", 0}}, "\"vocab_size\""},
      {"llama", {{"num_hidden_layers", 1'000'000'000}}, "\"num_hidden_layers\""},
      {"llama", {{"num_hidden_layers", 256}, {"hidden_size", 131072}}, "256 layers of width"},
      {"llama", {{"num_key_value_heads", 0}}, "\"num_key_value_heads\""},
      {"llama", {{"num_attention_heads", 4096}, {"head_dim", 4096}}, "heads of 4096 are wider"},
      {"llama", {{"num_attention_heads", 3}}, "3 doesn't divide hidden_size 16"},
      {"llama", {{"num_attention_heads", 4}, {"num_key_value_heads", 3}}, "3 doesn't divide 4"},
      {"llama", {{"max_position_embeddings", -1}}, "\"max_position_embeddings\""},
      {"llama", {{"hidden_size", nullptr}}, "\"hidden_size\": is required and absent"},
      {"llama", {{"hidden_size", "16"}}, "\"hidden_size\": expected an integer"},
      {"gpt2", {{"n_inner", int64_t{1} << 40}}, "\"n_inner\""},
  };
  for (const Refusal& test : cases)
    EXPECT_THAT(error_of([&] { import_random(small_config(test.family, test.change)); }),
                HasSubstr(test.message))
        << test.change.dump();
}

TEST(Importer, UnknownFamiliesAreRefusedWithTheKnownOnes) {
  EXPECT_THAT(error_of([] {
                import_random(small_config("llama", {{"model_type", "bert"}}));
              }),
              HasSubstr("config.json: field \"model_type\": \"bert\" is not supported; known: "
                        "gpt2, gpt_neox, llama, mistral, opt, qwen2, qwen3"));
  EXPECT_THAT(error_of([] {
                import_random(small_config("llama", {{"model_type", nullptr}}));
              }),
              HasSubstr("\"model_type\": is required and absent"));
}

/// A copy of a test model with its config.json changed.
std::string failure_of_changed(const std::string& model, const Json& change) {
  TemporaryFolder folder;
  folder.copy_from(kZoo / model);
  Json config = Json::parse(std::ifstream(folder.path() / "config.json"));
  config.update(change);
  folder.write("config.json", config.dump());
  return error_of([&] { import_folder(folder.path()); });
}

TEST(Importer, WeightsThatDoNotFitTheSettingsNameTheTensor) {
  EXPECT_THAT(failure_of_changed("llama", {{"intermediate_size", 96}}),
              HasSubstr("model.safetensors: tensor \"model.layers.0.mlp.gate_proj.weight\": "
                        "expected shape [96, 64], found [128, 64]"));
  EXPECT_THAT(failure_of_changed("llama", {{"num_hidden_layers", 4}}),
              HasSubstr("tensor \"model.layers.3.input_layernorm.weight\" [64] is missing"));
  EXPECT_THAT(failure_of_changed("llama", {{"tie_word_embeddings", true}}),
              HasSubstr("\"tie_word_embeddings\": is true, but the weights hold another matrix"));
  EXPECT_THAT(failure_of_changed("llama-rope-llama3", {{"tie_word_embeddings", false}}),
              HasSubstr("is false, but the weights have no tensor \"lm_head.weight\""));
}

TEST(Importer, GenerationDefaultsAndEndTokensAreUnited) {
  TemporaryFolder folder;
  folder.copy_from(kZoo / "llama");
  folder.write("generation_config.json",
               R"({"eos_token_id": [5, 2], "do_sample": true, "temperature": 0.7})");
  const ImportedModel model = import_folder(folder.path());
  EXPECT_THAT(model.info.eos_ids, ElementsAre(2, 5));
  EXPECT_TRUE(model.info.generation.do_sample);
  EXPECT_EQ(model.info.generation.temperature, 0.7);
  EXPECT_EQ(model.info.architecture, "llama");
  EXPECT_EQ(model.info.max_context, 256);
  folder.write("generation_config.json", R"({"temperature": "hot"})");
  EXPECT_THAT(error_of([&] { import_folder(folder.path()); }),
              HasSubstr("generation_config.json: field \"temperature\": expected a number"));
}

TEST(Importer, UnusedFieldsAndTensorsAreWarnedOfByName) {
  TemporaryFolder folder;
  folder.copy_from(kZoo / "llama");
  Json config = Json::parse(std::ifstream(folder.path() / "config.json"));
  config["num_hidden_layers"] = 2;
  config["strange_field"] = 1;
  folder.write("config.json", config.dump());
  const LogCapture log;
  import_folder(folder.path());
  EXPECT_THAT(log.text(), HasSubstr("fields without a meaning here are ignored: strange_field"));
  EXPECT_THAT(log.text(),
              HasSubstr("9 tensors are not used: model.layers.2.input_layernorm.weight"));
}

TEST(Importer, CompleteFoldersGiveNoWarnings) {
  const LogCapture log;
  for (const fs::directory_entry& entry : fs::directory_iterator(kZoo))
    if (entry.is_directory()) import_folder(entry.path());
  EXPECT_EQ(log.text(), "");
}

TEST(Importer, FoldersThatAreNoneAreRefused) {
  TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { import_folder(folder.path()); }),
              HasSubstr("config.json: file not found"));
  EXPECT_THAT(error_of([&] { import_folder(folder.path() / "absent"); }),
              HasSubstr("absent: folder not found"));
  folder.write("config.json", "{");
  EXPECT_THAT(error_of([&] { import_folder(folder.path()); }), HasSubstr("invalid JSON"));
}

}  // namespace
}  // namespace legato::importer
