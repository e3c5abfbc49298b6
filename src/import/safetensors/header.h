#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "tensor/shape.h"

namespace legato::importer {

/// One tensor of a safetensors file; the byte range counts from the start of the data.
struct SafetensorsEntry {
  std::string dtype;  ///< as the file spells it: "F32", "BF16" ...
  Shape shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::map<std::string, SafetensorsEntry, std::less<>> tensors;
  uint64_t data_offset = 0;  ///< of the data, from the start of the file
};

/// Judges the header of a whole file of that format (https://github.com/huggingface/safetensors):
/// its length, every dtype, shape and byte range; ranges must cover the data without overlap or
/// gap. Nothing of it needs further checks. Throws Error naming `where` and the tensor.
SafetensorsHeader parse_safetensors_header(std::span<const std::byte> file,
                                           const std::string& where);

}  // namespace legato::importer
