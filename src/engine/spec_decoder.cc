#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "engine/byte_stream.h"
#include "engine/spec_codec.h"
#include "engine/spec_fields.h"

namespace legato::engine {
namespace {

constexpr size_t kMaxTextBytes = 1024;
constexpr size_t kMaxDimTextBytes = 128;
constexpr size_t kMaxListItems = size_t{1} << 20;

/// Reads fields; the mirror image of the encoder.
class Decoder {
 public:
  Decoder(std::span<const std::byte> bytes, const std::string& where) : in_(bytes, where) {}

  template <typename... Fields>
  void operator()(Fields&... fields) {
    (get(fields), ...);
  }
  ByteReader& in() { return in_; }

 private:
  void get(std::string& text) { text = in_.get_text(kMaxTextBytes); }
  void get(bool& flag) { flag = get_enum<uint8_t>(2, "a flag") != 0; }
  void get(int32_t& number) {
    const int64_t wide = in_.get_signed();
    number = static_cast<int32_t>(wide);
    if (number != wide) in_.fail_with(fmt::format("{} does not fit into 32 bits", wide));
  }
  void get(int64_t& number) { number = in_.get_signed(); }
  void get(uint64_t& number) { number = in_.get_unsigned(); }
  void get(double& number) { number = in_.get_float(); }
  void get(DType& dtype) { dtype = get_enum<DType>(kNumDTypes, "a dtype"); }
  void get(WeightLayout& layout) { layout = get_enum<WeightLayout>(2, "a weight layout"); }
  void get(Storage& storage) { storage = get_enum<Storage>(4, "a storage"); }

  template <typename T>
  T get_enum(int count, const char* what) {
    const uint8_t number = in_.get_byte();
    if (number < count) return static_cast<T>(number);
    in_.fail_with(fmt::format("{} is {}, expected 0 to {}", what, number, count - 1));
    return T{};
  }

  void get(Dim& dim) {
    if (get_enum<uint8_t>(2, "the kind of a dimension") == 0) {
      dim = Dim(in_.get_signed());
      return;
    }
    const std::string text = in_.get_text(kMaxDimTextBytes);
    // Each operator may add a term or factor to what lies in memory.
    in_.spend(static_cast<size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return c == '+' || c == '-' || c == '*'; })));
    if (!in_.ok()) return;
    Result<Dim> parsed = Dim::parse(text);
    if (!parsed.ok() || parsed->is_constant() || parsed->to_string() != text) {
      in_.fail_with(fmt::format("\"{}\" is not a symbolic dimension in normal form", text));
      return;
    }
    dim = *std::move(parsed);
  }
  void get(SymShape& shape) { get_list(shape.dims, Shape::kMaxRank); }
  void get(Shape& shape) {
    const size_t rank = in_.get_count(Shape::kMaxRank);
    for (size_t axis = 0; axis < rank; ++axis) shape.push_back(in_.get_signed());
  }
  void get(std::optional<int32_t>& number) {
    bool present = false;
    get(present);
    if (present) get(number.emplace());
  }
  void get(Attributes& attributes) {
    const size_t count = in_.get_count(kMaxListItems);
    std::string previous;
    for (size_t i = 0; i < count && in_.ok(); ++i) {
      std::string name = in_.get_text(kMaxTextBytes);
      if (name <= previous)
        in_.fail_with(
            fmt::format("attribute \"{}\" follows \"{}\", expected sorted names", name, previous));
      previous = name;
      attributes.set(std::move(name), get_attribute());
    }
  }
  Attribute get_attribute() {
    switch (get_enum<uint8_t>(std::variant_size_v<Attribute>, "the kind of an attribute")) {
      case 0:
        return get_as<int64_t>();
      case 1:
        return get_as<double>();
      case 2:
        return get_as<std::string>();
      case 3:
        return get_as<std::vector<int64_t>>();
      default:
        return get_as<std::vector<double>>();
    }
  }
  template <typename T>
  T get_as() {
    T value{};
    get(value);
    return value;
  }

  template <typename T>
  void get(std::vector<T>& list) {
    get_list(list, kMaxListItems);
  }
  template <typename T>
  void get_list(std::vector<T>& list, size_t max_items) {
    const size_t count = in_.get_count(max_items);
    // The count alone must not make memory: it grows with the items that really come.
    list.reserve(std::min<size_t>(count, 256));
    for (size_t i = 0; i < count && in_.ok(); ++i) get(list.emplace_back());
  }
  template <typename T>
  requires requires(Decoder& decoder, T& structure) { visit_fields(decoder, structure); }
  void get(T& structure) { visit_fields(*this, structure); }

  ByteReader in_;
};

}  // namespace

Result<EngineSpec> decode_spec(std::span<const std::byte> bytes, const std::string& where) {
  if (bytes.size() > kMaxSpecBytes)
    return fail(Code::kMalformed, where,
                fmt::format("is {} bytes, expected at most {}", bytes.size(), kMaxSpecBytes));
  Decoder decoder(bytes, where);
  EngineSpec spec;
  visit_fields(decoder, spec);
  if (decoder.in().ok() && decoder.in().remaining() != 0)
    decoder.in().fail_with(fmt::format("{} after the last field, expected none",
                                       counted(decoder.in().remaining(), "byte")));
  if (!decoder.in().ok()) return decoder.in().status();
  return spec;
}

}  // namespace legato::engine
