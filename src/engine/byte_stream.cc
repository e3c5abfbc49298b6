#include "engine/byte_stream.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "base/one_line.h"

namespace legato::engine {
namespace {

/// Objects (list items, attributes, terms of dimensions) of a spec: about 100 bytes each.
constexpr size_t kMaxObjects = size_t{1} << 20;
constexpr int kMaxVarintBytes = 10;

}  // namespace

void ByteWriter::put_unsigned(uint64_t value) {
  for (; value >= 0x80; value >>= 7) put_byte(static_cast<uint8_t>(value | 0x80));
  put_byte(static_cast<uint8_t>(value));
}

void ByteWriter::put_signed(int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  put_unsigned((bits << 1) ^ (value < 0 ? ~uint64_t{0} : 0));
}

void ByteWriter::put_float(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  for (int shift = 0; shift < 64; shift += 8) put_byte(static_cast<uint8_t>(bits >> shift));
}

void ByteWriter::put_text(std::string_view text) {
  put_unsigned(text.size());
  bytes_.append(text);
}

void ByteReader::fail_with(const std::string& message) {
  if (!status_.ok()) return;
  status_ = fail(Code::kMalformed, where_, fmt::format("byte {}: {}", at_, message));
  at_ = bytes_.size();
}

uint8_t ByteReader::get_byte() {
  if (remaining() == 0) {
    fail_with("ends early, expected more fields");
    return 0;
  }
  return static_cast<uint8_t>(bytes_[at_++]);
}

uint64_t ByteReader::get_unsigned() {
  uint64_t value = 0;
  for (int i = 0; i < kMaxVarintBytes; ++i) {
    const uint8_t byte = get_byte();
    if (i == kMaxVarintBytes - 1 && byte > 1) break;
    value |= static_cast<uint64_t>(byte & 0x7Fu) << (7 * i);
    if (byte < 0x80) return value;
  }
  fail_with("a number is longer than 64 bits");
  return 0;
}

int64_t ByteReader::get_signed() {
  const uint64_t bits = get_unsigned();
  return static_cast<int64_t>((bits >> 1) ^ ((bits & 1) != 0 ? ~uint64_t{0} : 0));
}

double ByteReader::get_float() {
  uint64_t bits = 0;
  for (int shift = 0; shift < 64; shift += 8) bits |= static_cast<uint64_t>(get_byte()) << shift;
  return std::bit_cast<double>(bits);
}

std::string ByteReader::get_text(size_t max_bytes) {
  const uint64_t length = get_unsigned();
  if (length > max_bytes || length > remaining()) {
    fail_with(fmt::format("a text has {} bytes, expected at most {} of the {} that are left",
                          length, max_bytes, remaining()));
    return {};
  }
  std::string text(reinterpret_cast<const char*>(bytes_.data()) + at_, length);
  if (!is_one_line(text)) {
    fail_with("a text holds control characters or is not UTF-8");
    return {};
  }
  at_ += length;
  return text;
}

size_t ByteReader::get_count(size_t max_items) {
  const uint64_t count = get_unsigned();
  if (count > max_items || count > remaining()) {
    fail_with(fmt::format("a list has {} items, expected at most {} in the {} bytes that are left",
                          count, max_items, remaining()));
    return 0;
  }
  spend(count);
  return count;
}

void ByteReader::spend(size_t objects) {
  objects_ += objects;
  if (objects_ > kMaxObjects) fail_with(fmt::format("has more than {} items in all", kMaxObjects));
}

}  // namespace legato::engine
