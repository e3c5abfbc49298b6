#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/json.h"

namespace legato::tokenizer {

/// JSON whose objects keep the order of their keys. A prompt prints tools as the request wrote
/// them, and models were trained on that order. A Json converts to it implicitly.
using OrderedJson = nlohmann::ordered_json;

/// As parse_json, but with keys in the order of the text.
Result<OrderedJson> parse_ordered_json(std::string_view text, const std::string& where,
                                       const JsonLimits& limits = {});

}  // namespace legato::tokenizer
