#include "import/gguf/tensor_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace legato::importer {
namespace {

constexpr std::optional<DType> kNotExecuted = std::nullopt;

constexpr std::array kTypes = {
    GgufTensorType{0, "F32", 1, 4, DType::kF32},
    GgufTensorType{1, "F16", 1, 2, DType::kF16},
    GgufTensorType{2, "Q4_0", 32, 18, DType::kQ4_0},
    GgufTensorType{3, "Q4_1", 32, 20, DType::kQ4_1},
    GgufTensorType{6, "Q5_0", 32, 22, DType::kQ5_0},
    GgufTensorType{7, "Q5_1", 32, 24, DType::kQ5_1},
    GgufTensorType{8, "Q8_0", 32, 34, DType::kQ8_0},
    GgufTensorType{9, "Q8_1", 32, 36, kNotExecuted},
    GgufTensorType{10, "Q2_K", 256, 84, kNotExecuted},
    GgufTensorType{11, "Q3_K", 256, 110, kNotExecuted},
    GgufTensorType{12, "Q4_K", 256, 144, DType::kQ4K},
    GgufTensorType{13, "Q5_K", 256, 176, DType::kQ5K},
    GgufTensorType{14, "Q6_K", 256, 210, DType::kQ6K},
    GgufTensorType{15, "Q8_K", 256, 292, kNotExecuted},
    GgufTensorType{16, "IQ2_XXS", 256, 66, kNotExecuted},
    GgufTensorType{17, "IQ2_XS", 256, 74, kNotExecuted},
    GgufTensorType{18, "IQ3_XXS", 256, 98, kNotExecuted},
    GgufTensorType{19, "IQ1_S", 256, 50, kNotExecuted},
    GgufTensorType{20, "IQ4_NL", 32, 18, kNotExecuted},
    GgufTensorType{21, "IQ3_S", 256, 110, kNotExecuted},
    GgufTensorType{22, "IQ2_S", 256, 82, kNotExecuted},
    GgufTensorType{23, "IQ4_XS", 256, 136, kNotExecuted},
    GgufTensorType{24, "I8", 1, 1, kNotExecuted},
    GgufTensorType{25, "I16", 1, 2, kNotExecuted},
    GgufTensorType{26, "I32", 1, 4, kNotExecuted},
    GgufTensorType{27, "I64", 1, 8, kNotExecuted},
    GgufTensorType{28, "F64", 1, 8, kNotExecuted},
    GgufTensorType{29, "IQ1_M", 256, 56, kNotExecuted},
    GgufTensorType{30, "BF16", 1, 2, DType::kBF16},
    GgufTensorType{34, "TQ1_0", 256, 54, kNotExecuted},
    GgufTensorType{35, "TQ2_0", 256, 66, kNotExecuted},
    GgufTensorType{39, "MXFP4", 32, 17, kNotExecuted},
};

}  // namespace

const GgufTensorType* find_gguf_tensor_type(uint32_t number) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const GgufTensorType& type) {
    return type.number == number;
  });
  return found == kTypes.end() ? nullptr : &*found;
}

std::string supported_gguf_tensor_types() {
  std::string names;
  for (const GgufTensorType& type : kTypes)
    if (type.dtype.has_value()) names += fmt::format("{}{}", names.empty() ? "" : ", ", type.name);
  return names;
}

std::string gguf_tensor_type_name(uint32_t number) {
  const GgufTensorType* type = find_gguf_tensor_type(number);
  return type == nullptr ? fmt::format("{}", number) : std::string(type->name);
}

}  // namespace legato::importer
