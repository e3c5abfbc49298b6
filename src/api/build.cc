#include "legato/build.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <utility>

#include "api/convert.h"
#include "api/engine_impl.h"
#include "api/session_impl.h"
#include "base/counted.h"
#include "base/log.h"
#include "base/status.h"
#include "builder/builder.h"
#include "import/gguf/gguf_importer.h"
#include "import/importer.h"
#include "import/known_shapes.h"
#include "import/source_files.h"
#include "tokenizer/chat_template/chat_template.h"
#include "tokenizer/tokenizer.h"

namespace legato {
namespace {

/// Random weights are the same in every build.
constexpr uint64_t kRandomSeed = 20240229;

builder::BuildOptions to_internal(const BuildOptions& options) {
  builder::BuildOptions out;
  if (options.precision) out.precision = api::to_internal(*options.precision);
  if (options.embed_precision) out.embed_precision = api::to_internal(*options.embed_precision);
  if (options.head_precision) out.head_precision = api::to_internal(*options.head_precision);
  out.group = options.group;
  if (options.kv_type) out.kv_dtype = api::to_internal(*options.kv_type);
  if (!options.required_cpu_level.empty()) {
    out.required_level = cpu_level_from_name(options.required_cpu_level);
    if (!out.required_level) {
      throw Error(Code::kInvalidArgument, "required_cpu_level",
                  fmt::format("expected sse2, avx2, avx512 or avx512vnni, got \"{}\"",
                              options.required_cpu_level));
    }
  }
  out.max_step_tokens = options.max_step_tokens;
  out.disabled_passes = options.disabled_passes;
  out.require_kv_cache = options.require_kv_cache;
  out.progress = options.progress;
  return out;
}

/// A template that can't be read would fail at each use of the engine.
void warn_of_broken_templates(const tokenizer::Tokenizer& tokenizer, const std::string& folder) {
  for (const char* name : {"default", "tool_use"}) {
    const std::string_view source = tokenizer.chat_template(name);
    if (source.empty()) continue;
    const Result<tokenizer::ChatTemplate> parsed =
        tokenizer::ChatTemplate::parse(source, fmt::format("{}: chat_template {}", folder, name));
    if (parsed.ok()) continue;
    log_warning(fmt::format("{}; chats with this model will fail", parsed.status().to_string()));
  }
}

/// The tokenizer's end token joins those of the configs; begin and padding fill what they leave
/// open.
void add_tokenizer(const tokenizer::Tokenizer& tokenizer, const std::string& folder,
                   builder::BuildInput& input) {
  ModelInfo& model = input.model;
  if (tokenizer.vocab_size() > model.vocab_size) {
    log_warning(
        fmt::format("{}: the tokenizer has {}, the model's vocabulary {}; texts with "
                    "the others will be refused",
                    folder, counted(tokenizer.vocab_size(), "token"), model.vocab_size));
  }
  std::set<int32_t> ends(model.eos_ids.begin(), model.eos_ids.end());
  if (const std::optional<int32_t> end = tokenizer.eos_id()) ends.insert(*end);
  model.eos_ids.assign(ends.begin(), ends.end());
  if (!model.bos_id) model.bos_id = tokenizer.bos_id();
  if (!model.pad_id) model.pad_id = tokenizer.pad_id();
  warn_of_broken_templates(tokenizer, folder);
  input.tokenizer = tokenizer.serialize();
}

/// A Hugging Face folder or a GGUF file.
builder::BuildInput import_source(const std::string& source) {
  const importer::SourceState state(source);
  const bool gguf = importer::is_gguf(source);
  importer::ImportedModel model =
      gguf ? importer::import_gguf(source) : importer::import_folder(source);
  builder::BuildInput input{
      std::move(model.graph), std::move(model.info), {}, [state] { state.throw_if_changed(); }};
  Result<tokenizer::Tokenizer> tokenizer =
      gguf ? importer::gguf_tokenizer(source) : tokenizer::Tokenizer::from_folder(source);
  if (tokenizer.ok()) {
    add_tokenizer(*tokenizer, source, input);
  } else if (tokenizer.status().code != Code::kNotFound) {
    throw Error(tokenizer.status());
  } else {
    log_warning(fmt::format("{}; the engine takes and gives token ids only",
                            tokenizer.status().to_string()));
  }
  return input;
}

builder::BuildInput import_random(const std::string& shape) {
  importer::ImportedModel model = importer::random_model(shape, kRandomSeed);
  return {std::move(model.graph), std::move(model.info), {}, {}};
}

BuildReport to_public(builder::BuildReport report) {
  BuildReport out;
  out.bytes = report.bytes;
  out.kv_bound = report.kv_bound;
  out.kv_reason = std::move(report.kv_reason);
  out.kv_layers = report.kv_layers;
  out.kv_bytes_per_token = report.kv_bytes_per_token;
  out.precision = std::move(report.precision);
  for (builder::PassRecord& pass : report.passes) {
    out.passes.push_back({std::move(pass.name), pass.rewrites, pass.ms});
  }
  return out;
}

template <typename Import>
Result<BuildReport> build_from(const Import& import, const std::string& source,
                               const std::string& output, const BuildOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  BuildReport report;
  const Status status = catch_error([&] {
    const builder::BuildOptions internal = to_internal(options);
    report = to_public(builder::build(import(source), internal, output));
  });
  if (!status.ok()) return status;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace

inline namespace v1 {

Result<BuildReport> build_engine(const std::string& source, const std::string& output,
                                 const BuildOptions& options) {
  return build_from(import_source, source, output, options);
}

Result<BuildReport> build_random_engine(const std::string& shape, const std::string& output,
                                        const BuildOptions& options) {
  return build_from(import_random, shape, output, options);
}

std::vector<std::string> random_engine_shapes() {
  std::vector<std::string> names;
  std::string rest = importer::known_shape_names();
  while (!rest.empty()) {
    const size_t comma = rest.find(", ");
    names.push_back(rest.substr(0, comma));
    rest = comma == std::string::npos ? "" : rest.substr(comma + 2);
  }
  return names;
}

Result<MemoryPlan> plan_source(const std::string& source, const BuildOptions& build,
                               const SessionOptions& options) {
  Result<MemoryPlan> plan = MemoryPlan{};
  const Status status = catch_error([&] {
    const bool random = !std::filesystem::is_directory(source) && !importer::is_gguf(source);
    builder::BuildInput input = random ? import_random(source) : import_source(source);
    const engine::EngineSpec spec = builder::plan_spec(std::move(input), to_internal(build));
    plan = api::plan_spec(spec, api::describe_spec(spec), options);
  });
  if (!status.ok()) return status;
  return plan;
}

}  // namespace v1
}  // namespace legato
