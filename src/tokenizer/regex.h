#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace legato::tokenizer {

/// A stretch of text, and whether the pattern matched it.
struct Match {
  size_t begin = 0;
  size_t end = 0;
  bool matched = false;
};

/// A compiled pattern of tokenizer.json. Immutable; any thread may search with it. Patterns are
/// untrusted: one that backtracks without bound ends in kResourceExhausted.
class Regex {
 public:
  /// `pattern` is in Oniguruma's dialect. kMalformed or kUnsupported when it can't be compiled.
  static Result<Regex> compile(std::string_view pattern, const std::string& where);

  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  /// Covers `text` (well-formed UTF-8) with matches and the stretches between them, in order; empty
  /// stretches between matches are left out, empty matches are not.
  Status find_all(std::string_view text, std::vector<Match>& out) const;

 private:
  struct Compiled;
  explicit Regex(std::unique_ptr<Compiled> code);
  std::unique_ptr<Compiled> code_;
};

}  // namespace legato::tokenizer
