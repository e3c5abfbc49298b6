#include "tensor/dim.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "base/checked.h"

namespace legato {
namespace {

bool is_symbol_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '/' ||
         c == ':';
}

/// Splits off the next run of symbol characters.
std::string_view take_word(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_symbol_char);
  const std::string_view word = text.substr(0, static_cast<size_t>(end - text.begin()));
  text.remove_prefix(word.size());
  return word;
}

void skip_spaces(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

std::optional<int64_t> number_of(std::string_view word) {
  if (word.empty() || word.size() > 18) return std::nullopt;
  int64_t value = 0;
  for (const char c : word) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

int64_t saturating_add(int64_t a, int64_t b) {
  return checked_add(a, b).value_or(a < 0 ? -kMost : kMost);
}

int64_t saturating_mul(int64_t a, int64_t b) {
  return checked_mul(a, b).value_or((a < 0) != (b < 0) ? -kMost : kMost);
}

}  // namespace

Dim::Dim(int64_t constant) { add_term({}, constant); }

Dim Dim::symbol(std::string name) {
  Dim dim;
  dim.add_term({std::move(name)}, 1);
  return dim;
}

Result<Dim> Dim::parse(std::string_view text) {
  const auto malformed = [whole = std::string(text)] {
    return fail(Code::kMalformed, "",
                fmt::format("\"{}\" is not a dimension, expected for example 2*tokens + 1", whole));
  };
  Dim sum;
  int64_t sign = 1;
  skip_spaces(text);
  if (!text.empty() && text.front() == '-') {
    sign = -1;
    text.remove_prefix(1);
  }
  while (true) {
    int64_t coefficient = sign;
    Monomial monomial;
    while (true) {
      skip_spaces(text);
      const std::string_view word = take_word(text);
      if (word.empty()) return malformed();
      if (const auto number = number_of(word)) {
        const auto product = checked_mul(coefficient, *number);
        if (!product) return malformed();
        coefficient = *product;
      } else {
        if (word.front() >= '0' && word.front() <= '9') return malformed();
        monomial.emplace_back(word);
      }
      skip_spaces(text);
      if (text.empty() || text.front() != '*') break;
      text.remove_prefix(1);
    }
    std::sort(monomial.begin(), monomial.end());
    sum.add_term(monomial, coefficient);
    if (text.empty()) return sum;
    if (text.front() != '+' && text.front() != '-') return malformed();
    sign = text.front() == '+' ? 1 : -1;
    text.remove_prefix(1);
  }
}

void Dim::add_term(const Monomial& monomial, int64_t coefficient) {
  if (coefficient == 0) return;
  coefficient = std::max(coefficient, -kMost);
  const auto [it, inserted] = terms_.try_emplace(monomial, coefficient);
  if (inserted) return;
  it->second = saturating_add(it->second, coefficient);
  if (it->second == 0) terms_.erase(it);
}

bool Dim::is_constant() const {
  return terms_.empty() || (terms_.size() == 1 && terms_.begin()->first.empty());
}

int64_t Dim::constant() const {
  LEGATO_CHECK(is_constant());
  return terms_.empty() ? 0 : terms_.begin()->second;
}

Dim Dim::operator+(const Dim& other) const {
  Dim sum = *this;
  for (const auto& [monomial, coefficient] : other.terms_) sum.add_term(monomial, coefficient);
  return sum;
}

Dim Dim::operator-(const Dim& other) const { return *this + other * Dim(-1); }

Dim Dim::operator*(const Dim& other) const {
  Dim product;
  for (const auto& [a, a_coefficient] : terms_) {
    for (const auto& [b, b_coefficient] : other.terms_) {
      Monomial merged;
      std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(merged));
      product.add_term(merged, saturating_mul(a_coefficient, b_coefficient));
    }
  }
  return product;
}

std::optional<Dim> Dim::divided_by(const Dim& divisor) const {
  if (divisor.terms_.size() != 1)
    return *this == divisor && !terms_.empty() ? std::optional<Dim>(Dim(1)) : std::nullopt;
  const auto& [by, by_coefficient] = *divisor.terms_.begin();
  Dim quotient;
  for (const auto& [monomial, coefficient] : terms_) {
    if (coefficient % by_coefficient != 0 ||
        !std::includes(monomial.begin(), monomial.end(), by.begin(), by.end()))
      return std::nullopt;
    Monomial rest;
    std::set_difference(monomial.begin(), monomial.end(), by.begin(), by.end(),
                        std::back_inserter(rest));
    quotient.add_term(rest, coefficient / by_coefficient);
  }
  return quotient;
}

Dim::Complexity Dim::complexity() const {
  Complexity sum;
  sum.terms = terms_.size();
  for (const auto& [monomial, coefficient] : terms_) {
    sum.degree = std::max(sum.degree, monomial.size());
    sum.magnitude += std::abs(static_cast<double>(coefficient));
    for (const std::string& name : monomial) sum.name_bytes += name.size();
  }
  return sum;
}

Result<int64_t> Dim::evaluate(const DimBindings& bindings) const {
  int64_t sum = 0;
  for (const auto& [monomial, coefficient] : terms_) {
    std::optional<int64_t> product = coefficient;
    for (const std::string& name : monomial) {
      const auto bound = bindings.find(name);
      if (bound == bindings.end())
        return fail(Code::kInvalidArgument, "", fmt::format("dimension {} has no value", name));
      if (product) product = checked_mul(*product, bound->second);
    }
    const auto total = product ? checked_add(sum, *product) : std::nullopt;
    if (!total)
      return fail(Code::kInvalidArgument, "", fmt::format("dimension {} overflows", to_string()));
    sum = *total;
  }
  return sum;
}

std::string Dim::to_string() const {
  if (terms_.empty()) return "0";
  std::string text;
  // Symbols first, the constant last, as one would write it.
  for (auto it = terms_.rbegin(); it != terms_.rend(); ++it) {
    const auto& [monomial, coefficient] = *it;
    const bool negative = coefficient < 0;
    const auto magnitude = static_cast<uint64_t>(negative ? -coefficient : coefficient);
    if (text.empty()) {
      text += negative ? "-" : "";
    } else {
      text += negative ? " - " : " + ";
    }
    if (monomial.empty()) {
      text += std::to_string(magnitude);
    } else {
      if (magnitude != 1) text += std::to_string(magnitude) + "*";
      text += fmt::format("{}", fmt::join(monomial, "*"));
    }
  }
  return text;
}

SymShape::SymShape(const Shape& shape) : dims(shape.dims().begin(), shape.dims().end()) {}

bool SymShape::is_static() const {
  return std::all_of(dims.begin(), dims.end(), [](const Dim& dim) { return dim.is_constant(); });
}

Result<Shape> SymShape::evaluate(const DimBindings& bindings) const {
  if (dims.size() > Shape::kMaxRank)
    return fail(Code::kInvalidArgument, "",
                fmt::format("{} has more than {} axes", to_string(), Shape::kMaxRank));
  Shape shape;
  for (const Dim& dim : dims) {
    LEGATO_ASSIGN_OR_RETURN(const int64_t extent, dim.evaluate(bindings));
    if (extent < 0)
      return fail(Code::kInvalidArgument, "",
                  fmt::format("dimension {} is {}", dim.to_string(), extent));
    shape.push_back(extent);
  }
  return shape;
}

Dim SymShape::elements() const {
  Dim product(1);
  for (const Dim& dim : dims) product = product * dim;
  return product;
}

std::string SymShape::to_string() const {
  std::vector<std::string> texts;
  for (const Dim& dim : dims) texts.push_back(dim.to_string());
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

}  // namespace legato
