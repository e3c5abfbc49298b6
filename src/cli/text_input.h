#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace legato::cli {

/// A whole text file of at most 64 MiB; "-" is standard input. Throws Error.
std::string read_text(const std::string& path);
/// Standard input to its end. Throws Error above 64 MiB.
std::string read_standard_input();
/// "1,2,3" as token ids. Throws Error (code 1: an id is data, not usage).
std::vector<int32_t> parse_ids(const std::string& text);

}  // namespace legato::cli
