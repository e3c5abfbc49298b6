#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace legato::importer {

/// Files that shape an engine, each time in the same order: of a folder all but documents and other
/// forms of the model, one folder deep; of a GGUF file also its other parts, where they exist.
/// Throws Error.
std::vector<std::filesystem::path> source_files(const std::filesystem::path& model);

/// The files of a model as they were once. Weights are read piece by piece from mapped files, so
/// that a model somebody writes to meanwhile would be a mixture of two.
class SourceState {
 public:
  /// Throws Error where the files can't be listed.
  explicit SourceState(std::filesystem::path model);
  /// Throws kIo with the first file that is no longer what it was.
  void throw_if_changed() const;

 private:
  struct File {
    std::filesystem::path path;
    uint64_t device = 0, inode = 0, size_bytes = 0;
    int64_t seconds = 0, nanoseconds = 0;  ///< of the last write

    bool operator==(const File& other) const = default;
  };
  static std::vector<File> look_at(const std::filesystem::path& model);

  std::filesystem::path model_;
  std::vector<File> files_;
};

}  // namespace legato::importer
