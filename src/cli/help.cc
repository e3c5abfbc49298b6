#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>

namespace legato::cli {
namespace {

constexpr size_t kNameColumn = 30;
constexpr size_t kWidth = 96;

/// "  name   text", the text wrapped beside the name.
std::string entry(const std::string& name, const std::string& text, size_t column) {
  std::string out = "  " + name;
  size_t position = out.size();
  if (position + 2 > column) {
    out += "\n";
    position = 0;
  }
  out.append(column - position, ' ');
  position = column;
  for (const std::string& word : split(text, ' ')) {
    if (position > column && position + 1 + word.size() > kWidth) {
      out += "\n" + std::string(column, ' ');
      position = column;
    }
    if (position > column) {
      out += ' ';
      ++position;
    }
    out += word;
    position += word.size();
  }
  return out + "\n";
}

std::string usage_line(const Command& command, const OptionSet& options) {
  std::string line = "usage: legato " + command.name();
  for (const OptionSpec& spec : options.specs()) {
    if (spec.positional()) line += spec.required ? " " + spec.name : " [" + spec.name + "]";
  }
  return line + " [flags]\n";
}

}  // namespace

std::string program_help(const CommandRegistry& commands) {
  std::string out =
      "Legato compiles a Transformer to an engine file and generates text from it.\n\n"
      "usage: legato COMMAND [arguments]\n\ncommands:\n";
  for (const auto& command : commands.all()) out += entry(command->name(), command->summary(), 16);
  out +=
      "\nlegato COMMAND --help explains a command; legato --version tells the version.\n"
      "Exit codes: 0 done, 1 failed (a file, an id, a prompt), 2 wrong command line.\n\n"
      "begin with:\n"
      "  legato run models/tiny-tales \"Once upon a time\"\n";
  return out;
}

std::string command_help(const Command& command, const OptionSet& options) {
  std::string out = command.summary() + "\n\n" + usage_line(command, options);
  std::string arguments;
  std::string flags;
  for (const OptionSpec& spec : options.specs()) {
    if (spec.hidden) continue;
    if (spec.positional()) {
      arguments += entry(spec.name, spec.doc, kNameColumn);
    } else {
      const std::string name = spec.value.empty() ? spec.name : spec.name + " " + spec.value;
      flags += entry(name, spec.doc, kNameColumn);
    }
  }
  flags += entry("--help", "this text", kNameColumn);
  if (!arguments.empty()) out += "\narguments:\n" + arguments;
  out += "\nflags:\n" + flags + "\nexamples:\n" + command.examples();
  return out;
}

}  // namespace legato::cli
