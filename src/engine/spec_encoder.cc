#include "engine/byte_stream.h"
#include "engine/spec_codec.h"
#include "engine/spec_fields.h"

namespace legato::engine {
namespace {

/// Writes fields; overloads by type, lists and structures by their parts.
class Encoder {
 public:
  template <typename... Fields>
  void operator()(Fields&... fields) {
    (put(fields), ...);
  }
  std::string take() { return out_.take(); }

 private:
  void put(const std::string& text) { out_.put_text(text); }
  void put(bool flag) { out_.put_byte(flag ? 1 : 0); }
  void put(int32_t number) { out_.put_signed(number); }
  void put(int64_t number) { out_.put_signed(number); }
  void put(uint64_t number) { out_.put_unsigned(number); }
  void put(double number) { out_.put_float(number); }
  void put(DType dtype) { out_.put_byte(static_cast<uint8_t>(dtype)); }
  void put(WeightLayout layout) { out_.put_byte(static_cast<uint8_t>(layout)); }
  void put(Storage storage) { out_.put_byte(static_cast<uint8_t>(storage)); }

  void put(const Dim& dim) {
    out_.put_byte(dim.is_constant() ? 0 : 1);
    if (dim.is_constant()) {
      out_.put_signed(dim.constant());
    } else {
      out_.put_text(dim.to_string());
    }
  }
  void put(const SymShape& shape) { put_list(shape.dims); }
  void put(const Shape& shape) {
    out_.put_unsigned(static_cast<uint64_t>(shape.rank()));
    for (const int64_t dim : shape.dims()) out_.put_signed(dim);
  }
  void put(const std::optional<int32_t>& number) {
    put(number.has_value());
    if (number) put(*number);
  }
  void put(const Attributes& attributes) {
    out_.put_unsigned(attributes.values().size());
    for (const auto& [name, attribute] : attributes.values()) {
      out_.put_text(name);
      out_.put_byte(static_cast<uint8_t>(attribute.index()));
      std::visit([this](const auto& value) { put(value); }, attribute);
    }
  }
  template <typename T>
  void put(const std::vector<T>& list) {
    put_list(list);
  }
  template <typename T>
  void put_list(const std::vector<T>& list) {
    out_.put_unsigned(list.size());
    for (const T& item : list) put(item);
  }
  // One list of fields serves both directions, and reading needs them mutable.
  template <typename T>
  requires requires(Encoder& encoder, T& structure) { visit_fields(encoder, structure); }
  void put(const T& structure) { visit_fields(*this, const_cast<T&>(structure)); }

  ByteWriter out_;
};

}  // namespace

std::string encode_spec(const EngineSpec& spec) {
  Encoder encoder;
  visit_fields(encoder, const_cast<EngineSpec&>(spec));
  return encoder.take();
}

}  // namespace legato::engine
