#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace legato::engine {

/// Appends numbers and texts in the encoding of the spec section (FORMAT.md). One thread.
class ByteWriter {
 public:
  void put_byte(uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  /// Seven bits a byte, lowest first.
  void put_unsigned(uint64_t value);
  /// Zigzag: small magnitudes of either sign take few bytes.
  void put_signed(int64_t value);
  void put_float(double value);
  void put_text(std::string_view text);

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what ByteWriter wrote from untrusted bytes. The first failure sticks: what is read after
/// it is zero or empty, and status() tells what was wrong. One thread.
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, std::string where)
      : bytes_(bytes), where_(std::move(where)) {}

  uint8_t get_byte();
  uint64_t get_unsigned();
  int64_t get_signed();
  double get_float();
  /// Printable UTF-8 of at most `max_bytes` bytes.
  std::string get_text(size_t max_bytes);
  /// Length of a list whose items take at least one byte each.
  size_t get_count(size_t max_items);

  /// Counts `objects` towards what a spec may make in memory.
  void spend(size_t objects);
  void fail_with(const std::string& message);
  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  size_t remaining() const { return bytes_.size() - at_; }

 private:
  std::span<const std::byte> bytes_;
  std::string where_;
  size_t at_ = 0;
  size_t objects_ = 0;
  Status status_;
};

}  // namespace legato::engine
