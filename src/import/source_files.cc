#include "import/source_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/status.h"
#include "import/gguf/model_file.h"

namespace legato::importer {
namespace fs = std::filesystem;
namespace {

bool shapes_engine(const fs::path& path) {
  static const std::set<std::string> kinds{".json", ".jinja", ".safetensors", ".model"};
  return kinds.contains(path.extension().string()) || path.filename() == "merges.txt";
}

std::vector<fs::path> folder_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; it != end; it.increment(error)) {
    if (error) break;
    if (it.depth() > 1) it.disable_recursion_pending();
    if (it->is_regular_file(error) && shapes_engine(it->path())) files.push_back(it->path());
  }
  if (error) throw Error(Code::kIo, folder.string(), error.message());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<fs::path> source_files(const fs::path& model) {
  std::error_code error;
  if (fs::is_directory(model, error)) return folder_files(model);
  std::vector<fs::path> files;
  // Names alone don't tell which parts have to be there; who reads the file knows.
  for (const fs::path& part : gguf_parts(model))
    if (part == model || fs::exists(part, error)) files.push_back(part);
  return files;
}

std::vector<SourceState::File> SourceState::look_at(const fs::path& model) {
  std::vector<File> files;
  for (fs::path& path : source_files(model)) {
    struct stat info {};
    // A file that is gone stays in the list without a size: it is not what it was.
    if (::stat(path.c_str(), &info) != 0) info = {};
    files.push_back({std::move(path), static_cast<uint64_t>(info.st_dev),
                     static_cast<uint64_t>(info.st_ino), static_cast<uint64_t>(info.st_size),
                     static_cast<int64_t>(info.st_mtim.tv_sec),
                     static_cast<int64_t>(info.st_mtim.tv_nsec)});
  }
  return files;
}

SourceState::SourceState(fs::path model) : model_(std::move(model)), files_(look_at(model_)) {}

void SourceState::throw_if_changed() const {
  const std::vector<File> now = look_at(model_);
  const auto [before, after] = std::mismatch(files_.begin(), files_.end(), now.begin(), now.end());
  if (before == files_.end() && after == now.end()) return;
  const fs::path& changed = before != files_.end() ? before->path : after->path;
  throw Error(Code::kIo, changed.string(), "was changed while it was read; try again");
}

}  // namespace legato::importer
