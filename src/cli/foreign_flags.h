#pragma once

#include <string>
#include <string_view>

#include "cli/options.h"

namespace legato::cli {

/// What to say after "unknown flag" when other programs of this field know the flag and one of
/// `options` does the same; empty otherwise.
std::string equivalent_hint(std::string_view flag, const OptionSet& options);

/// Whether `word` is such a flag of several letters after one dash ("-np"), which reads as a short
/// flag of ours with a value attached.
bool is_foreign_cluster(std::string_view word, const OptionSet& options);

}  // namespace legato::cli
