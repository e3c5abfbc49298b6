#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "import/gguf/metadata.h"
#include "tensor/shape.h"

namespace legato::importer {

/// One tensor of a GGUF file.
struct GgufTensor {
  uint32_t type = 0;                 ///< its number; find_gguf_tensor_type() tells more
  Shape shape;                       ///< outermost first: a matrix is [rows, columns]
  std::span<const std::byte> bytes;  ///< empty when nobody knows the type
};

struct GgufHeader {
  GgufMetadata metadata;
  std::map<std::string_view, GgufTensor> tensors;
};

/// Judges a whole file of version 2 or 3: every key, value, tensor name, shape, type and byte
/// range; ranges must be aligned, lie in the file and not overlap. Nothing of it needs further
/// checks, but types may be unknown. Names and values stay in `file`. Throws Error naming `where`.
GgufHeader parse_gguf_header(std::span<const std::byte> file, const std::string& where);

}  // namespace legato::importer
