#include "tests/conformance/case.h"

#include <cmath>
#include <cstring>

#include "tensor/half.h"
#include "tensor/quant_format.h"
#include "tensor/tensor.h"

namespace legato::conformance {

uint64_t Random::bits() {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return state_;
}

float Random::normal() {
  // Four uniform numbers have a sum of variance 1/3.
  double sum = -2;
  for (int i = 0; i < 4; ++i) sum += static_cast<double>(bits() >> 11) * 0x1p-53;
  return static_cast<float>(sum * std::sqrt(3.0));
}

double epsilon_of(DType dtype) {
  return dtype == DType::kF32 ? kernels::kEpsilonF32 : 2 * kernels::unit_roundoff(dtype);
}

TestTensor random_tensor(Random& random, DType dtype, const Shape& shape, float scale,
                         int64_t padding) {
  TestTensor tensor;
  tensor.present = true;
  tensor.dtype = dtype;
  tensor.shape = shape;
  tensor.row_stride = tensor.columns() + padding;
  const size_t width = dtype_bytes(dtype);
  // All bits set is NaN in every float type.
  tensor.bytes.assign(static_cast<size_t>(tensor.rows() * tensor.row_stride) * width,
                      std::byte{0xff});
  for (int64_t row = 0; row < tensor.rows(); ++row)
    for (int64_t column = 0; column < tensor.columns(); ++column)
      store_element(dtype, tensor.bytes.data(), row * tensor.row_stride + column,
                    random.normal() * scale);
  return tensor;
}

TestTensor random_constant(Random& random, DType dtype, const Shape& shape, float scale) {
  TestTensor tensor = random_tensor(random, dtype, shape, scale);
  tensor.constant = true;
  return tensor;
}

namespace {

/// What makes the elements of a format's random codes have deviation 1.
float unit_scale(DType dtype) {
  switch (dtype) {
    case DType::kQ8_0:
    case DType::kW8:
      return 1 / 74.0f;
    case DType::kQ5_0:
    case DType::kQ5_1:
      return 1 / 9.2f;
    case DType::kQ4K:
      return 1 / (36 * 4.6f);
    case DType::kQ5K:
      return 1 / (36 * 9.2f);
    case DType::kQ6K:
      return 1 / (74 * 18.0f);
    default:
      return 1 / 4.6f;
  }
}

void put_half(std::byte* at, float value) {
  const uint16_t half = f32_to_f16(value);
  std::memcpy(at, &half, sizeof half);
}

}  // namespace

TestTensor random_quantised(Random& random, DType dtype, const Shape& shape, float scale) {
  const QuantFormat& format = quant_format(dtype);
  TestTensor tensor;
  tensor.present = tensor.constant = true;
  tensor.dtype = dtype;
  tensor.shape = shape;
  tensor.row_stride = shape[1];
  const size_t row_bytes = *dtype_row_bytes(dtype, shape[1]);
  tensor.bytes.resize(static_cast<size_t>(shape[0]) * row_bytes);
  for (std::byte& byte : tensor.bytes) byte = static_cast<std::byte>(random.bits() >> 40 & 0xffu);
  const float unit = unit_scale(dtype) * scale;
  for (size_t row = 0; row < tensor.bytes.size(); row += row_bytes) {
    const auto vary = [&] { return unit * (0.5f + static_cast<float>(random.below(1000)) / 1000); };
    if (format.scales == QuantScales::kRow) {
      const float number = vary();
      std::memcpy(tensor.bytes.data() + row, &number, sizeof number);
      continue;
    }
    for (size_t at = row; at < row + row_bytes; at += format.block_bytes) {
      std::byte* block = tensor.bytes.data() + at;
      const float number = random.below(4) == 0 ? -vary() : vary();
      put_half(dtype == DType::kQ6K ? block + 208 : block, number);
      if (format.affine)
        put_half(block + 2, format.scales == QuantScales::kSuper ? vary() * 8 : -vary() * 8);
    }
  }
  return tensor;
}

TestTensor index_tensor(const std::vector<int64_t>& values, DType dtype) {
  TestTensor tensor;
  tensor.present = true;
  tensor.dtype = dtype;
  tensor.shape = Shape{static_cast<int64_t>(values.size())};
  tensor.row_stride = tensor.columns();
  tensor.bytes.resize(values.size() * dtype_bytes(dtype));
  for (size_t i = 0; i < values.size(); ++i)
    store_element(dtype, tensor.bytes.data(), static_cast<int64_t>(i),
                  static_cast<double>(values[i]));
  return tensor;
}

TestTensor empty_output(const Shape& shape, int64_t padding) {
  TestTensor tensor;
  tensor.present = true;
  tensor.shape = shape;
  tensor.row_stride = tensor.columns() + padding;
  tensor.bytes.assign(static_cast<size_t>(tensor.rows() * tensor.row_stride) * sizeof(float),
                      std::byte{0xff});
  return tensor;
}

Case make_case(std::string name, std::string op, Attributes attributes,
               std::vector<TestTensor> inputs, TestTensor output) {
  Case test;
  test.name = std::move(name);
  test.problem.op = std::move(op);
  test.problem.attributes = std::move(attributes);
  const int64_t tokens = output.shape.rank() == 0 ? 1 : output.shape[0];
  const auto spec_of = [&](const TestTensor& tensor) {
    kernels::OperandSpec spec;
    spec.present = tensor.present;
    spec.constant = tensor.constant;
    spec.dtype = tensor.dtype;
    spec.shape = tensor.declared.rank() > 0 ? tensor.declared : SymShape(tensor.shape);
    if (tensor.declared.rank() == 0 && !tensor.constant && tensor.shape.rank() > 0 &&
        tensor.shape[0] == tokens)
      spec.shape.dims[0] = Dim::symbol("tokens");
    return spec;
  };
  for (const TestTensor& input : inputs) test.problem.inputs.push_back(spec_of(input));
  test.problem.outputs.push_back(spec_of(output));
  test.inputs = std::move(inputs);
  test.output = std::move(output);
  test.limits.max_tokens = tokens;
  test.limits.max_logit_rows = tokens;
  return test;
}

std::vector<Case> cases_of(const std::string& op) {
  if (op == "Linear") return linear_cases();
  if (op == "GatedMlp") return gated_mlp_cases();
  if (op == "Attention") return attention_cases();
  if (op == "Embedding") return embedding_cases();
  if (op == "RmsNorm") return rms_norm_cases();
  if (op == "LayerNorm") return layer_norm_cases();
  if (op == "Rope") return rope_cases();
  if (op == "RotaryTable") return rotary_table_cases();
  if (op == "Gather") return gather_cases();
  if (op == "Add" || op == "Mul") return elementwise_cases(op);
  return {};
}

}  // namespace legato::conformance
