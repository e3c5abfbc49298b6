#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/progress.h"
#include "base/status.h"
#include "device/buffer.h"
#include "device/cpu/huge_file.h"
#include "engine/schema.h"

namespace legato::engine {

struct SectionInfo {
  std::string name;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint64_t checksum = 0;  ///< of the section and the padding behind it, by chunks (FORMAT.md)
};

struct LoadOptions {
  /// Where weights go; null: they are used in the mapped file and move from there into huge pages
  /// in the background.
  Allocator* allocator = nullptr;
  int threads = 1;                       ///< that read and checksum
  CpuLevel cpu_level = CpuLevel::kSse2;  ///< what the machine has (or was told to have)
  Progress progress;
};

/// A loaded engine file: immutable, shared by any number of execution contexts and threads.
class Engine {
 public:
  /// Reads and judges everything but the weights' bytes (their section's place and size included):
  /// what inspect and plan need. kVersionMismatch, kDeviceMismatch, kCorrupt, kMalformed name found
  /// and expected.
  static Result<std::shared_ptr<const Engine>> open(const std::filesystem::path& path);
  /// open(), and the weights in place, each byte of the file checksummed before use.
  static Result<std::shared_ptr<const Engine>> load(const std::filesystem::path& path,
                                                    const LoadOptions& options);

  const EngineSpec& spec() const { return spec_; }
  const std::string& path() const { return path_; }
  uint32_t format_version() const { return format_version_; }
  /// Hex digest over versions, device, build options and all section checksums.
  const std::string& fingerprint() const { return fingerprint_; }
  uint64_t file_bytes() const { return file_bytes_; }
  const std::vector<SectionInfo>& sections() const { return sections_; }
  /// Serialised tokenizer (tokenizer::Tokenizer::deserialize), empty if the engine has none.
  std::span<const std::byte> tokenizer() const;
  /// Start of the weights; null after open().
  const std::byte* weights() const { return weights_; }
  /// Waits until the weights are where they stay; what kept them from moving there, if something
  /// did: they are the same, only slower to read.
  Status wait_until_settled() const;

 private:
  friend class EngineReader;
  Engine() = default;

  EngineSpec spec_;
  std::string path_;
  uint32_t format_version_ = 0;
  std::string fingerprint_;
  uint64_t file_bytes_ = 0;
  std::vector<SectionInfo> sections_;
  MappedFile file_;
  std::span<const std::byte> tokenizer_;
  Buffer weights_buffer_;
  std::unique_ptr<HugeFile> weights_file_;
  const std::byte* weights_ = nullptr;
};

}  // namespace legato::engine
