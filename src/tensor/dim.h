#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tensor/shape.h"

namespace legato {

/// Values of named dimensions, for example {"tokens": 17}.
using DimBindings = std::map<std::string, int64_t, std::less<>>;

/// One extent that may not be known yet: a polynomial with integer coefficients over named
/// dimensions, for example `2*tokens + 1` or `batch*sequence`. Kept in normal form, so equal
/// extents compare equal. Coefficients saturate instead of wrapping.
class Dim {
 public:
  Dim(int64_t constant = 0);  // NOLINT(google-explicit-constructor): a number is an extent
  static Dim symbol(std::string name);
  /// Reads what to_string() writes: terms joined by + or -, factors by *. kMalformed otherwise.
  static Result<Dim> parse(std::string_view text);

  bool is_constant() const;
  /// The number; only when is_constant().
  int64_t constant() const;

  Dim operator+(const Dim& other) const;
  Dim operator-(const Dim& other) const;
  Dim operator*(const Dim& other) const;
  /// The exact quotient when it is again a Dim (by a constant or a single term that divides every
  /// term).
  std::optional<Dim> divided_by(const Dim& divisor) const;
  bool operator==(const Dim& other) const = default;

  /// How large the normal form is; what reads untrusted shapes bounds it.
  struct Complexity {
    size_t terms = 0;
    size_t degree = 0;      ///< factors of the longest product
    double magnitude = 0;   ///< sum of the coefficients' absolute values
    size_t name_bytes = 0;  ///< of all names, as often as they occur
  };
  Complexity complexity() const;

  /// kInvalidArgument when a symbol has no binding or the value overflows.
  Result<int64_t> evaluate(const DimBindings& bindings) const;
  std::string to_string() const;

 private:
  /// Sorted symbol names of a product; empty for the constant term.
  using Monomial = std::vector<std::string>;
  void add_term(const Monomial& monomial, int64_t coefficient);

  std::map<Monomial, int64_t> terms_;  // no zero coefficients
};

/// Extents that may be symbolic, outermost first.
struct SymShape {
  std::vector<Dim> dims;

  SymShape() = default;
  SymShape(std::initializer_list<Dim> list) : dims(list) {}
  explicit SymShape(std::vector<Dim> list) : dims(std::move(list)) {}
  explicit SymShape(const Shape& shape);

  int rank() const { return static_cast<int>(dims.size()); }
  const Dim& operator[](int axis) const { return dims[static_cast<size_t>(axis)]; }
  bool is_static() const;
  bool operator==(const SymShape& other) const = default;
  /// kInvalidArgument for more than eight axes, a missing binding or a negative extent.
  Result<Shape> evaluate(const DimBindings& bindings) const;
  /// Product of all extents.
  Dim elements() const;
  /// "[tokens, 256]".
  std::string to_string() const;
};

}  // namespace legato
