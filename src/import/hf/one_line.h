#pragma once

#include <string>
#include <string_view>

namespace legato::importer {

/// Whether text from a file may stand in a message of one line as it is: no control characters.
bool is_one_line(std::string_view text);
/// The text, at most `max_bytes` of it, with control characters replaced.
std::string one_line(std::string_view text, size_t max_bytes = 200);

}  // namespace legato::importer
