#pragma once

#include <span>
#include <string>

#include "cli/command.h"

namespace legato::cli {

/// Reads the words after a sub-command's name into what it declared. Throws UsageError. Returns
/// false when the words ask for help.
bool parse_arguments(const OptionSet& options, std::span<const char* const> words);

}  // namespace legato::cli
