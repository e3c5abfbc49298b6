#include "cli/engine_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/file.h"
#include "base/hash.h"
#include "base/status.h"
#include "cli/hub_cache.h"
#include "device/cpu/cpu_level.h"
#include "import/source_files.h"
#include "legato/engine.h"
#include "legato/version.h"

namespace legato::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_cache(const fs::path& cache, const std::string& reason) {
  throw Error(
      Code::kIo, cache.string(),
      fmt::format("{}; engines of model folders are kept here: set LEGATO_CACHE to a folder "
                  "that can be written",
                  reason));
}

/// Held until destroyed; released by the system when the process dies.
class FileLock {
 public:
  FileLock(const fs::path& path, const std::string& waiting_for, Console& console) {
    fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd_ < 0) refuse_cache(path.parent_path(), std::strerror(errno));
    if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return;
    waited_ = true;
    console.note(fmt::format("waiting for another process that builds {}", waiting_for));
    while (::flock(fd_, LOCK_EX) != 0) {
      if (errno == EINTR) continue;
      const std::string reason = std::strerror(errno);
      ::close(fd_);
      throw Error(Code::kIo, path.string(), reason);
    }
  }
  ~FileLock() { ::close(fd_); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Another process had it before.
  bool waited() const { return waited_; }

 private:
  int fd_ = -1;
  bool waited_ = false;
};

void hash_file(const fs::path& path, const std::string& name, Hasher& hasher) {
  const MappedFile file = value_or_throw(MappedFile::open(path));
  const uint64_t sizes[] = {name.size(), file.bytes().size()};
  hasher.update(std::as_bytes(std::span(sizes)));
  hasher.update(std::as_bytes(std::span(name)));
  hasher.update(file.bytes());
}

uint64_t hash_model(const fs::path& model) {
  std::error_code error;
  const fs::path folder = fs::is_directory(model, error) ? model : model.parent_path();
  Hasher hasher;
  for (const fs::path& file : importer::source_files(model))
    hash_file(file, file.lexically_relative(folder), hasher);
  return hasher.digest();
}

std::string key_of(const fs::path& model, const BuildOptions& build, const std::string& cpu_level) {
  const std::string level =
      cpu_level.empty() ? std::string(cpu_level_name(best_cpu_level())) : cpu_level;
  const auto type_name = [](const std::optional<DataType>& type) {
    return type ? std::string(data_type_name(*type)) : "auto";
  };
  const std::string options =
      fmt::format("{:016x} precision={} embed={} head={} group={} kv={} step={} version={} cpu={}",
                  hash_model(model), type_name(build.precision), type_name(build.embed_precision),
                  type_name(build.head_precision), build.group.value_or(0),
                  type_name(build.kv_type), build.max_step_tokens, version(), level);
  return fmt::format("{:016x}", hash_bytes(std::as_bytes(std::span(options))));
}

/// The engine of the cache; none when it is missing or stale.
std::optional<Engine> load_fresh(const fs::path& path, const LoadOptions& load, Console& console) {
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  Result<Engine> engine = Engine::load(path.string(), load);
  if (!engine.ok()) {
    console.note("rebuilding a stale engine: " + engine.status().to_string());
    return std::nullopt;
  }
  console.note(fmt::format("using {}", path.string()));
  return std::move(engine).value();
}

void create_cache(const fs::path& cache) {
  std::error_code error;
  fs::create_directories(cache, error);
  if (error) refuse_cache(cache, error.message());
}

void build_into(const fs::path& path, const fs::path& folder, const BuildOptions& build,
                Console& console) {
  BuildOptions options = build;
  // The first weight is written when the model was judged.
  options.progress = [&console, &path, &folder, begun = false, progress = console.progress()](
                         std::string_view what, uint64_t done, uint64_t total) mutable {
    if (!begun) {
      console.note(fmt::format("building {} once into {}", model_name(folder), path.string()));
    }
    begun = true;
    progress(what, done, total);
  };
  const Result<BuildReport> report = build_engine(folder.string(), path.string(), options);
  console.end_progress();
  if (report.ok()) return;
  if (report.status().code == Code::kIo && report.status().where.starts_with(path.string())) {
    refuse_cache(path.parent_path(), report.status().message);
  }
  throw Error(report.status());
}

}  // namespace

fs::path cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const std::string own = variable("LEGATO_CACHE"); !own.empty()) return own;
  if (const std::string xdg = variable("XDG_CACHE_HOME"); !xdg.empty()) {
    return fs::path(xdg) / "legato";
  }
  if (const std::string home = variable("HOME"); !home.empty()) {
    return fs::path(home) / ".cache" / "legato";
  }
  throw Error(Code::kNotFound, "LEGATO_CACHE", "set it: there is no home folder for the cache");
}

Engine load_cached(const fs::path& model, const BuildOptions& build, const LoadOptions& load,
                   Console& console) {
  const fs::path cache = cache_folder();
  const importer::SourceState state(model);
  const std::string name = model_name(model);
  const std::string stem = fmt::format("{}-{}", name, key_of(model, build, load.cpu_level));
  const fs::path path = cache / (stem + ".engine");
  // Reading needs no lock: an engine appears whole, and the cache may be read-only.
  std::error_code error;
  const bool is_stale = fs::exists(path, error);
  if (std::optional<Engine> engine = load_fresh(path, load, console)) return *std::move(engine);
  create_cache(cache);
  const FileLock lock(cache / (stem + ".lock"), name, console);
  if (lock.waited() || !is_stale) {
    if (std::optional<Engine> engine = load_fresh(path, load, console)) return *std::move(engine);
  }
  build_into(path, model, build, console);
  // The key tells what the model was before: another must not be kept under it.
  const Status unchanged = catch_error([&] { state.throw_if_changed(); });
  if (!unchanged.ok()) fs::remove(path, error);
  throw_if_failed(unchanged);
  return value_or_throw(Engine::load(path.string(), load));
}

}  // namespace legato::cli
