#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace legato {

/// Told how far a long piece of work is: (what is being done, units done, units in all). Called
/// from the thread that does the work; must not throw.
using Progress = std::function<void(std::string_view what, uint64_t done, uint64_t total)>;

}  // namespace legato
