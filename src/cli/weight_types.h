#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "legato/engine.h"

namespace legato::cli {

/// Each type of an engine's weights: "q4_k 12 tensors (3.1 MiB)", the one with most bytes first.
std::string describe_weights(const EngineInfo& info, std::string_view separator);
/// [{precision, tensors, bytes}] in the same order.
Json weights_json(const EngineInfo& info);

}  // namespace legato::cli
