#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.h"

namespace legato::cli {

/// A whole text of at most 64 MiB from a file or a pipe; "-" is standard input. Throws Error.
std::string read_text(const std::string& path, Console& console);
/// Standard input to its end; who types is told how to end. Throws Error above 64 MiB.
std::string read_standard_input(Console& console);
/// A prompt is what an editor's file means: without a UTF-8 byte order mark at its beginning and
/// the line's end at its end.
std::string prompt_of(std::string text);
/// "1,2,3", "1, 2" or "[1 2]" as token ids; `where` names the text. Throws Error (code 1: an id is
/// data, not usage).
std::vector<int32_t> parse_ids(std::string_view text, const std::string& where = "--ids");

}  // namespace legato::cli
