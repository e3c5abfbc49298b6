#include "import/gguf/tensor_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tensor/quant_format.h"

namespace legato::importer {
namespace {

/// A type that a dtype stands for, which has its sizes.
GgufTensorType executed(uint32_t number, std::string_view name, DType dtype) {
  GgufTensorType type{number, name, 1, 0, dtype};
  if (is_quantised(dtype)) {
    type.block_elements = static_cast<uint32_t>(quant_format(dtype).block_elements);
    type.block_bytes = static_cast<uint32_t>(quant_format(dtype).block_bytes);
  } else {
    type.block_bytes = static_cast<uint32_t>(dtype_bytes(dtype));
  }
  return type;
}

/// Types that are only known give their sizes here, so that a file with one can be judged.
const std::array kTypes = {
    executed(0, "F32", DType::kF32),
    executed(1, "F16", DType::kF16),
    executed(2, "Q4_0", DType::kQ4_0),
    executed(3, "Q4_1", DType::kQ4_1),
    executed(6, "Q5_0", DType::kQ5_0),
    executed(7, "Q5_1", DType::kQ5_1),
    executed(8, "Q8_0", DType::kQ8_0),
    GgufTensorType{9, "Q8_1", 32, 36, std::nullopt},
    GgufTensorType{10, "Q2_K", 256, 84, std::nullopt},
    GgufTensorType{11, "Q3_K", 256, 110, std::nullopt},
    executed(12, "Q4_K", DType::kQ4K),
    executed(13, "Q5_K", DType::kQ5K),
    executed(14, "Q6_K", DType::kQ6K),
    GgufTensorType{15, "Q8_K", 256, 292, std::nullopt},
    GgufTensorType{16, "IQ2_XXS", 256, 66, std::nullopt},
    GgufTensorType{17, "IQ2_XS", 256, 74, std::nullopt},
    GgufTensorType{18, "IQ3_XXS", 256, 98, std::nullopt},
    GgufTensorType{19, "IQ1_S", 256, 50, std::nullopt},
    GgufTensorType{20, "IQ4_NL", 32, 18, std::nullopt},
    GgufTensorType{21, "IQ3_S", 256, 110, std::nullopt},
    GgufTensorType{22, "IQ2_S", 256, 82, std::nullopt},
    GgufTensorType{23, "IQ4_XS", 256, 136, std::nullopt},
    GgufTensorType{24, "I8", 1, 1, std::nullopt},
    GgufTensorType{25, "I16", 1, 2, std::nullopt},
    GgufTensorType{26, "I32", 1, 4, std::nullopt},
    GgufTensorType{27, "I64", 1, 8, std::nullopt},
    GgufTensorType{28, "F64", 1, 8, std::nullopt},
    GgufTensorType{29, "IQ1_M", 256, 56, std::nullopt},
    executed(30, "BF16", DType::kBF16),
    GgufTensorType{34, "TQ1_0", 256, 54, std::nullopt},
    GgufTensorType{35, "TQ2_0", 256, 66, std::nullopt},
    GgufTensorType{39, "MXFP4", 32, 17, std::nullopt},
    GgufTensorType{40, "NVFP4", 64, 36, std::nullopt},
    GgufTensorType{41, "Q1_0", 128, 18, std::nullopt},
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
