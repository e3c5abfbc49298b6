#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tensor/dtype.h"

namespace legato::importer {

/// An element type of GGUF tensors: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
struct GgufTensorType {
  uint32_t number = 0;
  std::string_view name;        ///< "F32", "Q4_K" ...
  uint32_t block_elements = 1;  ///< columns of a row are a multiple of it
  uint32_t block_bytes = 0;
  std::optional<DType> dtype;  ///< none: known, but not executed
};

/// Null for a number that no type has. Any thread.
const GgufTensorType* find_gguf_tensor_type(uint32_t number);
/// "F32, F16 ...": the types that have a dtype.
std::string supported_gguf_tensor_types();
/// The type's name, or the number itself when no type has it.
std::string gguf_tensor_type_name(uint32_t number);

}  // namespace legato::importer
