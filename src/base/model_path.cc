#include "base/model_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"

namespace legato {
namespace fs = std::filesystem;
namespace {

/// The folder that files may lie in: the model's own, or the repository's in a hub cache.
fs::path allowed_root(const fs::path& folder) {
  const fs::path snapshots = folder.parent_path(), repository = snapshots.parent_path();
  const bool in_hub_cache =
      snapshots.filename() == "snapshots" && repository.filename().string().starts_with("models--");
  return in_hub_cache ? repository : folder;
}

bool lies_in(const fs::path& path, const fs::path& root) {
  return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
}

}  // namespace

Result<fs::path> resolve_in_model_folder(const fs::path& folder, std::string_view name) {
  const fs::path relative(name);
  const bool climbs = std::any_of(relative.begin(), relative.end(),
                                  [](const fs::path& part) { return part == ".."; });
  const std::string where = folder.string();
  if (name.empty() || relative.is_absolute() || climbs || name.find('\0') != std::string_view::npos)
    return fail(Code::kMalformed, where,
                fmt::format("\"{}\" is not the name of a file in the model's folder", name));
  std::error_code error;
  const fs::path real_folder = fs::canonical(folder, error);
  if (error) return fail(Code::kNotFound, where, "folder not found");
  const fs::path real = fs::canonical(real_folder / relative, error);
  if (error)
    return fail(Code::kNotFound, (folder / relative).string(),
                "file not found: " + error.message());
  const fs::path root = allowed_root(real_folder);
  if (!lies_in(real, root))
    return fail(
        Code::kInvalidArgument, (folder / relative).string(),
        fmt::format("links to {}, outside the model's folder {}", real.string(), root.string()));
  if (!fs::is_regular_file(real, error))
    return fail(Code::kInvalidArgument, (folder / relative).string(), "is not a regular file");
  return real;
}

bool model_folder_has(const fs::path& folder, std::string_view name) {
  std::error_code error;
  return fs::symlink_status(folder / fs::path(name), error).type() != fs::file_type::not_found &&
         !error;
}

Result<std::string> read_model_file(const fs::path& folder, std::string_view name,
                                    uint64_t max_bytes) {
  LEGATO_ASSIGN_OR_RETURN(const fs::path real, resolve_in_model_folder(folder, name));
  Result<std::string> text = read_file(real, max_bytes);
  if (text.ok()) return text;
  return fail(text.status().code, (folder / fs::path(name)).string(), text.status().message);
}

}  // namespace legato
