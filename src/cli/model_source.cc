#include "cli/model_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/model_path.h"
#include "base/status.h"
#include "cli/engine_cache.h"
#include "cli/hub_cache.h"
#include "cli/options.h"
#include "import/gguf/gguf_importer.h"

namespace legato::cli {
namespace {

namespace fs = std::filesystem;

/// Forms of a model that a path may have and no command reads, with what to do.
constexpr std::pair<const char*, const char*> kForeignKinds[] = {
    {".onnx",
     "ONNX models are not supported yet; expected a Hugging Face folder, a GGUF file or an engine"},
    {".safetensors", "is a file of weights alone; give the folder that holds it and config.json"},
    {".json", "is one file of a model; give its folder"},
    {".bin", "is a file of weights alone; expected a folder with config.json and safetensors"},
    {".pt", "is a file of weights alone; expected a folder with config.json and safetensors"},
    {".pth", "is a file of weights alone; expected a folder with config.json and safetensors"}};

constexpr const char* kConfig = "config.json";
constexpr std::string_view kEngineExtension = ".engine";
constexpr std::string_view kGgufExtension = ".gguf";

/// The first file of the folder with this extension; empty when there is none.
std::string find_kind(const fs::path& folder, std::string_view extension) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == extension) return entry->path().filename().string();
  }
  return {};
}

/// What may also be the name of a hub repository, but hardly is meant as one.
bool is_plainly_a_path(const fs::path& source) {
  std::error_code error;
  return source.extension() == kEngineExtension || has_foreign_name(source) ||
         (source.has_parent_path() && fs::exists(source.parent_path(), error));
}

/// Whether it exists; throws where that can't be known, as in a folder that may not be entered.
bool exists_or_throw(const fs::path& path) {
  std::error_code error;
  const bool exists = fs::exists(path, error);
  if (error == std::errc::permission_denied) throw Error(Code::kIo, path.string(), error.message());
  return exists;
}

}  // namespace

fs::path resolve_source(const std::string& source) {
  if (source.empty()) throw UsageError("MODEL is empty");
  std::error_code error;
  if (is_hub_repository(source)) return hub_snapshot(source);
  if (exists_or_throw(source)) return source;
  const std::optional<fs::path> repository = hub_repository(source);
  if (!repository) throw Error(Code::kNotFound, source, "no such file or folder");
  if (fs::is_directory(*repository, error)) return hub_snapshot(*repository);
  if (is_plainly_a_path(source)) throw Error(Code::kNotFound, source, "no such file or folder");
  throw Error(Code::kNotFound, source,
              fmt::format("no such file or folder, and the hub cache has no {}; nothing is "
                          "downloaded",
                          repository->string()));
}

SourceKind source_kind(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error) || importer::is_gguf(path)) return SourceKind::kModel;
  for (const auto& [extension, message] : kForeignKinds) {
    if (path.extension() == extension) throw Error(Code::kUnsupported, path.string(), message);
  }
  return SourceKind::kEngine;
}

bool has_foreign_name(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == kGgufExtension ||
         std::any_of(std::begin(kForeignKinds), std::end(kForeignKinds),
                     [&](const auto& kind) { return extension == kind.first; });
}

void check_model(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return;
  (void)exists_or_throw(folder / kConfig);
  if (model_folder_has(folder, kConfig)) {
    (void)value_or_throw(resolve_in_model_folder(folder, kConfig));
    return;
  }
  std::string found;
  if (const std::string gguf = find_kind(folder, kGgufExtension); !gguf.empty()) {
    found = fmt::format("; it has {}: give that file", gguf);
  } else if (const std::string onnx = find_kind(folder, ".onnx"); !onnx.empty()) {
    found = fmt::format("; it has {}, and ONNX models are not supported yet", onnx);
  } else if (const std::string engine = find_kind(folder, kEngineExtension); !engine.empty()) {
    found = fmt::format("; it has {}: give that file", engine);
  }
  throw Error(Code::kNotFound, (folder / kConfig).string(),
              "not found, expected a Hugging Face model folder" + found);
}

Engine load_model(const std::string& source, const SessionFlags& flags, Console& console,
                  const ModelJudge& judge) {
  const fs::path path = resolve_source(source);
  const bool is_model = source_kind(path) == SourceKind::kModel;
  const LoadOptions load = flags.load_options(console);
  if (is_model) {
    // What is no model shouldn't be hashed for the cache first.
    check_model(path);
    BuildOptions build;
    flags.precision().apply(build);
    Engine engine = load_cached(path, build, load, console);
    console.end_progress();
    if (judge) judge(engine.info());
    return engine;
  }
  if (flags.precision().given())
    throw UsageError("--precision: an engine has its precision already");
  if (judge) judge(value_or_throw(Engine::open(path.string())).info());
  Engine engine = value_or_throw(Engine::load(path.string(), load));
  console.end_progress();
  return engine;
}

Tokenizer load_tokenizer(const std::string& source) {
  const fs::path path = resolve_source(source);
  if (source_kind(path) == SourceKind::kModel) {
    return value_or_throw(Tokenizer::load(path.string()));
  }
  return value_or_throw(value_or_throw(Engine::open(path.string())).tokenizer());
}

Tokenizer engine_tokenizer(const Engine& engine, const std::string& source,
                           const std::string& instead) {
  if (engine.info().has_tokenizer) return value_or_throw(engine.tokenizer());
  const fs::path path = resolve_source(source);
  std::string reason = "has no tokenizer inside";
  if (source_kind(path) == SourceKind::kModel) {
    const Result<Tokenizer> tokenizer = Tokenizer::load(path.string());
    if (!tokenizer.ok()) reason = "has no usable tokenizer: " + tokenizer.status().message;
  }
  throw Error(Code::kNotFound, source, fmt::format("{}; {}", reason, instead));
}

}  // namespace legato::cli
