#pragma once

#include <cstdint>
#include <string>

namespace legato::cli {

/// Tokens of "input_ids:BATCHxLENGTH", the shape notation of trtexec. Throws UsageError.
int64_t parse_step_shape(const std::string& text);

}  // namespace legato::cli
