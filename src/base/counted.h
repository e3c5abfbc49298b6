#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>

namespace legato {

/// A count and what is counted, as people write it: "1 token", "2 tokens", "0 tokens".
std::string counted(std::integral auto count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

}  // namespace legato
