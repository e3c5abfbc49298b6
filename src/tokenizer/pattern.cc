#include "tokenizer/pattern.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "tokenizer/fields.h"

namespace legato::tokenizer {
namespace {

// A search costs up to this many steps a byte.
constexpr size_t kMaxPlainBytes = 512;

}  // namespace

Result<Pattern> Pattern::parse(const Json& json, const std::string& where,
                               const std::string& place) {
  Fields fields(json, where, place);
  if (fields.has("Regex")) {
    const std::string source = fields.required_text("Regex");
    if (!fields.status().ok()) return fields.status();
    LEGATO_ASSIGN_OR_RETURN(Regex regex, Regex::compile(source, where + ": " + place));
    return Pattern(std::move(regex));
  }
  std::string plain = fields.required_text("String");
  if (!fields.status().ok()) return fields.status();
  if (plain.size() > kMaxPlainBytes)
    return fail(Code::kMalformed, where,
                fmt::format("{} has a text of {} bytes, expected at most {}", place, plain.size(),
                            kMaxPlainBytes));
  return Pattern(std::move(plain));
}

Status Pattern::find_all(std::string_view text, std::vector<Match>& out) const {
  if (const auto* regex = std::get_if<Regex>(&what_)) return regex->find_all(text, out);
  const std::string& wanted = *plain();
  size_t covered = 0;
  if (wanted.empty()) {
    // The empty text is found before each character and at the end.
    while (covered < text.size()) {
      const size_t next = covered + utf8_length(text[covered]);
      out.push_back({covered, covered, true});
      out.push_back({covered, next, false});
      covered = next;
    }
    out.push_back({covered, covered, true});
  } else {
    for (size_t found = text.find(wanted); found != std::string_view::npos;
         found = text.find(wanted, covered)) {
      if (found != covered) out.push_back({covered, found, false});
      covered = found + wanted.size();
      out.push_back({found, covered, true});
    }
  }
  if (covered != text.size()) out.push_back({covered, text.size(), false});
  return {};
}

}  // namespace legato::tokenizer
