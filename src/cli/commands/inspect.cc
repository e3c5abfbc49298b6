#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/status.h"
#include "cli/command.h"
#include "cli/model_source.h"
#include "cli/units.h"
#include "cli/weight_types.h"
#include "legato/engine.h"

namespace legato::cli {
namespace {

Json tensors_json(const std::vector<TensorInfo>& tensors) {
  Json list = Json::array();
  for (const TensorInfo& tensor : tensors) {
    list.push_back(
        {{"name", tensor.name}, {"dtype", data_type_name(tensor.type)}, {"shape", tensor.shape}});
  }
  return list;
}

Json kv_json(const Engine& engine) {
  Json bindings = Json::array();
  for (const KvBinding& binding : engine.kv_bindings()) {
    bindings.push_back({{"layer", binding.layer},
                        {"kind", binding.kind == KvBinding::Kind::kKey ? "key" : "value"},
                        {"heads", binding.heads},
                        {"head_dim", binding.head_dim},
                        {"window", binding.window},
                        {"sinks", binding.sinks},
                        {"offset", binding.offset},
                        {"head_bytes", binding.head_bytes}});
  }
  const std::vector<KvBinding> all = engine.kv_bindings();
  return {{"dtype", data_type_name(engine.info().kv_type)},
          {"layers", engine.info().kv_layers},
          {"bytes_per_token", engine.kv_bytes_per_token()},
          {"block_tokens", all.empty() ? 0 : all.front().block_tokens},
          {"block_bytes", all.empty() ? 0 : all.front().block_bytes},
          {"bindings", std::move(bindings)}};
}

Json model_json(const EngineInfo& info) {
  Json model{{"architecture", info.architecture},
             {"vocab_size", info.vocab_size},
             {"max_context", info.max_context},
             {"eos_ids", info.eos_ids},
             {"bos_id", nullptr},
             {"pad_id", nullptr}};
  if (info.bos_id) model["bos_id"] = *info.bos_id;
  if (info.pad_id) model["pad_id"] = *info.pad_id;
  return model;
}

Json tokenizer_json(const Engine& engine) {
  const Result<Tokenizer> tokenizer = engine.tokenizer();
  if (!tokenizer.ok()) return nullptr;
  return {{"vocab_size", tokenizer->vocab_size()},
          {"chat_template", tokenizer->has_chat_template()}};
}

Json engine_json(const Engine& engine) {
  const EngineInfo& info = engine.info();
  Json object{{"path", info.path},
              {"bytes", info.file_bytes},
              {"format_version", info.format_version},
              {"fingerprint", info.fingerprint},
              {"device", info.device},
              {"cpu_level", info.required_cpu_level},
              {"precision", info.precision},
              {"weights", weights_json(info)},
              {"build_options", info.build_options},
              {"model", model_json(info)},
              {"inputs", tensors_json(info.inputs)},
              {"outputs", tensors_json(info.outputs)},
              {"kv", kv_json(engine)},
              {"tokenizer", tokenizer_json(engine)}};
  object["sections"] = Json::array();
  for (const EngineSection& section : info.sections) {
    object["sections"].push_back({{"name", section.name},
                                  {"bytes", section.bytes},
                                  {"checksum", fmt::format("{:016x}", section.checksum)}});
  }
  object["profiles"] = Json::array();
  for (const EngineProfile& profile : info.profiles) {
    object["profiles"].push_back({{"symbol", profile.symbol},
                                  {"min", profile.min},
                                  {"opt", profile.opt},
                                  {"max", profile.max}});
  }
  return object;
}

class Inspect : public Command {
 public:
  std::string name() const override { return "inspect"; }
  std::string summary() const override { return "tell what an engine file holds"; }
  std::string examples() const override {
    return "  legato inspect tiny.engine\n"
           "      model, cache, sections\n"
           "  legato inspect tiny.engine --layers\n"
           "      and each kernel of a step with its bytes and operations for one token\n";
  }

  void declare(OptionSet& options) override {
    options.text("ENGINE", "", &path_, "an engine file").required = true;
    options.flag("--layers", &layers_, "list the kernels of a step");
    options.flag("--json", &json_, "print one JSON object");
  }

  int run(Console& console) override {
    if (source_kind(*path_) != SourceKind::kEngine) {
      const char* kind = std::filesystem::is_directory(*path_) ? "folder" : "GGUF file";
      throw Error(
          Code::kInvalidArgument, *path_,
          fmt::format("is a {}, expected an engine file; legato build makes one of it", kind));
    }
    const Engine engine = value_or_throw(Engine::open(*path_));
    std::vector<EngineLayer> layers;
    if (layers_) layers = value_or_throw(engine.layers());
    if (json_) {
      Json object = engine_json(engine);
      if (layers_) object["layers"] = layers_json(layers);
      console.print_json(object);
    } else {
      console.print(describe(engine) + (layers_ ? describe_layers(layers) : ""));
    }
    return 0;
  }

 private:
  static Json layers_json(const std::vector<EngineLayer>& layers) {
    Json list = Json::array();
    for (const EngineLayer& layer : layers) {
      list.push_back({{"name", layer.name},
                      {"op", layer.op},
                      {"tactic", layer.tactic},
                      {"config", layer.config},
                      {"bytes", layer.bytes},
                      {"operations", layer.operations}});
    }
    return list;
  }

  static std::string describe(const Engine& engine) {
    const EngineInfo& info = engine.info();
    std::string out = fmt::format(
        "engine       {} ({}, format {})\nfingerprint  {}\nmodel        {}, vocabulary {}, context "
        "{}\nprecision    {}, on {} ({} or better)\nweights      {}\ncache        {}, {}, {} a "
        "token\n",
        info.path, format_bytes(info.file_bytes), info.format_version, info.fingerprint,
        info.architecture, info.vocab_size, info.max_context, info.precision, info.device,
        info.required_cpu_level, describe_weights(info, "\n             "),
        counted(info.kv_layers, "layer"), data_type_name(info.kv_type),
        format_bytes(engine.kv_bytes_per_token()));
    const auto list = [&](const char* what, const std::vector<TensorInfo>& tensors) {
      for (const TensorInfo& tensor : tensors) {
        out += fmt::format("{:<13}{} {} [{}]\n", what, tensor.name, data_type_name(tensor.type),
                           fmt::join(tensor.shape, ", "));
      }
    };
    list("input", info.inputs);
    list("output", info.outputs);
    for (const EngineSection& section : info.sections) {
      out += fmt::format("section      {:<12} {:>12}  {:016x}\n", section.name,
                         format_bytes(section.bytes), section.checksum);
    }
    return out;
  }

  static std::string describe_layers(const std::vector<EngineLayer>& layers) {
    std::string out;
    for (const EngineLayer& layer : layers) {
      out += fmt::format("\n{}  {}  {}\n    {}, {:.0f} operations\n    {}\n", layer.name, layer.op,
                         layer.tactic, format_bytes(static_cast<uint64_t>(layer.bytes)),
                         layer.operations, layer.config);
    }
    return out;
  }

  std::optional<std::string> path_;
  bool layers_ = false, json_ = false;
};

}  // namespace

void register_inspect(CommandRegistry& registry) { registry.add(std::make_unique<Inspect>()); }

}  // namespace legato::cli
