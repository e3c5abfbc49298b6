#include "tokenizer/regex_dialect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/utf8.h"

namespace legato::tokenizer {
namespace {

// Insides of classes. White_Space, and the word class with the superscripts that Oniguruma counts
// in.
constexpr std::string_view kSpace =
    R"(\x{9}-\x{d}\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";
constexpr std::string_view kNotSpace =
    R"(\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff})";
constexpr std::string_view kWord =
    R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{b2}\x{b3}\x{b9}\x{bc}-\x{be})";

constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kLongCategories = {{
    {"letter", "L"},
    {"mark", "M"},
    {"number", "N"},
    {"punctuation", "P"},
    {"symbol", "S"},
    {"separator", "Z"},
    {"other", "C"},
    {"uppercaseletter", "Lu"},
    {"lowercaseletter", "Ll"},
    {"titlecaseletter", "Lt"},
    {"modifierletter", "Lm"},
    {"otherletter", "Lo"},
    {"nonspacingmark", "Mn"},
    {"decimalnumber", "Nd"},
    {"alpha", "Alphabetic"},
    {"punct", "P"},
}};

constexpr std::array<std::string_view, 7> kBinaryProperties = {
    "any", "alphabetic", "lowercase", "uppercase", "emoji", "ideographic", "extendedpictographic"};

std::string loose(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != '_' && c != ' ' && c != '-')
      out += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return out;
}

/// The name as PCRE2 knows it. A script's name alone would mean its extensions there.
std::string property_name(std::string_view name) {
  const std::string key = loose(name);
  for (const auto& [word, category] : kLongCategories)
    if (key == word) return std::string(category);
  if (key.size() <= 2 || std::count(kBinaryProperties.begin(), kBinaryProperties.end(), key) > 0)
    return std::string(name);
  return "sc:" + std::string(name);
}

class Translator {
 public:
  Translator(std::string_view pattern, const std::string& where)
      : pattern_(pattern), where_(where) {}

  Result<std::string> run() {
    while (at_ < pattern_.size() && status_.ok()) step();
    if (!status_.ok()) return status_;
    return std::move(out_);
  }

 private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0';
  }

  void refuse(std::string_view what) {
    if (status_.ok())
      status_ = fail(Code::kUnsupported, where_,
                     fmt::format("regex uses {} at byte {}, which is not supported", what, at_));
  }

  void step() {
    const char c = peek();
    if (c == '\\') {
      atom_ = out_.size();
      escape(false);
    } else if (c == '[') {
      atom_ = out_.size();
      char_class();
    } else if (c == '(') {
      open_group();
    } else if (c == ')') {
      // The whole group is the atom of a quantifier that follows.
      if (!groups_.empty()) {
        atom_ = groups_.back();
        groups_.pop_back();
      }
      out_ += pattern_[at_++];
    } else if (c == '{' && interval()) {
      return;
    } else if (c == '*' || c == '+' || c == '?' || c == '|') {
      out_ += pattern_[at_++];
    } else {
      atom_ = out_.size();
      const size_t size = std::min(utf8_length(c), pattern_.size() - at_);
      out_ += pattern_.substr(at_, size);
      at_ += size;
    }
  }

  void open_group() {
    groups_.push_back(out_.size());
    if (pattern_.substr(at_).starts_with("(?#")) {
      groups_.pop_back();
      const size_t end = std::min(pattern_.find(')', at_), pattern_.size() - 1);
      at_ = end + 1;
      return;
    }
    out_ += pattern_[at_++];
    if (peek() != '?') return;
    // Option letters up to ':' or ')': "m" is "dot matches newline" in the other dialect.
    size_t end = at_ + 1;
    while (end < pattern_.size() &&
           (std::string_view("imx-").find(pattern_[end]) != std::string_view::npos))
      ++end;
    if (end >= pattern_.size() || (pattern_[end] != ':' && pattern_[end] != ')')) return;
    for (; at_ < end; ++at_) out_ += pattern_[at_] == 'm' ? 's' : pattern_[at_];
  }

  /// {n}, {n,}, {,m}, {n,m}; a '+' behind one repeats it there and is possessive in PCRE2.
  bool interval() {
    const size_t close = pattern_.find('}', at_);
    if (close == std::string_view::npos || close == at_ + 1) return false;
    std::string body(pattern_.substr(at_ + 1, close - at_ - 1));
    if (body == "," || body.find_first_not_of("0123456789,") != std::string::npos) return false;
    if (body[0] == ',') body = "0" + body;
    out_ += "{" + body + "}";
    at_ = close + 1;
    if (peek() == '+') {
      out_.insert(std::min(atom_, out_.size()), "(?:");
      out_ += ")+";
      ++at_;
    }
    return true;
  }

  void emit_set(std::string_view inside, bool in_class) {
    if (in_class) {
      out_ += inside;
    } else {
      out_ += '[';
      out_ += inside;
      out_ += ']';
    }
  }

  void emit_negated(std::string_view inside, bool in_class, std::string_view what) {
    if (in_class) return refuse(what);
    out_ += "[^";
    out_ += inside;
    out_ += ']';
  }

  void word_boundary(bool inside) {
    const std::string set = "[" + std::string(kWord) + "]";
    out_ +=
        fmt::format("(?(?<={0})(?{1}{0})|(?{2}{0}))", set, inside ? '=' : '!', inside ? '!' : '=');
  }

  void escape(bool in_class) {
    const char c = peek(1);
    if (at_ + 1 >= pattern_.size()) {
      out_ += pattern_[at_++];
      return;
    }
    switch (c) {
      case 's':
        emit_set(kSpace, in_class);
        break;
      case 'S':
        emit_set(kNotSpace, in_class);
        break;
      case 'w':
        emit_set(kWord, in_class);
        break;
      case 'W':
        emit_negated(kWord, in_class, "\\W inside a class");
        break;
      case 'h':
        emit_set("0-9a-fA-F", in_class);
        break;
      case 'H':
        emit_negated("0-9a-fA-F", in_class, "\\H inside a class");
        break;
      case 'v':
        out_ += "\\x{b}";
        break;
      case 'b':
        if (in_class)
          out_ += "\\x{8}";
        else
          word_boundary(false);
        break;
      case 'B':
        if (in_class)
          out_ += 'B';
        else
          word_boundary(true);
        break;
      case 'p':
      case 'P':
        return property();
      case 'u':
        return code_unit();
      default: {
        const size_t size = std::min(utf8_length(c), pattern_.size() - at_ - 1);
        out_ += pattern_.substr(at_, 1 + size);
        at_ += 1 + size;
        return;
      }
    }
    at_ += 2;
  }

  void property() {
    bool negated = peek(1) == 'P';
    if (peek(2) != '{') return refuse("a property without braces");
    const size_t close = pattern_.find('}', at_);
    if (close == std::string_view::npos) return refuse("a property without end");
    std::string_view name = pattern_.substr(at_ + 3, close - at_ - 3);
    if (name.starts_with('^')) {
      negated = !negated;
      name.remove_prefix(1);
    }
    const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char letter) {
      return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
             letter == '_' || letter == ' ' || letter == '-';
    });
    if (!plain) return refuse("a property name that is no word");
    if (loose(name) == "alnum") return refuse("the property Alnum");
    out_ += negated ? "\\P{" : "\\p{";
    out_ += property_name(name);
    out_ += '}';
    at_ = close + 1;
  }

  void code_unit() {
    const std::string_view digits = pattern_.substr(std::min(at_ + 2, pattern_.size()), 4);
    if (digits.size() != 4 ||
        digits.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos)
      return refuse("\\u without four hexadecimal digits");
    out_ += fmt::format("\\x{{{}}}", digits);
    at_ += 6;
  }

  void char_class() {
    out_ += pattern_[at_++];
    if (peek() == '^') out_ += pattern_[at_++];
    for (bool first = true; status_.ok(); first = false) {
      if (at_ >= pattern_.size()) return;
      const char c = peek();
      if (c == ']' && !first) {
        out_ += pattern_[at_++];
        return;
      }
      if (c == ']') {
        out_ += "\\]";
        ++at_;
      } else if (c == '\\') {
        escape(true);
      } else if (c == '[' && peek(1) == ':') {
        posix_class();
      } else if (c == '[') {
        refuse("a class inside a class");
      } else if (c == '&' && peek(1) == '&') {
        refuse("an intersection of classes");
      } else {
        const size_t size = std::min(utf8_length(c), pattern_.size() - at_);
        out_ += pattern_.substr(at_, size);
        at_ += size;
      }
    }
  }

  void posix_class() {
    const std::string_view rest = pattern_.substr(at_);
    if (rest.starts_with("[:space:]"))
      out_ += kSpace;
    else if (rest.starts_with("[:alpha:]"))
      out_ += "\\p{Alphabetic}";
    else if (rest.starts_with("[:digit:]"))
      out_ += "\\p{Nd}";
    else if (rest.starts_with("[:punct:]"))
      out_ += "\\p{P}\\p{S}";
    else
      return refuse("a bracketed class name");
    at_ += 9;
  }

  std::string_view pattern_;
  const std::string& where_;
  Status status_;
  std::string out_;
  size_t at_ = 0;
  /// Where in out_ the last atom begins, and each open group.
  size_t atom_ = 0;
  std::vector<size_t> groups_;
};

}  // namespace

Result<std::string> to_pcre2_dialect(std::string_view pattern, const std::string& where) {
  return Translator(pattern, where).run();
}

}  // namespace legato::tokenizer
