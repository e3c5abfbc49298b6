#include "import/gguf/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "base/checked.h"
#include "base/counted.h"
#include "base/one_line.h"
#include "base/status.h"
#include "import/gguf/byte_cursor.h"
#include "import/gguf/tensor_type.h"

namespace legato::importer {
namespace {

constexpr std::string_view kMagic = "GGUF";
constexpr std::string_view kMagicBackwards = "FUGG";
constexpr uint64_t kMaxKeys = 65'536;
constexpr uint64_t kMaxTensors = 65'536;
constexpr size_t kMaxNameBytes = 1024;
constexpr uint32_t kMaxDims = 4;
/// The bytes of so many elements of any type are far below 2^63.
constexpr uint64_t kMaxElements = static_cast<uint64_t>(INT64_MAX) / 512;
constexpr int64_t kDefaultAlignment = 32;
constexpr int64_t kMaxAlignment = 1 << 20;
constexpr std::string_view kAlignmentKey = "general.alignment";

[[noreturn]] void refuse(const std::string& where, std::string message) {
  throw Error(Code::kMalformed, where, std::move(message));
}

void check_start(ByteCursor& cursor, uint64_t file_bytes, const std::string& where) {
  if (file_bytes < kMagic.size())
    refuse(where,
           fmt::format("the file has {}, expected a GGUF file", counted(file_bytes, "byte")));
  const auto bytes = cursor.take_bytes(kMagic.size(), "the magic");
  const std::string_view magic(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string other_order = "the file is big-endian GGUF, which is not supported";
  if (magic == kMagicBackwards) throw Error(Code::kUnsupported, where, other_order);
  if (magic != kMagic)
    refuse(where, fmt::format("the file begins with bytes {:02x}, expected \"GGUF\"",
                              fmt::join(bytes.begin(), bytes.end(), " ")));
  const auto version = cursor.take<uint32_t>("the version");
  if (version != 0 && (version & 0xffffu) == 0) throw Error(Code::kUnsupported, where, other_order);
  if (version != 2 && version != 3)
    throw Error(Code::kUnsupported, where,
                fmt::format("the file has GGUF version {}, expected 2 or 3", version));
}

std::string_view take_name(ByteCursor& cursor, std::string_view what, const std::string& where) {
  const std::string_view name = cursor.take_string(what);
  if (name.empty() || name.size() > kMaxNameBytes)
    refuse(where, fmt::format("{} has {}, expected 1 to {}", what, counted(name.size(), "byte"),
                              kMaxNameBytes));
  return name;
}

GgufValueType take_type(ByteCursor& cursor, std::string_view key, const std::string& where) {
  const auto number = cursor.take<uint32_t>("a value type");
  if (number >= kNumGgufValueTypes)
    refuse(where, fmt::format("key \"{}\" has value type {}, expected 0 to {}", one_line(key),
                              number, kNumGgufValueTypes - 1));
  return static_cast<GgufValueType>(number);
}

/// A list of strings has to be walked to find its end.
std::span<const std::byte> take_elements(ByteCursor& cursor, const GgufValue& list,
                                         std::string_view what, const std::string& where) {
  if (list.element != GgufValueType::kString) {
    const auto bytes = checked_mul(list.count, uint64_t{gguf_value_bytes(list.element)});
    if (!bytes.has_value())
      refuse(where, fmt::format("{} has {}, the file {} more", what, counted(list.count, "element"),
                                counted(cursor.left(), "byte")));
    return cursor.take_bytes(*bytes, what);
  }
  if (list.count > cursor.left() / sizeof(uint64_t))
    refuse(where, fmt::format("{} has {}, the file {} more", what, counted(list.count, "string"),
                              counted(cursor.left(), "byte")));
  ByteCursor ahead = cursor;
  for (uint64_t i = 0; i < list.count; ++i) ahead.take_string(what);
  return cursor.take_bytes(ahead.position() - cursor.position(), what);
}

GgufValue take_value(ByteCursor& cursor, std::string_view key, const std::string& where) {
  const std::string what = fmt::format("key \"{}\"", one_line(key));
  GgufValue value;
  value.type = take_type(cursor, key, where);
  if (value.type == GgufValueType::kString) {
    const std::string_view text = cursor.take_string(what);
    value.bytes = std::as_bytes(std::span(text.data(), text.size()));
  } else if (value.type == GgufValueType::kArray) {
    value.element = take_type(cursor, key, where);
    if (value.element == GgufValueType::kArray)
      throw Error(Code::kUnsupported, where, what + " is a list of lists, which is not supported");
    value.count = cursor.take<uint64_t>(what);
    value.bytes = take_elements(cursor, value, what, where);
  } else {
    value.bytes = cursor.take_bytes(gguf_value_bytes(value.type), what);
    if (value.type == GgufValueType::kBool && std::to_integer<int>(value.bytes[0]) > 1)
      refuse(where, fmt::format("{} is a bool of {}, expected 0 or 1", what,
                                std::to_integer<int>(value.bytes[0])));
  }
  return value;
}

/// A tensor before its bytes are known.
struct TensorInfo {
  std::string_view name;
  GgufTensor tensor;
  uint64_t offset = 0;  ///< from the start of the data
};

TensorInfo take_tensor(ByteCursor& cursor, const std::string& where) {
  TensorInfo info;
  info.name = take_name(cursor, "a tensor's name", where);
  const std::string what = fmt::format("tensor \"{}\"", one_line(info.name));
  const auto rank = cursor.take<uint32_t>(what);
  if (rank == 0 || rank > kMaxDims)
    refuse(where, fmt::format("{} has {} dimensions, expected 1 to {}", what, rank, kMaxDims));
  std::vector<int64_t> dims;
  for (uint32_t axis = 0; axis < rank; ++axis) {
    const auto extent = cursor.take<uint64_t>(what);
    if (extent == 0 || extent > static_cast<uint64_t>(INT64_MAX))
      refuse(where, fmt::format("{} has an extent of {}, expected 1 to 2^63 - 1", what, extent));
    dims.insert(dims.begin(), static_cast<int64_t>(extent));
  }
  info.tensor.shape = Shape(dims);
  info.tensor.type = cursor.take<uint32_t>(what);
  info.offset = cursor.take<uint64_t>(what);
  return info;
}

/// Bytes of a tensor; 0 when nobody knows its type.
uint64_t tensor_bytes(const TensorInfo& info, const std::string& where) {
  const std::string what = fmt::format("tensor \"{}\"", one_line(info.name));
  const Shape& shape = info.tensor.shape;
  const std::optional<uint64_t> elements = checked_bytes(shape.dims(), 1);
  const GgufTensorType* type = find_gguf_tensor_type(info.tensor.type);
  const uint64_t block = type == nullptr ? 1 : type->block_elements;
  const int64_t columns = shape.dims().back();
  if (static_cast<uint64_t>(columns) % block != 0)
    refuse(where, fmt::format("{} has rows of {} elements, no multiple of the {} of a {} block",
                              what, columns, block, type->name));
  const std::optional<uint64_t> bytes =
      elements.has_value() && *elements <= kMaxElements
          ? checked_mul(*elements / block, uint64_t{type == nullptr ? 0 : type->block_bytes})
          : std::nullopt;
  if (!bytes.has_value())
    refuse(where,
           fmt::format("{}: the elements of shape {} are too many", what, shape.to_string()));
  return *bytes;
}

/// Cuts the tensors out of the data.
void place_tensors(std::vector<TensorInfo>& infos, std::span<const std::byte> data,
                   uint64_t alignment, const std::string& where) {
  for (TensorInfo& info : infos) {
    const uint64_t bytes = tensor_bytes(info, where);
    const std::string what = fmt::format("tensor \"{}\"", one_line(info.name));
    if (info.offset % alignment != 0)
      refuse(where, fmt::format("{} begins at byte {} of the data, no multiple of the alignment {}",
                                what, info.offset, alignment));
    if (!range_fits(info.offset, bytes, data.size()))
      refuse(where,
             fmt::format("{} takes {} bytes from byte {} of the data on, which has {}: the file is "
                         "truncated or damaged",
                         what, bytes, info.offset, data.size()));
    info.tensor.bytes = data.subspan(info.offset, bytes);
  }
  std::vector<const TensorInfo*> ordered;
  for (const TensorInfo& info : infos) ordered.push_back(&info);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const TensorInfo* a, const TensorInfo* b) { return a->offset < b->offset; });
  for (size_t i = 1; i < ordered.size(); ++i) {
    const TensorInfo& before = *ordered[i - 1];
    if (before.offset + before.tensor.bytes.size() > ordered[i]->offset)
      refuse(where, fmt::format("tensors \"{}\" and \"{}\" overlap", one_line(before.name),
                                one_line(ordered[i]->name)));
  }
}

uint64_t read_alignment(const GgufMetadata& metadata) {
  const int64_t alignment = metadata.get_int(kAlignmentKey, {0, INT64_MAX}, kDefaultAlignment);
  if (alignment < 8 || alignment > kMaxAlignment ||
      !std::has_single_bit(static_cast<uint64_t>(alignment)))
    metadata.refuse(kAlignmentKey, fmt::format("expected a power of two from 8 to {}, found {}",
                                               kMaxAlignment, alignment));
  return static_cast<uint64_t>(alignment);
}

}  // namespace

GgufHeader parse_gguf_header(std::span<const std::byte> file, const std::string& where) {
  ByteCursor cursor(file, where);
  check_start(cursor, file.size(), where);
  const auto num_tensors = cursor.take<uint64_t>("the number of tensors");
  const auto num_keys = cursor.take<uint64_t>("the number of keys");
  if (num_tensors > kMaxTensors || num_keys > kMaxKeys)
    refuse(where, fmt::format("the file claims {} tensors and {} keys, at most {} and {} are read",
                              num_tensors, num_keys, kMaxTensors, kMaxKeys));
  GgufHeader header{GgufMetadata(where), {}};
  for (uint64_t i = 0; i < num_keys; ++i) {
    const std::string_view key = take_name(cursor, "a key", where);
    header.metadata.add(key, take_value(cursor, key, where));
  }
  const uint64_t alignment = read_alignment(header.metadata);
  std::vector<TensorInfo> infos;
  for (uint64_t i = 0; i < num_tensors; ++i) infos.push_back(take_tensor(cursor, where));
  const uint64_t data_begin =
      std::min<uint64_t>(round_up(cursor.position(), alignment), file.size());
  place_tensors(infos, file.subspan(data_begin), alignment, where);
  for (const TensorInfo& info : infos)
    if (!header.tensors.emplace(info.name, info.tensor).second)
      refuse(where, fmt::format("tensor \"{}\" is there twice", one_line(info.name)));
  return header;
}

}  // namespace legato::importer
