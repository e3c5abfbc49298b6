#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "engine/engine.h"

/// The fixed part of the file: header page and section table. FORMAT.md describes every byte.
namespace legato::engine {

inline constexpr uint32_t kFormatVersion = 2;
/// Sections begin at multiples of this, and the file ends at one.
inline constexpr uint64_t kSectionAlignment = 4096;
/// The first page of the file: header, table, zeros, checksum.
inline constexpr size_t kHeaderBytes = 4096;
/// Weights begin at multiples of this within their section.
inline constexpr uint64_t kWeightAlignment = 64;
inline constexpr size_t kMaxSections = 16;

inline constexpr std::string_view kSpecSection = "spec";
inline constexpr std::string_view kTokenizerSection = "tokenizer";
inline constexpr std::string_view kWeightsSection = "weights";

/// What the first page says.
struct FileHeader {
  uint32_t version = kFormatVersion;
  Backend backend = Backend::kCpu;
  CpuLevel required_level = CpuLevel::kSse2;
  uint64_t file_bytes = 0;
  std::vector<SectionInfo> sections;  ///< in the order of their offsets

  /// Null when there is no section of that name.
  const SectionInfo* find(std::string_view name) const;
};

/// The page for a header; at most kMaxSections sections.
std::vector<std::byte> encode_header(const FileHeader& header);

/// Judges the first page of a file of `file_bytes` bytes: `head` is its first kHeaderBytes bytes,
/// or the whole of a shorter file. `where` is the file's name for messages.
Result<FileHeader> decode_header(std::span<const std::byte> head, uint64_t file_bytes,
                                 const std::string& where);

/// Where a section ends when the padding behind it is counted.
uint64_t padded_end(const SectionInfo& section);

/// Hex digest of the page: versions, device and all checksums lie in it.
std::string fingerprint_of(std::span<const std::byte> page);

}  // namespace legato::engine
