#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"
#include "import/safetensors/header.h"
#include "import/safetensors/index.h"

/// The first byte says whether the rest is a safetensors file or the index of its shards.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::span<const uint8_t> rest(data + 1, size - 1);
  const legato::Status status = legato::catch_error([&] {
    if ((data[0] & 1) == 0) {
      legato::importer::parse_safetensors_header(std::as_bytes(rest), "fuzz");
    } else {
      legato::importer::parse_weight_map({reinterpret_cast<const char*>(rest.data()), rest.size()},
                                         "fuzz");
    }
  });
  if (!status.ok() && status.message.find('\n') != std::string::npos) __builtin_trap();
  return 0;
}
