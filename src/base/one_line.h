#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Text from files and requests in messages of one line.
namespace legato {

/// Whether a message may show the text as it is: well-formed UTF-8 without control characters.
bool is_one_line(std::string_view text);

/// The text as a message may show it. Control characters of white space become spaces, others and
/// ill-formed bytes '?'; what lies beyond `max_bytes` becomes "...", and no character is cut.
std::string one_line(std::string_view text, size_t max_bytes = 200);

}  // namespace legato
