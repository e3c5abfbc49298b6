#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace legato::importer {

/// Refuses JSON text with a string longer than `max_string` bytes, or a longer run of white space,
/// digits and letters than any number or indentation has. JSON readers hold a token whole and copy
/// it, many times its size, into their messages. Throws Error naming `where`.
void judge_token_lengths(std::string_view text, const std::string& where, size_t max_string);

}  // namespace legato::importer
