#include "import/safetensors/header_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "base/one_line.h"
#include "base/status.h"

namespace legato::importer {
namespace {

using nlohmann::json;

constexpr size_t kMaxTensors = 65'536;
constexpr size_t kMaxNameBytes = 1024;
constexpr size_t kMaxDTypeBytes = 16;

/// {"__metadata__": {string: string}, NAME: {"dtype": string, "shape": [int...], "data_offsets":
/// [begin, end]}}.
class HeaderReader : public nlohmann::json_sax<json> {
 public:
  HeaderReader(const std::string& where, SafetensorsHeader& header)
      : where_(where), header_(header) {}

  bool null() override { return refuse("null"); }
  bool boolean(bool) override { return refuse("a boolean"); }
  bool number_float(number_float_t, const string_t& text) override { return refuse(text); }
  bool binary(binary_t&) override { return refuse("binary"); }
  bool number_integer(number_integer_t value) override { return refuse(fmt::format("{}", value)); }

  bool number_unsigned(number_unsigned_t value) override {
    if (state_ == State::kShape) {
      if (entry_.shape.rank() == Shape::kMaxRank)
        fail_here(fmt::format("has more than {} axes", Shape::kMaxRank));
      if (value > static_cast<uint64_t>(INT64_MAX)) return refuse(fmt::format("{}", value));
      entry_.shape.push_back(static_cast<int64_t>(value));
      return true;
    }
    if (state_ == State::kOffsets && num_offsets_ < 2) {
      (num_offsets_++ == 0 ? entry_.begin : entry_.end) = value;
      return true;
    }
    return refuse(fmt::format("{}", value));
  }

  bool string(string_t& value) override {
    if (state_ == State::kMetadata) return true;
    if (state_ != State::kEntry || field_ != Field::kDType) return refuse("a string");
    if (value.size() > kMaxDTypeBytes || !is_one_line(value))
      fail_here("has a dtype whose name is too long or not printable");
    entry_.dtype = std::move(value);
    return finish_field();
  }

  bool start_object(std::size_t) override {
    if (state_ == State::kStart) {
      state_ = State::kTop;
      return true;
    }
    if (state_ != State::kTop) return refuse("an object");
    state_ = name_ == "__metadata__" ? State::kMetadata : State::kEntry;
    entry_ = {};
    seen_ = 0;
    return true;
  }

  bool end_object() override {
    if (state_ == State::kEntry) {
      if (seen_ != kAllFields) fail_here("lacks dtype, shape or data_offsets");
      if (!header_.tensors.emplace(name_, std::move(entry_)).second) fail_here("occurs twice");
      if (header_.tensors.size() > kMaxTensors)
        throw Error(Code::kMalformed, where_,
                    fmt::format("holds more than {} tensors", kMaxTensors));
    }
    if (state_ == State::kEntry || state_ == State::kMetadata) state_ = State::kTop;
    return true;
  }

  bool start_array(std::size_t) override {
    if (state_ != State::kEntry || field_ == Field::kDType || field_ == Field::kNone)
      return refuse("a list");
    state_ = field_ == Field::kShape ? State::kShape : State::kOffsets;
    num_offsets_ = 0;
    return true;
  }

  bool end_array() override {
    if (state_ == State::kOffsets && num_offsets_ != 2)
      fail_here(fmt::format("has {} data_offsets, expected 2", num_offsets_));
    state_ = State::kEntry;
    return finish_field();
  }

  bool key(string_t& name) override {
    if (state_ == State::kTop) {
      if (name.size() > kMaxNameBytes)
        throw Error(Code::kMalformed, where_,
                    fmt::format("a tensor's name has {} bytes, at most {} are read", name.size(),
                                kMaxNameBytes));
      if (!is_one_line(name))
        throw Error(Code::kMalformed, where_,
                    fmt::format("a tensor's name has control characters: \"{}\"", one_line(name)));
      if (name == "__metadata__" && metadata_seen_) return refuse("a second __metadata__");
      metadata_seen_ = metadata_seen_ || name == "__metadata__";
      name_ = std::move(name);
      return true;
    }
    if (state_ == State::kMetadata) return true;
    field_ = name == "dtype"          ? Field::kDType
             : name == "shape"        ? Field::kShape
             : name == "data_offsets" ? Field::kOffsets
                                      : Field::kNone;
    if (field_ == Field::kNone)
      fail_here(fmt::format("has an unknown field \"{}\"", one_line(name, 60)));
    if ((seen_ & static_cast<unsigned>(field_)) != 0)
      fail_here(fmt::format("has field \"{}\" twice", name));
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    throw Error(Code::kMalformed, where_,
                fmt::format("the header is invalid JSON at byte {}", position));
  }

 private:
  enum class State { kStart, kTop, kMetadata, kEntry, kShape, kOffsets };
  enum class Field : unsigned { kNone = 0, kDType = 1, kShape = 2, kOffsets = 4 };
  static constexpr unsigned kAllFields = 7;

  bool finish_field() {
    seen_ |= static_cast<unsigned>(field_);
    field_ = Field::kNone;
    return true;
  }

  [[noreturn]] void fail_here(const std::string& message) const {
    throw Error(Code::kMalformed, where_,
                fmt::format("tensor \"{}\" {}", name_.substr(0, 200), message));
  }
  bool refuse(const std::string& found) const {
    if (state_ == State::kShape)
      fail_here(fmt::format("has {} in its shape, expected integers from 0 to {}",
                            found.substr(0, 60), INT64_MAX));
    if (state_ == State::kOffsets)
      fail_here(fmt::format("has {} in its data_offsets, expected 2 integers from 0",
                            found.substr(0, 60)));
    throw Error(Code::kMalformed, where_,
                fmt::format("the header does not expect {} at tensor \"{}\"", found.substr(0, 60),
                            name_.substr(0, 200)));
  }

  const std::string& where_;
  SafetensorsHeader& header_;
  State state_ = State::kStart;
  Field field_ = Field::kNone;
  std::string name_;
  SafetensorsEntry entry_;
  unsigned seen_ = 0;
  int num_offsets_ = 0;
  bool metadata_seen_ = false;
};

}  // namespace

void parse_header_json(std::string_view text, const std::string& where, SafetensorsHeader& header) {
  HeaderReader reader(where, header);
  json::sax_parse(text.begin(), text.end(), &reader);
}

}  // namespace legato::importer
