#include "cli/options.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

namespace legato::cli {

OptionSpec& OptionSet::add(OptionSpec spec) { return specs_.emplace_back(std::move(spec)); }

OptionSpec& OptionSet::flag(std::string name, bool* target, std::string doc) {
  OptionSpec spec{.name = std::move(name), .doc = std::move(doc)};
  spec.assign = [target](const std::string&) { *target = true; };
  return add(std::move(spec));
}

OptionSpec& OptionSet::text(std::string name, std::string value, std::optional<std::string>* target,
                            std::string doc) {
  OptionSpec spec{.name = std::move(name), .value = std::move(value), .doc = std::move(doc)};
  spec.assign = [target](const std::string& text) { *target = text; };
  return add(std::move(spec));
}

OptionSpec& OptionSet::texts(std::string name, std::string value, std::vector<std::string>* target,
                             std::string doc) {
  OptionSpec spec{.name = std::move(name), .value = std::move(value), .doc = std::move(doc)};
  spec.repeated = true;
  spec.assign = [target](const std::string& text) { target->push_back(text); };
  return add(std::move(spec));
}

OptionSpec& OptionSet::integer(std::string name, std::string value, std::optional<int64_t>* target,
                               Range<int64_t> range, std::string doc) {
  OptionSpec spec{.name = std::move(name), .value = std::move(value), .doc = std::move(doc)};
  spec.assign = [target, range](const std::string& text) { *target = parse_integer(text, range); };
  return add(std::move(spec));
}

OptionSpec& OptionSet::number(std::string name, std::string value, std::optional<double>* target,
                              Range<double> range, std::string doc) {
  OptionSpec spec{.name = std::move(name), .value = std::move(value), .doc = std::move(doc)};
  spec.assign = [target, range](const std::string& text) { *target = parse_number(text, range); };
  return add(std::move(spec));
}

OptionSpec& OptionSet::choice(std::string name, std::vector<std::string> choices,
                              std::optional<std::string>* target, std::string doc) {
  const std::string list = fmt::format("{}", fmt::join(choices, "|"));
  OptionSpec spec{.name = std::move(name), .value = list, .doc = std::move(doc)};
  spec.assign = [target, list, choices = std::move(choices)](const std::string& text) {
    for (const std::string& choice : choices) {
      if (choice == text) {
        *target = text;
        return;
      }
    }
    throw UsageError(fmt::format("expected one of {}, got \"{}\"", list, text));
  };
  return add(std::move(spec));
}

void OptionSet::unsupported(const std::string& name, const std::string& value,
                            const std::string& instead) {
  OptionSpec spec{.name = name, .value = value, .hidden = true};
  spec.assign = [instead](const std::string&) {
    throw UsageError("not supported yet" + (instead.empty() ? "" : "; " + instead));
  };
  add(std::move(spec));
}

int64_t parse_integer(const std::string& text, Range<int64_t> range) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < range.low || value > range.high) {
    throw UsageError(
        fmt::format("expected an integer from {} to {}, got \"{}\"", range.low, range.high, text));
  }
  return value;
}

double parse_number(const std::string& text, Range<double> range) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool whole = error == std::errc() && stop == end && std::isfinite(value);
  if (!whole || value < range.low || value > range.high) {
    throw UsageError(
        fmt::format("expected a number from {} to {}, got \"{}\"", range.low, range.high, text));
  }
  return value;
}

std::vector<int64_t> parse_integer_list(const std::string& text, Range<int64_t> range) {
  std::vector<int64_t> values;
  for (const std::string& part : split(text, ',')) values.push_back(parse_integer(part, range));
  return values;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (true) {
    const size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string camel_case(std::string_view kebab) {
  std::string camel;
  for (size_t i = 0; i < kebab.size(); ++i) {
    const bool joins = kebab[i] == '-' && i >= 2 && i + 1 < kebab.size();
    if (joins) ++i;
    const auto letter = static_cast<unsigned char>(kebab[i]);
    camel.push_back(static_cast<char>(joins ? std::toupper(letter) : letter));
  }
  return camel;
}

}  // namespace legato::cli
