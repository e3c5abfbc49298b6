#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace legato::cli {

/// The command line is wrong: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a numeric value may be, both ends included.
template <typename T>
struct Range {
  T low;
  T high;
};

inline constexpr Range<int64_t> kCount{1, int64_t{1} << 31};
inline constexpr Range<int64_t> kCountOrZero{0, int64_t{1} << 31};

/// One flag or argument, as data: the parser, the help and the error messages derive from it.
struct OptionSpec {
  std::string name;                  ///< "--max-tokens", or "PROMPT" for a positional argument
  std::vector<std::string> aliases;  ///< other spellings, not shown in the help
  std::string value;                 ///< what stands for the value in the help; empty for a flag
  std::string doc;
  bool required = false;
  bool repeated = false;
  bool hidden = false;
  /// Takes one value's text (a flag: ""); throws UsageError saying what was expected.
  std::function<void(const std::string& text)> assign;

  bool positional() const { return name.front() != '-'; }
};

/// Collects the options of one sub-command. Each takes the place of its value, which must outlive
/// the parse.
class OptionSet {
 public:
  /// Declares anything; the returned reference may set more fields before the next declaration.
  OptionSpec& add(OptionSpec spec);

  OptionSpec& flag(std::string name, bool* target, std::string doc);
  OptionSpec& text(std::string name, std::string value, std::optional<std::string>* target,
                   std::string doc);
  OptionSpec& texts(std::string name, std::string value, std::vector<std::string>* target,
                    std::string doc);
  OptionSpec& integer(std::string name, std::string value, std::optional<int64_t>* target,
                      Range<int64_t> range, std::string doc);
  OptionSpec& number(std::string name, std::string value, std::optional<double>* target,
                     Range<double> range, std::string doc);
  OptionSpec& choice(std::string name, std::vector<std::string> choices,
                     std::optional<std::string>* target, std::string doc);
  /// A flag that peers have and this version doesn't: named and refused.
  void unsupported(const std::string& name, const std::string& value, const std::string& instead);

  const std::vector<OptionSpec>& specs() const { return specs_; }

 private:
  std::vector<OptionSpec> specs_;
};

/// Strict numbers: the whole text, no NaN or infinity, no overflow, within the range. Throw
/// UsageError naming what was expected and what came.
int64_t parse_integer(const std::string& text, Range<int64_t> range);
double parse_number(const std::string& text, Range<double> range);
/// "1,2,3"; an empty list is refused.
std::vector<int64_t> parse_integer_list(const std::string& text, Range<int64_t> range);
/// Cuts at every occurrence of `separator`.
std::vector<std::string> split(std::string_view text, char separator);
/// "--max-tokens" is also known as "--maxTokens".
std::string camel_case(std::string_view kebab);

}  // namespace legato::cli
