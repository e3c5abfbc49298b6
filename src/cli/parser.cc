#include "cli/parser.h"

#include <CLI/CLI.hpp>
#include <algorithm>

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
    for (const std::string& value : values) assign_named(spec, value);
    return true;
  };
  CLI::Option* option = app.add_option(spellings(spec), assign_all);
  option->required(spec.required);
  if (spec.repeated) {
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (!spec.positional()) option->allow_extra_args(false)->expected(1);
  }
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

}  // namespace

bool parse_arguments(const OptionSet& options, std::span<const char* const> words) {
  CLI::App app;
  app.set_help_flag();
  bool help = false;
  app.add_flag_callback("-h,--help", [&help] { help = true; });
  // Asking for help must work without the required arguments.
  for (const char* word : words) {
    if (std::string_view(word) == "--") break;
    if (std::string_view(word) == "--help" || std::string_view(word) == "-h") return false;
  }
  for (const OptionSpec& spec : options.specs()) declare(app, spec);
  try {
    app.parse(reversed(words));
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  return !help;
}

}  // namespace legato::cli
