#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "base/check.h"

namespace legato {

/// Extents of a tensor, outermost first, at most eight; held in place, so that a step allocates
/// nothing.
class Shape {
 public:
  static constexpr int kMaxRank = 8;

  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const int64_t> dims) {
    LEGATO_CHECK(dims.size() <= kMaxRank);
    for (const int64_t dim : dims) dims_[static_cast<size_t>(rank_++)] = dim;
  }

  int rank() const { return rank_; }
  int64_t operator[](int axis) const { return dims_[static_cast<size_t>(axis)]; }
  int64_t& operator[](int axis) { return dims_[static_cast<size_t>(axis)]; }
  std::span<const int64_t> dims() const { return {dims_.data(), static_cast<size_t>(rank_)}; }
  void push_back(int64_t dim) {
    LEGATO_CHECK(rank_ < kMaxRank);
    dims_[static_cast<size_t>(rank_++)] = dim;
  }

  /// Product of the extents (1 for a scalar).
  int64_t elements() const {
    int64_t product = 1;
    for (const int64_t dim : dims()) product *= dim;
    return product;
  }
  bool operator==(const Shape& other) const {
    return std::equal(dims().begin(), dims().end(), other.dims().begin(), other.dims().end());
  }
  /// "[2, 3]".
  std::string to_string() const;

 private:
  std::array<int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

/// Bytes of a dense tensor whose extents come from outside; nullopt when one is negative or the
/// product wraps.
std::optional<uint64_t> checked_bytes(std::span<const int64_t> dims, uint64_t element_bytes);

}  // namespace legato
