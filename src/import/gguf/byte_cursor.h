#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/checked.h"
#include "base/counted.h"
#include "base/status.h"

namespace legato::importer {

static_assert(std::endian::native == std::endian::little);

/// Reads little-endian numbers and strings off the front of untrusted bytes. Throws Error when they
/// end too early. One thread.
class ByteCursor {
 public:
  /// `where` names the file in messages and must outlive this.
  ByteCursor(std::span<const std::byte> bytes, const std::string& where)
      : bytes_(bytes), where_(where) {}

  uint64_t position() const { return position_; }
  uint64_t left() const { return bytes_.size() - position_; }

  /// `what` names the field, for the message.
  template <typename T>
  T take(std::string_view what) {
    T value;
    std::memcpy(&value, take_bytes(sizeof value, what).data(), sizeof value);
    return value;
  }
  std::span<const std::byte> take_bytes(uint64_t size, std::string_view what) {
    if (!range_fits(position_, size, bytes_.size()))
      throw Error(Code::kMalformed, where_,
                  fmt::format("{} takes {} from byte {} on, the file has {}", what,
                              counted(size, "byte"), position_, bytes_.size()));
    const auto taken = bytes_.subspan(position_, size);
    position_ += size;
    return taken;
  }
  /// A length of 64 bits and that many bytes.
  std::string_view take_string(std::string_view what) {
    const auto text = take_bytes(take<uint64_t>(what), what);
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }

 private:
  std::span<const std::byte> bytes_;
  const std::string& where_;
  uint64_t position_ = 0;
};

}  // namespace legato::importer
