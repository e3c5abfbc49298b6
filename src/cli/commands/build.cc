#include "legato/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/status.h"
#include "cli/command.h"
#include "cli/model_source.h"
#include "cli/output_path.h"
#include "cli/precision_flags.h"
#include "cli/session_flags.h"
#include "cli/step_shape.h"
#include "cli/units.h"
#include "cli/weight_types.h"
#include "import/gguf/model_file.h"
#include "legato/engine.h"

namespace legato::cli {
namespace {

class Build : public Command {
 public:
  std::string name() const override { return "build"; }
  std::string summary() const override { return "compile a model to an engine file"; }
  std::string examples() const override {
    return fmt::format(
        "  legato build models/tiny-tales -o tiny.engine\n"
        "      weights as the model has them\n"
        "  legato build models/tiny-tales -o tiny.engine --precision fp32 --kv-dtype f16\n"
        "      other types for weights and cache\n"
        "  legato build models/tiny-tales -o tiny.engine --precision w4\n"
        "      4-bit weights in groups of 32, embedding and output matrix in 8 bits\n"
        "  legato build --random-weights llama-3.2-1b --precision fp16 -o 1b.engine\n"
        "      a shape to measure with; known: {}\n",
        fmt::join(random_engine_shapes(), ", "));
  }

  void declare(OptionSet& options) override {
    options.text("SRC", "", &source_,
                 "a Hugging Face model folder or a GGUF file (of several parts the first)");
    OptionSpec& output = options.text("--output", "X.engine", &output_, "where to write (-o)");
    output.aliases = {"-o", "--save-engine", "--saveEngine"};
    options.text("--random-weights", "SHAPE", &shape_,
                 "no SRC: a known shape or a config.json, with weights by a fixed seed");
    declare_types(options);
    options.flag("--require-kv-cache", &build_.require_kv_cache,
                 "fail, naming the node, when the model can't run with a cache");
    options.integer("--max-step-tokens", "N", &max_step_tokens_, {1, 1 << 20},
                    "most tokens of one step; default 512");
    OptionSpec disable{.name = "--disable-pass", .value = "NAME", .repeated = true};
    disable.doc = "leave a compiler pass out; may be given several times";
    disable.assign = [this](const std::string& text) { build_.disabled_passes.push_back(text); };
    options.add(disable);
    OptionSpec level{.name = "--require-cpu-level", .value = "sse2|avx2|avx512|avx512vnni"};
    level.doc = "refuse to run on a CPU below this level; default: any x86-64";
    level.assign = [this](const std::string& text) { build_.required_cpu_level = text; };
    options.add(level);
    options.flag("--dump-layer-info", &dump_layers_, "list the kernels of a step");
    options.flag("--verbose", &verbose_, "tell what each compiler pass did");
    options.flag("--json", &json_, "print one JSON object");
    declare_shapes(options);
    declare_later(options);
  }

  int run(Console& console) override {
    if (source_.has_value() == shape_.has_value()) {
      throw UsageError("give SRC or --random-weights");
    }
    if (!output_) throw UsageError("-o X.engine is missing");
    precision_.apply(build_);
    apply_shapes(console);
    if (max_step_tokens_) build_.max_step_tokens = *max_step_tokens_;
    build_.progress = console.progress();
    const BuildReport report = build(*output_);
    console.end_progress();
    const Engine engine = value_or_throw(Engine::open(*output_));
    std::vector<EngineLayer> layers;
    if (dump_layers_) layers = value_or_throw(engine.layers());
    if (json_) {
      console.print_json(report_json(report, engine.info(), layers));
    } else {
      print_report(console, report, engine.info(), layers);
    }
    return 0;
  }

 private:
  void declare_types(OptionSet& options) {
    precision_.declare(options);
    for (const auto& [name, type] : {std::pair{"--fp32", DataType::kF32},
                                     {"--fp16", DataType::kF16},
                                     {"--bf16", DataType::kBF16}}) {
      OptionSpec flag{.name = name, .doc = fmt::format("the same as --precision {}", name + 2)};
      flag.assign = [this, type = type](const std::string&) { precision_.set_precision(type); };
      options.add(flag);
    }
    OptionSpec kv{.name = "--kv-dtype", .value = "f32|f16|bf16"};
    kv.doc = "default type of the cache; default: f32 for fp32, bf16 for bf16, f16 otherwise";
    kv.assign = [this](const std::string& text) { build_.kv_type = parse_float_type(text); };
    options.add(kv);
    OptionSpec device{.name = "--device", .value = "cpu", .doc = "what the engine is for"};
    device.assign = [](const std::string& text) {
      if (text.starts_with("cuda")) throw UsageError(text + " is not supported yet; use cpu");
      if (text != "cpu") throw UsageError(fmt::format("expected cpu, got \"{}\"", text));
    };
    options.add(device);
  }

  /// The spellings of trtexec: shapes as input_ids:BATCHxLENGTH.
  void declare_shapes(OptionSet& options) {
    const auto shape = [&](const char* name, std::optional<int64_t>* target, const char* doc) {
      OptionSpec spec{.name = name, .value = "input_ids:1x512", .doc = doc};
      spec.assign = [target](const std::string& text) { *target = parse_step_shape(text); };
      options.add(spec);
    };
    shape("--min-shapes", &min_tokens_, "smallest step; checked, an engine runs any smaller one");
    shape("--opt-shapes", &opt_tokens_, "usual step; checked, a CPU engine has one form for all");
    shape("--max-shapes", &max_tokens_, "the same as --max-step-tokens BATCH*LENGTH");
  }

  static void declare_later(OptionSet& options) {
    options.unsupported("--onnx", "FILE", "give a Hugging Face folder or a GGUF file");
    options.unsupported("--int8", "", "use --precision w8");
    options.unsupported("--fp8", "", "use --precision w8");
    options.unsupported("--int4", "", "use --precision w4");
    options.unsupported("--best", "", "use --fp16 or --bf16");
    options.unsupported("--tune", "", "kernels are chosen by a fixed rule");
    options.unsupported("--mem-pool-size", "POOL:MIB", "legato plan tells the workspace");
    options.unsupported("--timing-cache-file", "FILE", "nothing is timed on the CPU");
    options.unsupported("--dump-profile", "", "legato bench --dump-profile measures an engine");
    options.unsupported("--export-profile", "FILE", "legato bench --export-profile does");
  }

  void apply_shapes(Console& console) {
    const int64_t low = min_tokens_.value_or(1);
    const int64_t high = max_tokens_.value_or(std::max(low, opt_tokens_.value_or(low)));
    const int64_t middle = opt_tokens_.value_or(high);
    if (low > middle || middle > high) {
      throw UsageError(
          fmt::format("--min-shapes, --opt-shapes and --max-shapes have {}, {} and {} "
                      "tokens, expected an ascending order",
                      low, middle, high));
    }
    if (!max_tokens_) return;
    if (max_step_tokens_ && *max_step_tokens_ != *max_tokens_) {
      throw UsageError("--max-shapes and --max-step-tokens differ");
    }
    build_.max_step_tokens = *max_tokens_;
    if (verbose_)
      console.note(fmt::format("a step takes up to {}", counted(*max_tokens_, "token")));
  }

  /// By another name an engine couldn't be read again.
  static void check_name(const std::string& output) {
    if (!has_foreign_name(output)) return;
    throw UsageError(fmt::format(
        "--output: {} is the name of another kind of file, expected one like X.engine", output));
  }

  BuildReport build(const std::string& output) const {
    if (shape_) {
      check_output(output, {*shape_});
      check_name(output);
      return value_or_throw(build_random_engine(*shape_, output, build_));
    }
    const std::filesystem::path path = resolve_source(*source_);
    if (source_kind(path) != SourceKind::kModel) {
      const bool engine = Engine::open(path.string()).ok();
      throw Error(Code::kInvalidArgument, path.string(),
                  fmt::format("is {}, expected a Hugging Face model folder or a GGUF file",
                              engine ? "an engine" : "no model"));
    }
    check_model(path);
    check_output(output, std::filesystem::is_directory(path)
                             ? std::vector<std::filesystem::path>{path}
                             : importer::gguf_parts(path));
    check_name(output);
    return value_or_throw(build_engine(path.string(), output, build_));
  }

  Json report_json(const BuildReport& report, const EngineInfo& info,
                   const std::vector<EngineLayer>& layers) const {
    Json object{
        {"engine", *output_}, {"bytes", report.bytes},         {"build_s", report.seconds},
        {"device", "cpu"},    {"precision", report.precision}, {"weights", weights_json(info)}};
    object["kv_cache"] = {{"bound", report.kv_bound},
                          {"layers", report.kv_layers},
                          {"bytes_per_token", report.kv_bytes_per_token},
                          {"reason", report.kv_reason}};
    object["passes"] = Json::array();
    for (const BuildPass& pass : report.passes) {
      object["passes"].push_back(
          {{"name", pass.name}, {"rewrites", pass.rewrites}, {"ms", pass.ms}});
    }
    if (dump_layers_) {
      object["layers"] = Json::array();
      for (const EngineLayer& layer : layers) {
        object["layers"].push_back(
            {{"name", layer.name}, {"op", layer.op}, {"tactic", layer.tactic}});
      }
    }
    return object;
  }

  void print_report(Console& console, const BuildReport& report, const EngineInfo& info,
                    const std::vector<EngineLayer>& layers) const {
    if (verbose_) {
      for (const BuildPass& pass : report.passes) {
        console.note(fmt::format("pass {}: {}, {:.1f} ms", pass.name,
                                 counted(pass.rewrites, "rewrite"), pass.ms));
      }
    }
    console.print(fmt::format("{}: {}, {}, {:.1f} s\n", *output_, format_bytes(report.bytes),
                              report.precision, report.seconds));
    console.print("weights: " + describe_weights(info, ", ") + "\n");
    if (report.kv_bound) {
      console.print(fmt::format("KV cache: {}, {} a token\n", counted(report.kv_layers, "layer"),
                                format_bytes(report.kv_bytes_per_token)));
    } else {
      console.print(fmt::format("no KV cache: {}\n", report.kv_reason));
    }
    for (const EngineLayer& layer : layers) {
      console.print(fmt::format("{}  {}  {}\n", layer.name, layer.op, layer.tactic));
    }
  }

  std::optional<std::string> source_, output_, shape_;
  std::optional<int64_t> max_step_tokens_, min_tokens_, opt_tokens_, max_tokens_;
  PrecisionFlags precision_;
  BuildOptions build_;
  bool dump_layers_ = false, verbose_ = false, json_ = false;
};

}  // namespace

void register_build(CommandRegistry& registry) { registry.add(std::make_unique<Build>()); }

}  // namespace legato::cli
