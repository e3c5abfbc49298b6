#include "import/importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/log.h"
#include "base/model_path.h"
#include "base/status.h"
#include "import/arch_registry.h"
#include "import/hf/generation_config.h"
#include "import/known_shapes.h"
#include "import/random_weights.h"
#include "import/safetensors/weights.h"

namespace legato::importer {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kConfigFile = "config.json";
constexpr std::string_view kGenerationFile = "generation_config.json";

/// Fields of config.json that say nothing about what a trained model computes.
constexpr std::string_view kHarmlessFields[] = {"is_llama_config",
                                                "transformers.js_config",
                                                "_name_or_path",
                                                "architectures",
                                                "attention_dropout",
                                                "attention_probs_dropout_prob",
                                                "attn_pdrop",
                                                "auto_map",
                                                "chunk_size_feed_forward",
                                                "classifier_dropout",
                                                "cross_attention_hidden_size",
                                                "dropout",
                                                "dtype",
                                                "embd_pdrop",
                                                "embd_dropout",
                                                "finetuning_task",
                                                "gradient_checkpointing",
                                                "hidden_dropout",
                                                "id2label",
                                                "init_std",
                                                "initializer_range",
                                                "is_decoder",
                                                "label2id",
                                                "layerdrop",
                                                "max_length",
                                                "max_window_layers",
                                                "n_ctx",
                                                "output_attentions",
                                                "output_hidden_states",
                                                "prefix",
                                                "problem_type",
                                                "resid_pdrop",
                                                "return_dict",
                                                "rope_interleaved",
                                                "sep_token_id",
                                                "decoder_start_token_id",
                                                "sliding_window",
                                                "summary_activation",
                                                "summary_first_dropout",
                                                "summary_proj_to_labels",
                                                "summary_type",
                                                "summary_use_proj",
                                                "task_specific_params",
                                                "tokenizer_class",
                                                "torch_dtype",
                                                "transformers_version",
                                                "use_cache"};

void warn_of_unread(const Config& config) {
  std::string named;
  for (const std::string& name : config.unread())
    if (std::find(std::begin(kHarmlessFields), std::end(kHarmlessFields), name) ==
        std::end(kHarmlessFields))
      named += (named.empty() ? "" : ", ") + name;
  if (!named.empty())
    log_warning(
        fmt::format("{}: fields without a meaning here are ignored: {}", config.where(), named));
}

DType weights_dtype(const Config& config) {
  const std::string name = config.get_string("dtype", config.get_string("torch_dtype", "float32"));
  if (name == "float32") return DType::kF32;
  if (name == "float16") return DType::kF16;
  if (name == "bfloat16") return DType::kBF16;
  config.unsupported(
      config.has("dtype") ? "dtype" : "torch_dtype",
      fmt::format("expected float32, float16 or bfloat16, found \"{}\"", name.substr(0, 60)));
}

Config read_from(const fs::path& folder, std::string_view name) {
  return Config::read(value_or_throw(resolve_in_model_folder(folder, name)),
                      (folder / name).string());
}

Config read_shape(const std::string& shape_or_path) {
  const std::string_view known = known_shape(shape_or_path);
  if (!known.empty()) return Config::parse(known, shape_or_path);
  std::error_code error;
  const fs::path path(shape_or_path);
  if (fs::is_directory(path, error)) return read_from(path, kConfigFile);
  if (fs::exists(path, error)) return Config::read(path, path.string());
  throw Error(Code::kNotFound, shape_or_path,
              "is neither a config.json nor a known shape (" + known_shape_names() + ")");
}

}  // namespace

ImportedModel import_model(const Config& config, WeightSource& weights,
                           const ImportOptions& options) {
  const std::string model_type = config.get_string("model_type");
  const ArchBuild* build = architectures().find(model_type);
  if (build == nullptr)
    config.unsupported("model_type",
                       fmt::format("\"{}\" is not supported; known: {}", model_type.substr(0, 60),
                                   architectures().names()));
  ArchModel built = (*build)(config, weights);
  built.info.architecture = model_type;
  read_special_ids(config, built.info);
  if (options.max_len.has_value() && *options.max_len > built.info.max_context)
    throw Error(Code::kInvalidArgument, config.where(),
                fmt::format("a length of {} is more than the model's {} ({})", *options.max_len,
                            built.info.max_context, built.context_limit));
  return {std::move(built.graph), std::move(built.info), {}};
}

ImportedModel import_folder(const fs::path& folder, const ImportOptions& options) {
  const Config config = read_from(folder, kConfigFile);
  SafetensorsWeights weights = SafetensorsWeights::open(folder);
  ImportedModel model = import_model(config, weights, options);
  model.folder = folder;
  if (model_folder_has(folder, kGenerationFile)) {
    const Config generation = read_from(folder, kGenerationFile);
    read_special_ids(generation, model.info);
    model.info.generation = read_generation_defaults(generation);
  } else {
    model.info.generation = read_generation_defaults(config);
  }
  warn_of_unread(config);
  weights.warn_of_unused();
  return model;
}

ImportedModel random_model(const std::string& shape_or_config_path, uint64_t seed,
                           const ImportOptions& options) {
  const Config config = read_shape(shape_or_config_path);
  RandomWeights weights(seed, weights_dtype(config));
  return import_model(config, weights, options);
}

}  // namespace legato::importer
