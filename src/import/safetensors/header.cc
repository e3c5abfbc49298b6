#include "import/safetensors/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "base/checked.h"
#include "base/counted.h"
#include "base/status.h"
#include "import/hf/json_tokens.h"
#include "import/safetensors/header_json.h"

namespace legato::importer {
namespace {

constexpr uint64_t kLengthBytes = 8;
/// The format's own bound is 100 MB; published headers have less than one.
constexpr uint64_t kMaxHeaderBytes = 16u << 20;
constexpr size_t kMaxStringBytes = 4u << 20;

struct DTypeBits {
  std::string_view name;
  uint64_t bits;
};
constexpr std::array<DTypeBits, 21> kDTypeBits = {{
    {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},   {"I8", 8},
    {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"I16", 16},    {"U16", 16}, {"F16", 16},
    {"BF16", 16},   {"I32", 32},    {"U32", 32},    {"F32", 32},    {"C64", 64}, {"F64", 64},
    {"I64", 64},    {"U64", 64},    {"C128", 128},
}};

[[noreturn]] void refuse(const std::string& where, std::string message) {
  throw Error(Code::kMalformed, where, std::move(message));
}

std::string_view header_text(std::span<const std::byte> file, const std::string& where) {
  if (file.size() < kLengthBytes)
    refuse(where, fmt::format("the file has {}, expected a safetensors header of 8 or more",
                              counted(file.size(), "byte")));
  uint64_t length = 0;
  std::memcpy(&length, file.data(), kLengthBytes);
  if (!range_fits(kLengthBytes, length, file.size()))
    refuse(where, fmt::format("the header claims {}, the file has {}", counted(length, "byte"),
                              file.size()));
  if (length > kMaxHeaderBytes)
    refuse(where,
           fmt::format("the header has {} bytes, at most {} are read", length, kMaxHeaderBytes));
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + kLengthBytes, length);
  if (text.empty() || text.front() != '{') refuse(where, "the header does not begin with \"{\"");
  return text;
}

/// Bytes of a tensor; nullopt when the dtype is unknown, which only matters if somebody asks for
/// it.
std::optional<uint64_t> tensor_bytes(const std::string& name, const SafetensorsEntry& entry,
                                     const std::string& where) {
  const auto known = std::find_if(kDTypeBits.begin(), kDTypeBits.end(),
                                  [&](const DTypeBits& item) { return item.name == entry.dtype; });
  // Elements and bits are both bounded here, so that Shape::elements() can't wrap later.
  const std::optional<uint64_t> elements = checked_bytes(entry.shape.dims(), 1);
  const std::optional<uint64_t> bits =
      elements.has_value() && *elements <= static_cast<uint64_t>(INT64_MAX) / 128
          ? std::optional(*elements * (known == kDTypeBits.end() ? 1 : known->bits))
          : std::nullopt;
  if (!bits.has_value())
    refuse(where, fmt::format("tensor \"{}\": the elements of shape {} don't fit 63 bits", name,
                              entry.shape.to_string()));
  if (known == kDTypeBits.end()) return std::nullopt;
  if (*bits % 8 != 0)
    refuse(where, fmt::format("tensor \"{}\": {} {} is no whole number of bytes", name, entry.dtype,
                              entry.shape.to_string()));
  return *bits / 8;
}

void check_ranges(const SafetensorsHeader& header, uint64_t data_bytes, const std::string& where) {
  struct Range {
    uint64_t begin, end;
    const std::string* name;
  };
  std::vector<Range> ranges;
  ranges.reserve(header.tensors.size());
  for (const auto& [name, entry] : header.tensors) {
    if (entry.begin > entry.end || entry.end > data_bytes)
      refuse(where, fmt::format("tensor \"{}\": bytes {} to {} don't lie in the {} of data", name,
                                entry.begin, entry.end, counted(data_bytes, "byte")));
    const std::optional<uint64_t> bytes = tensor_bytes(name, entry, where);
    if (bytes.has_value() && *bytes != entry.end - entry.begin)
      refuse(where, fmt::format("tensor \"{}\": {} {} takes {}, its offsets say {}", name,
                                entry.dtype, entry.shape.to_string(), counted(*bytes, "byte"),
                                entry.end - entry.begin));
    ranges.push_back({entry.begin, entry.end, &name});
  }
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  uint64_t covered = 0;
  for (const Range& range : ranges) {
    if (range.begin != covered)
      refuse(where, fmt::format("tensor \"{}\" begins at byte {} of the data, expected {} ({})",
                                *range.name, range.begin, covered,
                                range.begin < covered ? "an overlap" : "a gap"));
    covered = range.end;
  }
  if (covered != data_bytes)
    refuse(where, fmt::format("the tensors take {}, the file holds {} of data",
                              counted(covered, "byte"), counted(data_bytes, "byte")));
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::span<const std::byte> file,
                                           const std::string& where) {
  const std::string_view text = header_text(file, where);
  judge_token_lengths(text, where, kMaxStringBytes);
  SafetensorsHeader header;
  header.data_offset = kLengthBytes + text.size();
  parse_header_json(text, where, header);
  check_ranges(header, file.size() - header.data_offset, where);
  return header;
}

}  // namespace legato::importer
