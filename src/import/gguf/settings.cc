#include "import/gguf/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/log.h"
#include "base/one_line.h"
#include "base/status.h"
#include "import/gguf/special_ids.h"
#include "import/hf/limits.h"

namespace legato::importer {
namespace {

constexpr std::string_view kArchitectureKey = "general.architecture";
constexpr std::string_view kTypeKey = "general.type";
constexpr std::string_view kModelType = "model";
constexpr std::array<std::string_view, 4> kArchitectures = {"gpt2", "llama", "qwen2", "qwen3"};
constexpr IntRange kAnyInt{INT32_MIN, INT32_MAX};

/// Keys after "<architecture>." that change the arithmetic of other models; zero, false and an
/// empty text change nothing.
constexpr std::array<std::string_view, 15> kForeignKeys = {"expert_count",
                                                           "expert_used_count",
                                                           "attention.clamp_kqv",
                                                           "attention.max_alibi_bias",
                                                           "attention.scale",
                                                           "attention.output_scale",
                                                           "attention.temperature_length",
                                                           "attention.shared_kv_layers",
                                                           "swin_norm",
                                                           "attn_logit_softcapping",
                                                           "final_logit_softcapping",
                                                           "use_parallel_residual",
                                                           "rope.scaling.yarn_log_multiplier",
                                                           "attention.sliding_window_pattern",
                                                           "pooling_type"};
/// Factors, of which 1 (and 0: not set) changes nothing.
constexpr std::array<std::string_view, 7> kForeignFactors = {"logit_scale",
                                                             "residual_scale",
                                                             "embedding_scale",
                                                             "rope.scaling.attn_factor",
                                                             "rope.scaling.alpha",
                                                             "rope.scaling.yarn_ext_factor",
                                                             "rope.scaling.yarn_attn_factor"};
constexpr size_t kMaxShownKeys = 5;
/// Keys that tell how a file was made and have no say in the arithmetic.
constexpr std::array<std::string_view, 2> kStories = {"rope.scaling.finetuned",
                                                      "tensor_data_layout"};

/// Fills a config.json field by field and remembers which key stands behind each.
class Translation {
 public:
  Translation(const GgufModelFile& file, std::string architecture)
      : file_(file), metadata_(file.metadata()), architecture_(std::move(architecture)) {}

  std::string key(std::string_view name) const {
    asked_.emplace(name);
    return fmt::format("{}.{}", architecture_, name);
  }
  bool has(std::string_view name) const { return metadata_.has(key(name)); }
  const GgufMetadata& metadata() const { return metadata_; }

  /// A required integer; the reader of the field judges its range.
  void required_int(std::string_view name, const char* field) {
    json_[field] = metadata_.get_uniform_int(key(name), kAnyInt);
    shown_[field] = key(name);
  }
  void optional_int(std::string_view name, const char* field) {
    if (has(name)) required_int(name, field);
  }
  void required_float(std::string_view name, const char* field) {
    json_[field] = metadata_.get_float(key(name));
    shown_[field] = key(name);
  }
  void set(const char* field, Json value) { json_[field] = std::move(value); }
  void show(const char* field, std::string name) { shown_[field] = std::move(name); }

  bool has_tensor(std::string_view name) const { return file_.find(name) != nullptr; }
  /// Rows of the embedding, where no key tells the size of the vocabulary.
  void vocabulary() {
    shown_["vocab_size"] = key("vocab_size");
    if (has("vocab_size")) return required_int("vocab_size", "vocab_size");
    const GgufTensor* embedding = file_.find("token_embd.weight");
    if (embedding == nullptr)
      throw Error(Code::kNotFound, file_.where(), "tensor \"token_embd.weight\" is missing");
    json_["vocab_size"] = embedding->shape[0];
  }

  /// Keys of the architecture that nothing has asked for may matter to another reader.
  void warn_of_unknown_keys() const {
    const std::string prefix = architecture_ + ".";
    std::string first;
    size_t count = 0;
    for (const auto& [key, value] : metadata_.values()) {
      if (!key.starts_with(prefix) || is_known(key.substr(prefix.size()))) continue;
      if (count++ < kMaxShownKeys) first += fmt::format(" \"{}\"", one_line(key, 60));
    }
    if (count != 0)
      log_warning(fmt::format("{}: {} without meaning here, ignored:{}{}", file_.where(),
                              count == 1 ? "a key" : fmt::format("{} keys", count), first,
                              count > kMaxShownKeys ? " ..." : ""));
  }

  Config finish() { return Config::from_json(std::move(json_), file_.where(), std::move(shown_)); }

 private:
  bool is_known(std::string_view name) const {
    return asked_.count(name) != 0 ||
           std::find(kStories.begin(), kStories.end(), name) != kStories.end();
  }

  const GgufModelFile& file_;
  const GgufMetadata& metadata_;
  std::string architecture_;
  mutable std::set<std::string, std::less<>> asked_;  ///< names that key() was called with
  Json json_ = Json::object();
  std::map<std::string, std::string, std::less<>> shown_;
};

void refuse_foreign_keys(const Translation& model) {
  const GgufMetadata& metadata = model.metadata();
  const auto number = [&](const std::string& key) -> double {
    const GgufValue& value = *metadata.find(key);
    if (value.type == GgufValueType::kBool) return metadata.get_bool(key, false) ? 1 : 0;
    if (value.type == GgufValueType::kF32 || value.type == GgufValueType::kF64)
      return metadata.get_float(key);
    return static_cast<double>(metadata.get_uniform_int(key, kAnyInt));
  };
  for (const std::string_view name : kForeignKeys)
    if (model.has(name) && number(model.key(name)) != 0)
      metadata.unsupported(model.key(name), "is set, which is not supported here");
  for (const std::string_view name : kForeignFactors) {
    const double factor = model.has(name) ? number(model.key(name)) : 1;
    if (factor != 1 && factor != 0)
      metadata.unsupported(model.key(name), fmt::format("only 1 is supported, found {}", factor));
  }
  if (!metadata.get_bool(model.key("attention.causal"), true))
    metadata.unsupported(model.key("attention.causal"), "only true is supported");
}

/// The factor of whatever rope.scaling.type says, in either spelling; 1: none.
double read_rope_factor(Translation& model) {
  for (const char* name : {"rope.scaling.factor", "rope.scale_linear"}) {
    if (!model.has(name)) continue;
    model.show("factor", model.key(name));
    return model.metadata().get_float(model.key(name));
  }
  return 1;
}

/// Names of rope.scaling.type are those of rope_type; a file without one means "linear", as files
/// did before there were types.
void translate_rope_scaling(Translation& model) {
  const GgufMetadata& metadata = model.metadata();
  const std::string type = metadata.get_name(model.key("rope.scaling.type"), "linear");
  model.show("rope_type", model.key("rope.scaling.type"));
  if (type != "none" && type != "linear" && type != "yarn")
    metadata.unsupported(model.key("rope.scaling.type"),
                         fmt::format("\"{}\" is not supported; known: none, linear, yarn", type));
  const double factor = read_rope_factor(model);
  if (type == "none" || factor == 1) return;
  Json scaling = {{"rope_type", type}, {"factor", factor}};
  if (type == "yarn") {
    const auto add_float = [&](const char* field, const char* name) {
      const std::string key = model.key(name);
      model.show(field, key);
      if (metadata.has(key)) scaling[field] = metadata.get_float(key);
    };
    add_float("beta_fast", "rope.scaling.yarn_beta_fast");
    add_float("beta_slow", "rope.scaling.yarn_beta_slow");
    const std::string original = model.key("rope.scaling.original_context_length");
    model.show("original_max_position_embeddings", original);
    if (metadata.has(original))
      scaling["original_max_position_embeddings"] = metadata.get_int(original, kPositionRange);
  }
  model.set("rope_scaling", std::move(scaling));
}

/// Both sizes of a head, which have to be the same; nullopt where neither is given and the number
/// of heads doesn't divide the width: whoever needs the quotient refuses that.
std::optional<int64_t> read_head_dim(const Translation& model) {
  const GgufMetadata& metadata = model.metadata();
  const int64_t heads = metadata.get_uniform_int(model.key("attention.head_count"), kHeadRange);
  const int64_t width = metadata.get_uniform_int(model.key("embedding_length"), kWidthRange);
  const auto size_of = [&](const char* name) -> std::optional<int64_t> {
    if (model.has(name)) return metadata.get_uniform_int(model.key(name), kHeadDimRange);
    const bool usable = width % heads == 0 && width / heads <= kHeadDimRange.max;
    return usable ? std::optional(width / heads) : std::nullopt;
  };
  const std::optional<int64_t> keys = size_of("attention.key_length");
  const std::optional<int64_t> values = size_of("attention.value_length");
  if (keys != values)
    metadata.unsupported(model.key(model.has("attention.value_length") ? "attention.value_length"
                                                                       : "attention.key_length"),
                         fmt::format("keys of {} and values of {} numbers are not supported",
                                     keys.value_or(0), values.value_or(0)));
  return keys;
}

void translate_rope(Translation& model, const std::optional<int64_t>& head_dim) {
  const GgufMetadata& metadata = model.metadata();
  model.show("rope_theta", model.key("rope.freq_base"));
  if (model.has("rope.freq_base")) model.required_float("rope.freq_base", "rope_theta");
  translate_rope_scaling(model);
  if (!model.has("rope.dimension_count") || !head_dim) return;
  const std::string key = model.key("rope.dimension_count");
  const int64_t rotary_dim = metadata.get_uniform_int(key, kAnyInt);
  if (rotary_dim != *head_dim)
    metadata.unsupported(key, fmt::format("only the size of a head, {}, is supported, found {}",
                                          *head_dim, rotary_dim));
}

void translate_llama_family(Translation& model, const std::string& architecture) {
  const GgufMetadata& metadata = model.metadata();
  model.required_int("embedding_length", "hidden_size");
  model.required_int("block_count", "num_hidden_layers");
  model.required_int("feed_forward_length", "intermediate_size");
  model.required_int("attention.head_count", "num_attention_heads");
  model.optional_int("attention.head_count_kv", "num_key_value_heads");
  const std::optional<int64_t> head_dim = read_head_dim(model);
  if (head_dim) model.set("head_dim", *head_dim);
  model.show("head_dim", model.key("attention.key_length"));
  model.required_int("context_length", "max_position_embeddings");
  model.required_float("attention.layer_norm_rms_epsilon", "rms_norm_eps");
  translate_rope(model, head_dim);
  model.set("tie_word_embeddings", !model.has_tensor("output.weight"));
  const std::string window = model.key("attention.sliding_window");
  if (!metadata.has(window) || metadata.get_int(window, {0, UINT32_MAX}) == 0) return;
  if (architecture != "llama")
    metadata.unsupported(window, "which layers it is for can't be told, so it is not supported");
  model.set("model_type", "mistral");
  model.required_int("attention.sliding_window", "sliding_window");
}

void translate_gpt2(Translation& model) {
  model.required_int("embedding_length", "n_embd");
  model.required_int("block_count", "n_layer");
  model.required_int("feed_forward_length", "n_inner");
  model.required_int("attention.head_count", "n_head");
  model.required_int("context_length", "n_positions");
  model.required_float("attention.layer_norm_epsilon", "layer_norm_epsilon");
  model.set("tie_word_embeddings", !model.has_tensor("output.weight"));
}

}  // namespace

GgufSettings read_gguf_settings(const GgufModelFile& file) {
  const GgufMetadata& metadata = file.metadata();
  // An adapter or an image encoder bears the architecture of the model that it is for.
  if (const std::string type = metadata.get_name(kTypeKey, kModelType); type != kModelType)
    metadata.unsupported(kTypeKey, fmt::format("expected \"{}\", found \"{}\"", kModelType, type));
  const std::string architecture = metadata.get_name(kArchitectureKey);
  if (std::find(kArchitectures.begin(), kArchitectures.end(), architecture) == kArchitectures.end())
    metadata.unsupported(kArchitectureKey,
                         fmt::format("\"{}\" is not supported; known: {}",
                                     architecture.substr(0, 60), fmt::join(kArchitectures, ", ")));
  Translation model(file, architecture);
  refuse_foreign_keys(model);
  model.set("model_type", architecture);
  model.vocabulary();
  if (architecture == "gpt2") {
    translate_gpt2(model);
  } else {
    translate_llama_family(model, architecture);
  }
  const GgufSpecialIds ids = read_gguf_special_ids(metadata);
  model.set("eos_token_id", ids.ends);
  if (ids.begin.has_value()) model.set("bos_token_id", *ids.begin);
  if (ids.padding.has_value()) model.set("pad_token_id", *ids.padding);
  model.warn_of_unknown_keys();
  GgufSettings settings{model.finish(), {}, false};
  if (architecture == "llama") {
    settings.paired.heads = metadata.get_uniform_int(model.key("attention.head_count"), kHeadRange);
    settings.paired.kv_heads = metadata.get_uniform_int(model.key("attention.head_count_kv"),
                                                        kHeadRange, settings.paired.heads);
    settings.rope_factors = model.has_tensor(kGgufRopeFactors);
  }
  return settings;
}

}  // namespace legato::importer
