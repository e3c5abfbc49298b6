#pragma once

#include <cstdint>
#include <string>

#include "legato/engine.h"

namespace legato::cli {

/// Tokens of "input_ids:BATCHxLENGTH", the shape notation of trtexec. Throws UsageError.
int64_t parse_step_shape(const std::string& text);

/// Tokens of one step of an engine at most.
int64_t max_step_tokens(const EngineInfo& info);

}  // namespace legato::cli
