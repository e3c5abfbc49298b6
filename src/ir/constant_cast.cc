#include <bit>
#include <vector>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "ir/constant.h"
#include "ir/constant_block.h"
#include "tensor/half.h"
#include "tensor/quant_format.h"

namespace legato::ir {
namespace {

// The conversions below give the bits of tensor/half.h; models have billions of weights, so the
// ones that building needs run on whole vectors.

#ifdef __x86_64__
bool has_f16c() {
  static const bool present = [] {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __builtin_cpu_supports("avx2") && __get_cpuid(1, &a, &b, &c, &d) != 0 &&
           (c & bit_F16C) != 0;
  }();
  return present;
}

__attribute__((target("avx2,f16c"))) int64_t widen_f16(const uint16_t* in, float* out,
                                                       int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(out + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i))));
  return i;
}

__attribute__((target("avx2,f16c"))) int64_t narrow_f16(const float* in, uint16_t* out,
                                                        int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
  return i;
}
#else
bool has_f16c() { return false; }
int64_t widen_f16(const uint16_t*, float*, int64_t) { return 0; }
int64_t narrow_f16(const float*, uint16_t*, int64_t) { return 0; }
#endif

void widen(DType from, const std::byte* source, float* out, int64_t count) {
  const auto* in = reinterpret_cast<const uint16_t*>(source);
  int64_t i = 0;
  if (from == DType::kF16) {
    if (has_f16c()) i = widen_f16(in, out, count);
    for (; i < count; ++i) out[i] = f16_to_f32(in[i]);
  } else if (from == DType::kBF16) {
    for (; i < count; ++i) out[i] = bf16_to_f32(in[i]);
  } else {
    convert_elements(from, source, DType::kF32, out, count);
  }
}

void narrow(const float* in, DType to, std::byte* target, int64_t count) {
  auto* out = reinterpret_cast<uint16_t*>(target);
  int64_t i = 0;
  if (to == DType::kF16) {
    if (has_f16c()) i = narrow_f16(in, out, count);
    for (; i < count; ++i) out[i] = f32_to_f16(in[i]);
  } else if (to == DType::kBF16) {
    for (; i < count; ++i) out[i] = f32_to_bf16(in[i]);
  } else {
    convert_elements(DType::kF32, in, to, target, count);
  }
}

bool exact_in_f32(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16;
}

class CastConstant : public Constant {
 public:
  CastConstant(ConstantPtr source, DType dtype)
      : Constant(dtype, source->shape()), source_(std::move(source)) {}

  void read_rows(int64_t first, int64_t count, std::byte* out) const override {
    std::vector<float> wide;
    read_in_chunks(*source_, first, count, [&](const std::byte* rows, int64_t num_rows) {
      convert(rows, out, num_rows * row_elements(), wide);
      out += static_cast<size_t>(num_rows) * row_bytes();
    });
  }
  uint64_t identity() const override {
    const int64_t to = static_cast<int64_t>(dtype());
    return derived_identity("cast", std::span(&source_, 1), std::span(&to, 1));
  }

 private:
  void convert(const std::byte* in, std::byte* out, int64_t count, std::vector<float>& wide) const {
    const DType from = source_->dtype();
    if (!exact_in_f32(from) || !exact_in_f32(dtype())) {
      convert_elements(from, in, dtype(), out, count);
    } else if (dtype() == DType::kF32) {
      widen(from, in, reinterpret_cast<float*>(out), count);
    } else if (from == DType::kF32) {
      narrow(reinterpret_cast<const float*>(in), dtype(), out, count);
    } else {
      wide.resize(static_cast<size_t>(count));
      widen(from, in, wide.data(), count);
      narrow(wide.data(), dtype(), out, count);
    }
  }

  ConstantPtr source_;
};

/// The numbers that a quantised matrix stands for, as f32.
class DequantisedConstant : public Constant {
 public:
  explicit DequantisedConstant(ConstantPtr source)
      : Constant(DType::kF32, source->shape()), source_(std::move(source)) {}

  void read_rows(int64_t first, int64_t count, std::byte* out) const override {
    read_in_chunks(*source_, first, count, [&](const std::byte* rows, int64_t num_rows) {
      for (int64_t i = 0; i < num_rows; ++i, rows += source_->row_bytes(), out += row_bytes())
        dequantize_row(source_->dtype(), rows, row_elements(), reinterpret_cast<float*>(out));
    });
  }
  uint64_t identity() const override {
    return derived_identity("dequantised", std::span(&source_, 1), {});
  }

 private:
  ConstantPtr source_;
};

}  // namespace

ConstantPtr cast(ConstantPtr source, DType dtype) {
  if (source->dtype() == dtype) return source;
  if (is_quantised(dtype))
    throw Error(Code::kInvalidArgument, "cast constant",
                "expected a plain type to cast to, found " + std::string(dtype_name(dtype)));
  if (is_quantised(source->dtype()))
    return cast(std::make_shared<DequantisedConstant>(std::move(source)), dtype);
  return std::make_shared<CastConstant>(std::move(source), dtype);
}

}  // namespace legato::ir
