#include "cli/parser.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/foreign_flags.h"
#include "cli/nearest_name.h"

// The only unit that sees CLI11, which costs seconds to compile.

namespace legato::cli {
namespace {

/// All spellings of an option in CLI11's notation.
std::string spellings(const OptionSpec& spec) {
  if (spec.positional()) return spec.name;
  std::vector<std::string> names = spec.aliases;
  names.insert(names.begin(), spec.name);
  if (spec.name.starts_with("--")) {
    const std::string camel = camel_case(spec.name);
    if (camel != spec.name) names.push_back(camel);
  }
  return CLI::detail::join(names, ",");
}

void assign_named(const OptionSpec& spec, const std::string& text) {
  try {
    spec.assign(text);
  } catch (const UsageError& error) {
    throw UsageError(spec.name + ": " + error.what());
  }
}

void declare(CLI::App& app, const OptionSpec& spec) {
  if (spec.value.empty() && !spec.positional()) {
    app.add_flag_callback(spellings(spec), [&spec] { assign_named(spec, ""); });
    return;
  }
  const auto assign_all = [&spec](const CLI::results_t& values) {
    if (!spec.repeated && values.size() > 1)
      throw UsageError(
          fmt::format("{} is given {} times, expected once", spec.name, values.size()));
    for (const std::string& value : values) assign_named(spec, value);
    return true;
  };
  CLI::Option* option = app.add_option(spellings(spec), assign_all);
  option->required(spec.required);
  if (spec.repeated || !spec.positional())
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  if (!spec.positional()) option->allow_extra_args(false)->expected(1);
}

/// The words from last to first, as CLI11 takes them. It reads "--name=" as a flag whose value is
/// yet to come; split in two, the value is the empty text.
std::vector<std::string> reversed(std::span<const char* const> words) {
  std::vector<std::string> out;
  bool only_positional = false;
  for (const std::string word : words) {
    only_positional = only_positional || word == "--";
    if (!only_positional && word.starts_with("--") && word.ends_with('=') &&
        word.find('=') == word.size() - 1) {
      out.insert(out.end(), {word.substr(0, word.size() - 1), ""});
    } else {
      out.push_back(word);
    }
  }
  std::reverse(out.begin(), out.end());
  return out;
}

std::vector<std::string> flag_names(const OptionSet& options) {
  std::vector<std::string> names;
  for (const OptionSpec& spec : options.specs()) {
    if (!spec.positional() && !spec.hidden) names.push_back(spec.name);
  }
  return names;
}

[[noreturn]] void refuse_flag(const OptionSet& options, const std::string& name) {
  std::string hint = equivalent_hint(name, options);
  if (hint.empty()) hint = did_you_mean(name, flag_names(options));
  throw UsageError(fmt::format("unknown flag {}{}", name, hint));
}

/// `extras`: what no option took, in the order of the command line, and the first "--".
void refuse_extras(const OptionSet& options, std::vector<std::string> extras) {
  const auto mark = std::find(extras.begin(), extras.end(), "--");
  if (mark != extras.end()) extras.erase(mark);
  if (extras.empty()) return;
  for (const std::string& word : extras) {
    if (word.size() < 2 || word.front() != '-' || word.find(' ') != std::string::npos) continue;
    refuse_flag(options, word.substr(0, word.find('=')));
  }
  const bool takes_text = std::any_of(
      options.specs().begin(), options.specs().end(),
      [](const OptionSpec& spec) { return spec.name == "PROMPT" || spec.name == "TEXT"; });
  const bool one = extras.size() == 1;
  throw UsageError(fmt::format("unexpected word{}: {}{}", one ? "" : "s", fmt::join(extras, " "),
                               takes_text ? "; quote a text of several words" : ""));
}

}  // namespace

bool parse_arguments(const OptionSet& options, std::span<const char* const> words) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  bool help = false;
  app.add_flag_callback("-h,--help", [&help] { help = true; });
  // Asking for help must work without the required arguments.
  for (const char* word : words) {
    if (std::string_view(word) == "--") break;
    if (std::string_view(word) == "--help" || std::string_view(word) == "-h") return false;
    if (is_foreign_cluster(word, options)) refuse_flag(options, word);
  }
  for (const OptionSpec& spec : options.specs()) declare(app, spec);
  try {
    app.parse(reversed(words));
    refuse_extras(options, app.remaining());
  } catch (const CLI::ArgumentMismatch& error) {
    // Its text begins with the option's name and a colon.
    const std::string text = error.what();
    const bool absent = text.ends_with("missing");
    throw UsageError(absent ? text.substr(0, text.find(':')) + " needs a value" : text);
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  return !help;
}

}  // namespace legato::cli
