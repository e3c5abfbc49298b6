#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/status.h"

namespace legato {

/// Key order is sorted, so equal content dumps to equal bytes.
using Json = nlohmann::json;

/// What untrusted JSON may cost. Values count every number, string, key, list and object.
struct JsonLimits {
  uint64_t max_bytes = 64u << 20;
  uint64_t max_values = 8u << 20;
  int max_depth = 64;
};

/// Parses untrusted text. kMalformed names `where` and the byte at which it went wrong. Duplicate
/// keys, NaN literals, trailing bytes and invalid UTF-8 are refused.
Result<Json> parse_json(std::string_view text, const std::string& where,
                        const JsonLimits& limits = {});

/// Reads and parses a file under the same limits.
Result<Json> read_json_file(const std::string& path, const JsonLimits& limits = {});

}  // namespace legato
