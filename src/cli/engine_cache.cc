#include "cli/engine_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "base/status.h"
#include "device/cpu/cpu_level.h"
#include "import/gguf/model_file.h"
#include "legato/engine.h"
#include "legato/version.h"

namespace legato::cli {
namespace {

namespace fs = std::filesystem;

/// Held until destroyed; released by the system when the process dies.
class FileLock {
 public:
  FileLock(const fs::path& path, const std::string& waiting_for, Console& console) {
    fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd_ < 0) throw Error(Code::kIo, path.string(), std::strerror(errno));
    if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return;
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

 private:
  int fd_ = -1;
};

/// Files that can shape an engine: everything but documents and other forms of the model.
bool shapes_engine(const fs::path& path) {
  static const std::set<std::string> kinds{".json", ".jinja", ".txt", ".safetensors", ".model"};
  return kinds.contains(path.extension().string());
}

void hash_file(const fs::path& path, const std::string& name, Hasher& hasher) {
  const MappedFile file = value_or_throw(MappedFile::open(path));
  const uint64_t sizes[] = {name.size(), file.bytes().size()};
  hasher.update(std::as_bytes(std::span(sizes)));
  hasher.update(std::as_bytes(std::span(name)));
  hasher.update(file.bytes());
}

uint64_t hash_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; it != end; it.increment(error)) {
    if (error) break;
    if (it.depth() > 1) it.disable_recursion_pending();
    if (it->is_regular_file(error) && shapes_engine(it->path())) files.push_back(it->path());
  }
  if (error) throw Error(Code::kIo, folder.string(), error.message());
  std::sort(files.begin(), files.end());
  Hasher hasher;
  for (const fs::path& path : files) hash_file(path, path.lexically_relative(folder), hasher);
  return hasher.digest();
}

/// A folder, or a GGUF file with its other parts.
uint64_t hash_model(const fs::path& model) {
  std::error_code error;
  if (fs::is_directory(model, error)) return hash_folder(model);
  Hasher hasher;
  for (const fs::path& part : importer::gguf_parts(model)) {
    hash_file(part, part.filename().string(), hasher);
  }
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
  std::error_code error;
  fs::create_directories(cache, error);
  if (error) throw Error(Code::kIo, cache.string(), error.message());
  const std::string name = fs::weakly_canonical(model).filename().string();
  const std::string stem = fmt::format("{}-{}", name, key_of(model, build, load.cpu_level));
  const fs::path path = cache / (stem + ".engine");
  const FileLock lock(cache / (stem + ".lock"), name, console);
  if (fs::exists(path, error)) {
    Result<Engine> engine = Engine::load(path.string(), load);
    if (engine.ok()) {
      console.note(fmt::format("using {}", path.string()));
      return std::move(engine).value();
    }
    console.note("rebuilding a stale engine: " + engine.status().to_string());
  }
  console.note(fmt::format("building {} once into {}", name, path.string()));
  BuildOptions options = build;
  options.progress = console.progress();
  (void)value_or_throw(build_engine(model.string(), path.string(), options));
  console.end_progress();
  return value_or_throw(Engine::load(path.string(), load));
}

}  // namespace legato::cli
