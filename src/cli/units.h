#pragma once

#include <cstdint>
#include <string>

namespace legato::cli {

/// "512 B", "3.1 MiB".
std::string format_bytes(uint64_t bytes);

}  // namespace legato::cli
