#include "import/gguf/model_file.h"

#include <fmt/format.h>

#include <cctype>
#include <optional>

#include "base/one_line.h"
#include "base/status.h"

namespace legato::importer {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kExtension = ".gguf";
constexpr std::string_view kOf = "-of-";
constexpr size_t kDigits = 5;
constexpr int64_t kMaxParts = 1000;
constexpr IntRange kU16{0, 65'535};
constexpr std::string_view kCountKey = "split.count";
constexpr std::string_view kNumberKey = "split.no";
constexpr std::string_view kTensorsKey = "split.tensors.count";

std::optional<int64_t> five_digits(std::string_view text) {
  int64_t number = 0;
  for (const char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return text.size() == kDigits ? std::optional(number) : std::nullopt;
}

/// What a part's name says: PREFIX-00001-of-00003.gguf; numbers count from 1.
struct PartName {
  std::string prefix;
  int64_t number = 0;
  int64_t count = 0;

  std::string part(int64_t other) const {
    return fmt::format("{}-{:05}{}{:05}{}", prefix, other, kOf, count, kExtension);
  }
};

std::optional<PartName> parse_part_name(const std::string& name) {
  constexpr size_t kTail = 1 + kDigits + kOf.size() + kDigits + kExtension.size();
  if (name.size() <= kTail || !name.ends_with(kExtension)) return std::nullopt;
  const std::string_view tail = std::string_view(name).substr(name.size() - kTail);
  const auto number = five_digits(tail.substr(1, kDigits));
  const auto count = five_digits(tail.substr(1 + kDigits + kOf.size(), kDigits));
  if (tail[0] != '-' || tail.substr(1 + kDigits, kOf.size()) != kOf || !number || !count)
    return std::nullopt;
  return PartName{name.substr(0, name.size() - kTail), *number, *count};
}

/// Where a part says that it stands, from 0, and among how many.
int64_t part_number(const GgufMetadata& metadata) { return metadata.get_int(kNumberKey, kU16, 0); }
int64_t part_count(const GgufMetadata& metadata) { return metadata.get_int(kCountKey, kU16, 1); }

}  // namespace

std::unique_ptr<const GgufModelFile::Part> GgufModelFile::open_part(const fs::path& path) {
  auto part = std::make_unique<Part>();
  part->file = value_or_throw(MappedFile::open(path));
  part->where = path.string();
  part->header = parse_gguf_header(part->file.bytes(), part->where);
  return part;
}

std::shared_ptr<const GgufModelFile> GgufModelFile::open(const fs::path& path) {
  auto model = std::make_shared<GgufModelFile>();
  model->add(open_part(path));
  model->join(path);
  return model;
}

std::shared_ptr<const GgufModelFile> GgufModelFile::from_bytes(std::span<const std::byte> bytes,
                                                               const std::string& where) {
  auto model = std::make_shared<GgufModelFile>();
  auto part = std::make_unique<Part>();
  part->where = where;
  part->header = parse_gguf_header(bytes, where);
  if (part_count(part->header.metadata) > 1)
    throw Error(Code::kInvalidArgument, where,
                fmt::format("is one of {} parts, expected a whole model",
                            part_count(part->header.metadata)));
  model->add(std::move(part));
  return model;
}

void GgufModelFile::add(std::unique_ptr<const Part> part) {
  for (const auto& [name, tensor] : part->header.tensors)
    if (!tensors_.emplace(name, tensor).second)
      throw Error(Code::kMalformed, part->where,
                  fmt::format("tensor \"{}\" is also in another part", one_line(name)));
  parts_.push_back(std::move(part));
}

void GgufModelFile::join(const fs::path& first) {
  const Part& head = *parts_.front();
  const int64_t count = part_count(head.header.metadata);
  if (count <= 1) return;
  const GgufMetadata& metadata = head.header.metadata;
  const std::optional<PartName> name = parse_part_name(first.filename().string());
  if (!name.has_value() || name->count != count)
    metadata.refuse(
        kCountKey,
        fmt::format("says {} parts, expected a file named NAME-00001-of-{:05}.gguf", count, count));
  if (count > kMaxParts)
    metadata.refuse(kCountKey, fmt::format("is {}, at most {} are read", count, kMaxParts));
  if (part_number(metadata) != 0 || name->number != 1)
    metadata.refuse(kNumberKey, fmt::format("this is part {} of {}, expected the first, {}",
                                            part_number(metadata) + 1, count, name->part(1)));
  for (int64_t number = 2; number <= count; ++number) {
    const fs::path path = first.parent_path() / name->part(number);
    std::error_code error;
    if (!fs::exists(path, error))
      throw Error(Code::kNotFound, path.string(),
                  fmt::format("part {} of {} is missing beside the first", number, count));
    std::unique_ptr<const Part> part = open_part(path);
    if (part_number(part->header.metadata) + 1 != number ||
        part_count(part->header.metadata) != count)
      throw Error(Code::kMalformed, part->where,
                  fmt::format("says that it is part {} of {}, expected {} of {}",
                              part_number(part->header.metadata) + 1,
                              part_count(part->header.metadata), number, count));
    add(std::move(part));
  }
  const auto held = static_cast<int64_t>(tensors_.size());
  for (const auto& part : parts_) {
    const GgufMetadata& own = part->header.metadata;
    if (const int64_t tensors = own.get_int(kTensorsKey, {0, INT32_MAX}, held); tensors != held)
      own.refuse(kTensorsKey, fmt::format("is {}, but the parts hold {}", tensors, held));
  }
}

const GgufTensor* GgufModelFile::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

std::vector<fs::path> gguf_parts(const fs::path& path) {
  const std::optional<PartName> name = parse_part_name(path.filename().string());
  std::vector<fs::path> parts{path};
  if (!name.has_value() || name->number != 1 || name->count > kMaxParts) return parts;
  for (int64_t number = 2; number <= name->count; ++number)
    parts.push_back(path.parent_path() / name->part(number));
  return parts;
}

}  // namespace legato::importer
