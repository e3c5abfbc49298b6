#include "cli/model_source.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/file.h"
#include "base/model_path.h"
#include "base/status.h"
#include "cli/engine_cache.h"
#include "cli/options.h"
#include "import/gguf/gguf_importer.h"

namespace legato::cli {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxRefBytes = 256;

fs::path hub_folder() {
  if (const char* home = std::getenv("HF_HOME"); home != nullptr && *home != '\0') {
    return fs::path(home) / "hub";
  }
  const char* home = std::getenv("HOME");
  return fs::path(home == nullptr ? "" : home) / ".cache" / "huggingface" / "hub";
}

/// The snapshot of "owner/name" that the hub cache holds; empty when it holds none.
fs::path hub_snapshot(const std::string& source) {
  const size_t slash = source.find('/');
  if (slash == std::string::npos || slash == 0 ||
      source.find('/', slash + 1) != std::string::npos || source.front() == '.') {
    return {};
  }
  const fs::path model =
      hub_folder() / ("models--" + source.substr(0, slash) + "--" + source.substr(slash + 1));
  Result<std::string> revision = read_file(model / "refs" / "main", kMaxRefBytes);
  if (!revision.ok()) return {};
  std::string name = std::move(revision).value();
  while (!name.empty() && std::isspace(static_cast<unsigned char>(name.back())) != 0) {
    name.pop_back();
  }
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0;
  });
  std::error_code error;
  const fs::path snapshot = model / "snapshots" / name;
  return plain && fs::is_directory(snapshot, error) ? snapshot : fs::path();
}

}  // namespace

fs::path resolve_source(const std::string& source) {
  if (source.empty()) throw UsageError("MODEL is empty");
  std::error_code error;
  if (fs::exists(source, error)) return source;
  if (fs::path snapshot = hub_snapshot(source); !snapshot.empty()) return snapshot;
  throw Error(Code::kNotFound, source, "no such file or folder");
}

SourceKind source_kind(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error) || importer::is_gguf(path)) return SourceKind::kModel;
  if (path.extension() == ".onnx") {
    throw Error(Code::kUnsupported, path.string(),
                "ONNX models are not supported yet; expected a Hugging Face folder, a GGUF file or "
                "an engine");
  }
  return SourceKind::kEngine;
}

Engine load_model(const std::string& source, const SessionFlags& flags, Console& console,
                  const ModelJudge& judge) {
  const fs::path path = resolve_source(source);
  const LoadOptions load = flags.load_options(console);
  if (source_kind(path) == SourceKind::kModel) {
    // A folder that is no model's shouldn't be hashed for the cache first.
    if (fs::is_directory(path)) (void)value_or_throw(resolve_in_model_folder(path, "config.json"));
    Engine engine = load_cached(path, {}, load, console);
    console.end_progress();
    if (judge) judge(engine.info());
    return engine;
  }
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

}  // namespace legato::cli
