#include "tensor/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/checked.h"

namespace legato {

std::string Shape::to_string() const { return fmt::format("[{}]", fmt::join(dims(), ", ")); }

std::optional<uint64_t> checked_bytes(std::span<const int64_t> dims, uint64_t element_bytes) {
  uint64_t bytes = element_bytes;
  bool empty = false;
  for (const int64_t dim : dims) {
    if (dim < 0) return std::nullopt;
    if (dim == 0) {
      empty = true;
      continue;
    }
    const auto product = checked_mul(bytes, static_cast<uint64_t>(dim));
    if (!product) return std::nullopt;
    bytes = *product;
  }
  return empty ? 0 : bytes;
}

}  // namespace legato
