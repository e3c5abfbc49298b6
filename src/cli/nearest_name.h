#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace legato::cli {

/// The name that a misspelt one was likely meant to be: a few letters away, or one that it
/// begins. Empty when none is near.
std::string nearest_name(std::string_view word, const std::vector<std::string>& names);

/// "; did you mean NAME?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);

}  // namespace legato::cli
