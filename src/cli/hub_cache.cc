#include "cli/hub_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <vector>

#include "base/file.h"
#include "base/status.h"

namespace legato::cli {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxRefBytes = 256;
constexpr std::string_view kPrefix = "models--";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Letters, digits and "-_." as names on the hub have them; a path like "./x" is none.
bool is_hub_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
         });
}

/// The revision that refs/main names; empty when there is none.
std::string main_revision(const fs::path& repository) {
  Result<std::string> content = read_file(repository / "refs" / "main", kMaxRefBytes);
  if (!content.ok()) return {};
  std::string name = std::move(content).value();
  while (!name.empty() && std::isspace(static_cast<unsigned char>(name.back())) != 0) {
    name.pop_back();
  }
  const bool plain =
      std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
  return plain ? name : std::string();
}

}  // namespace

fs::path hub_folder() {
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
    if (const std::string own = variable(name); !own.empty()) return own;
  }
  if (const std::string home = variable("HF_HOME"); !home.empty()) return fs::path(home) / "hub";
  const std::string xdg = variable("XDG_CACHE_HOME");
  const fs::path caches = xdg.empty() ? fs::path(variable("HOME")) / ".cache" : fs::path(xdg);
  return caches / "huggingface" / "hub";
}

std::optional<fs::path> hub_repository(const std::string& source) {
  const size_t slash = source.find('/');
  if (slash == std::string::npos) {
    if (!is_hub_name(source)) return std::nullopt;
    return hub_folder() / fmt::format("{}{}", kPrefix, source);
  }
  const std::string owner = source.substr(0, slash);
  const std::string name = source.substr(slash + 1);
  if (!is_hub_name(owner) || !is_hub_name(name)) return std::nullopt;
  return hub_folder() / fmt::format("{}{}--{}", kPrefix, owner, name);
}

bool is_hub_repository(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder / "snapshots", error) &&
         !fs::exists(folder / "config.json", error);
}

fs::path hub_snapshot(const fs::path& repository) {
  const fs::path snapshots = repository / "snapshots";
  std::error_code error;
  if (const std::string revision = main_revision(repository); !revision.empty()) {
    if (fs::is_directory(snapshots / revision, error)) return snapshots / revision;
  }
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(snapshots, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_directory(error)) found.push_back(entry->path());
  }
  if (found.size() == 1) return found.front();
  throw Error(
      Code::kNotFound, repository.string(),
      found.empty()
          ? "has no snapshot of the model inside"
          : fmt::format("has {} snapshots and refs/main names none of them; give one of the "
                        "folders in snapshots",
                        found.size()));
}

std::string model_name(const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(folder, error);
  const fs::path snapshots = real.parent_path();
  const std::string repository = snapshots.parent_path().filename().string();
  if (snapshots.filename() == "snapshots" && repository.starts_with(kPrefix)) {
    return repository.substr(kPrefix.size());
  }
  return real.filename().string();
}

}  // namespace legato::cli
