#include "engine/file_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/check.h"
#include "base/checked.h"
#include "base/counted.h"
#include "base/hash.h"

namespace legato::engine {
namespace {

constexpr std::string_view kMagic = "\x8DLEGATO\n";
constexpr size_t kNameBytes = 16;
constexpr size_t kTableOffset = 64;
constexpr size_t kEntryBytes = 40;
constexpr size_t kChecksumOffset = kHeaderBytes - sizeof(uint64_t);
static_assert(kTableOffset + kMaxSections * kEntryBytes <= kChecksumOffset);

// Offsets of the fields; integers are little-endian, as on every machine that Legato runs on.
constexpr size_t kVersionOffset = 8;
constexpr size_t kCountOffset = 12;
constexpr size_t kBackendOffset = 16;
constexpr size_t kLevelOffset = 32;
constexpr size_t kFileBytesOffset = 48;

template <typename T>
T load(std::span<const std::byte> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <typename T>
void store(std::span<std::byte> bytes, size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

void store_name(std::span<std::byte> bytes, size_t offset, std::string_view name) {
  LEGATO_CHECK(name.size() <= kNameBytes);
  std::memcpy(bytes.data() + offset, name.data(), name.size());
}

/// The text up to the first zero, with what can't be printed replaced.
std::string load_name(std::span<const std::byte> bytes, size_t offset) {
  std::string name;
  for (size_t i = 0; i < kNameBytes; ++i) {
    const auto c = static_cast<char>(bytes[offset + i]);
    if (c == '\0') break;
    name += c >= ' ' && c <= '~' ? c : '?';
  }
  return name;
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

Status judge_identity(std::span<const std::byte> head, uint64_t file_bytes,
                      const std::string& where) {
  const auto magic = std::as_bytes(std::span(kMagic.data(), kMagic.size()));
  const size_t seen = std::min(head.size(), magic.size());
  if (!std::equal(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(seen), magic.begin()))
    return fail(Code::kMalformed, where,
                fmt::format("is no engine file: begins with {}, expected {}", hex(head.first(seen)),
                            hex(magic)));
  if (head.size() < kHeaderBytes)
    return fail(Code::kCorrupt, where,
                fmt::format("is truncated: {}, expected at least the {} of the header",
                            counted(file_bytes, "byte"), kHeaderBytes));
  const auto version = load<uint32_t>(head, kVersionOffset);
  if (version != kFormatVersion)
    return fail(Code::kVersionMismatch, where,
                fmt::format("has engine format version {}, expected {}: build it again", version,
                            kFormatVersion));
  const auto recorded = load<uint64_t>(head, kChecksumOffset);
  const uint64_t computed = hash_bytes(head.first(kChecksumOffset));
  if (recorded != computed)
    return fail(
        Code::kCorrupt, where,
        fmt::format("header has checksum {:016x}, its bytes give {:016x}", recorded, computed));
  return {};
}

Status read_device(std::span<const std::byte> head, const std::string& where, FileHeader& header) {
  const std::string backend = load_name(head, kBackendOffset);
  if (backend != "cpu")
    return fail(Code::kDeviceMismatch, where,
                fmt::format("is made for device {}, expected cpu", backend));
  const std::string level = load_name(head, kLevelOffset);
  const auto known = cpu_level_from_name(level);
  if (!known)
    return fail(Code::kDeviceMismatch, where,
                fmt::format("needs CPU level {}, expected one of sse2 to {}", level,
                            cpu_level_name(static_cast<CpuLevel>(kNumCpuLevels - 1))));
  header.required_level = *known;
  return {};
}

/// Sections lie one after the other, each at the next multiple of kSectionAlignment, and the file
/// ends with the padding of the last: no byte is outside a checksum.
Status read_table(std::span<const std::byte> head, const std::string& where, FileHeader& header) {
  const auto count = load<uint32_t>(head, kCountOffset);
  if (count > kMaxSections)
    return fail(Code::kMalformed, where,
                fmt::format("has {} sections, expected at most {}", count, kMaxSections));
  uint64_t expected = kHeaderBytes;
  for (uint32_t i = 0; i < count; ++i) {
    const size_t entry = kTableOffset + i * kEntryBytes;
    SectionInfo section;
    section.name = load_name(head, entry);
    section.offset = load<uint64_t>(head, entry + kNameBytes);
    section.bytes = load<uint64_t>(head, entry + kNameBytes + 8);
    section.checksum = load<uint64_t>(head, entry + kNameBytes + 16);
    if (section.name.empty() || header.find(section.name) != nullptr)
      return fail(Code::kMalformed, where,
                  fmt::format("section {} has the name \"{}\", expected one not used before", i,
                              section.name));
    if (section.offset != expected || !range_fits(section.offset, section.bytes, header.file_bytes))
      return fail(
          Code::kMalformed, where,
          fmt::format("section {} has {} bytes at {}, expected it at {} within a file of "
                      "{} bytes",
                      section.name, section.bytes, section.offset, expected, header.file_bytes));
    header.sections.push_back(section);
    expected = padded_end(section);
  }
  if (expected != header.file_bytes)
    return fail(Code::kMalformed, where,
                fmt::format("sections end at {}, expected the end of the file at {}", expected,
                            header.file_bytes));
  return {};
}

/// One header has one form: what no field holds (reserved bytes, the padding of names) is zero.
Status judge_padding(std::span<const std::byte> head, const std::string& where,
                     const FileHeader& header) {
  const std::vector<std::byte> canonical = encode_header(header);
  const auto differs = std::mismatch(canonical.begin(), canonical.end(), head.begin());
  if (differs.first == canonical.end()) return {};
  return fail(Code::kMalformed, where,
              fmt::format("header has {:02x} at byte {}, expected {:02x}",
                          static_cast<unsigned>(*differs.second), differs.first - canonical.begin(),
                          static_cast<unsigned>(*differs.first)));
}

}  // namespace

const SectionInfo* FileHeader::find(std::string_view name) const {
  const auto it = std::find_if(sections.begin(), sections.end(),
                               [name](const SectionInfo& section) { return section.name == name; });
  return it == sections.end() ? nullptr : &*it;
}

uint64_t padded_end(const SectionInfo& section) {
  return round_up(section.offset + section.bytes, kSectionAlignment);
}

std::vector<std::byte> encode_header(const FileHeader& header) {
  LEGATO_CHECK(header.sections.size() <= kMaxSections);
  std::vector<std::byte> page(kHeaderBytes);
  std::memcpy(page.data(), kMagic.data(), kMagic.size());
  store(std::span(page), kVersionOffset, header.version);
  store(std::span(page), kCountOffset, static_cast<uint32_t>(header.sections.size()));
  store_name(page, kBackendOffset, "cpu");
  store_name(page, kLevelOffset, cpu_level_name(header.required_level));
  store(std::span(page), kFileBytesOffset, header.file_bytes);
  for (size_t i = 0; i < header.sections.size(); ++i) {
    const size_t entry = kTableOffset + i * kEntryBytes;
    const SectionInfo& section = header.sections[i];
    store_name(page, entry, section.name);
    store(std::span(page), entry + kNameBytes, section.offset);
    store(std::span(page), entry + kNameBytes + 8, section.bytes);
    store(std::span(page), entry + kNameBytes + 16, section.checksum);
  }
  store(std::span(page), kChecksumOffset, hash_bytes(std::span(page).first(kChecksumOffset)));
  return page;
}

Result<FileHeader> decode_header(std::span<const std::byte> head, uint64_t file_bytes,
                                 const std::string& where) {
  LEGATO_RETURN_IF_ERROR(judge_identity(head, file_bytes, where));
  FileHeader header;
  LEGATO_RETURN_IF_ERROR(read_device(head, where, header));
  header.file_bytes = load<uint64_t>(head, kFileBytesOffset);
  if (header.file_bytes != file_bytes)
    return fail(Code::kCorrupt, where,
                fmt::format("is {}, expected the {} that its header records",
                            counted(file_bytes, "byte"), header.file_bytes));
  LEGATO_RETURN_IF_ERROR(read_table(head, where, header));
  LEGATO_RETURN_IF_ERROR(judge_padding(head, where, header));
  return header;
}

std::string fingerprint_of(std::span<const std::byte> page) {
  return fmt::format("{:016x}{:016x}", hash_bytes(page, 0), hash_bytes(page, 1));
}

}  // namespace legato::engine
