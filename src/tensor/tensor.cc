#include "tensor/tensor.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>

#include "tensor/half.h"
#include "tensor/quant_format.h"

namespace legato {
namespace {

constexpr std::align_val_t kAlignment{64};

/// Calls `body` with a value of the C++ type that stores the dtype; f16 and bf16 come as wrapper
/// types.
struct F16 {
  uint16_t bits;
  explicit operator double() const { return f16_to_f32(bits); }
  static F16 from(double value) { return {f32_to_f16(static_cast<float>(value))}; }
};
struct BF16 {
  uint16_t bits;
  explicit operator double() const { return bf16_to_f32(bits); }
  static BF16 from(double value) { return {f32_to_bf16(static_cast<float>(value))}; }
};

template <typename T>
T from_double(double value) {
  if constexpr (std::is_class_v<T>) {
    return T::from(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value != 0.0;
  } else if constexpr (std::is_integral_v<T>) {
    // Out of range saturates, NaN is zero: the plain cast would be undefined.
    if (std::isnan(value)) return 0;
    if (value <= static_cast<double>(std::numeric_limits<T>::min()))
      return std::numeric_limits<T>::min();
    if (value >= static_cast<double>(std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
    return static_cast<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

template <typename Body>
auto with_type(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::kF32:
      return body(float{});
    case DType::kF16:
      return body(F16{});
    case DType::kBF16:
      return body(BF16{});
    case DType::kF64:
      return body(double{});
    case DType::kI64:
      return body(int64_t{});
    case DType::kI32:
      return body(int32_t{});
    case DType::kI16:
      return body(int16_t{});
    case DType::kI8:
      return body(int8_t{});
    case DType::kU64:
      return body(uint64_t{});
    case DType::kU32:
      return body(uint32_t{});
    case DType::kU16:
      return body(uint16_t{});
    case DType::kU8:
      return body(uint8_t{});
    case DType::kBool:
      return body(bool{});
    default:
      break;
  }
  check_failed("a dtype whose elements have addresses", __FILE__, __LINE__);
}

}  // namespace

Tensor::Tensor(DType dtype, Shape shape) : dtype_(dtype), shape_(shape) {
  LEGATO_CHECK(!is_quantised(dtype) || is_quantised_matrix(dtype, shape));
  const size_t size = bytes();
  storage_ = std::shared_ptr<std::byte>(
      static_cast<std::byte*>(::operator new(size == 0 ? 1 : size, kAlignment)),
      [](std::byte* data) { ::operator delete(data, kAlignment); });
  std::memset(storage_.get(), 0, size);
}

size_t Tensor::bytes() const {
  if (is_quantised(dtype_))
    return static_cast<size_t>(shape_[0]) *
           static_cast<size_t>(dtype_row_bytes(dtype_, shape_[1]).value_or(0));
  return static_cast<size_t>(shape_.elements()) * dtype_bytes(dtype_);
}

double load_element(DType dtype, const void* data, int64_t index) {
  return with_type(dtype, [&](auto tag) {
    return static_cast<double>(static_cast<const decltype(tag)*>(data)[index]);
  });
}

void store_element(DType dtype, void* data, int64_t index, double value) {
  with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    static_cast<T*>(data)[index] = from_double<T>(value);
  });
}

void convert_elements(DType from, const void* source, DType to, void* target, int64_t count) {
  if (from == to) {
    std::memcpy(target, source, static_cast<size_t>(count) * dtype_bytes(from));
    return;
  }
  with_type(from, [&](auto source_tag) {
    using S = decltype(source_tag);
    with_type(to, [&](auto target_tag) {
      using T = decltype(target_tag);
      const S* in = static_cast<const S*>(source);
      T* out = static_cast<T*>(target);
      constexpr bool kBothIntegers = std::is_integral_v<S> && std::is_integral_v<T>;
      for (int64_t i = 0; i < count; ++i) {
        if constexpr (kBothIntegers && !std::is_same_v<T, bool>) {
          out[i] = static_cast<T>(in[i]);
        } else {
          out[i] = from_double<T>(static_cast<double>(in[i]));
        }
      }
    });
  });
}

}  // namespace legato
