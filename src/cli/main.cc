#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <set>
#include <span>
#include <string>

#include "base/log.h"
#include "base/status.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/lost_pages.h"
#include "cli/nearest_name.h"
#include "cli/parser.h"
#include "legato/version.h"

namespace legato::cli {

void register_all_commands(CommandRegistry& registry);

Command* CommandRegistry::find(const std::string& name) const {
  for (const auto& command : commands_) {
    if (command->name() == name) return command.get();
  }
  return nullptr;
}

namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

bool is_planned(const std::string& name) {
  return name == "serve" || name == "calibrate" || name == "simulate";
}

Command& find_command(const CommandRegistry& registry, const std::string& name) {
  if (is_planned(name)) throw UsageError(name + ": not supported yet");
  if (Command* command = registry.find(name)) return *command;
  std::vector<std::string> names;
  for (const auto& command : registry.all()) names.push_back(command->name());
  throw UsageError(fmt::format("unknown command \"{}\"{}; legato --help lists them", name,
                               did_you_mean(name, names)));
}

int run_command(Command& command, std::span<const char* const> words, Console& console) {
  OptionSet options;
  command.declare(options);
  if (!parse_arguments(options, words)) {
    console.print(command_help(command, options));
    return 0;
  }
  return command.run(console);
}

int dispatch(std::span<const char* const> words, Console& console) {
  CommandRegistry registry;
  register_all_commands(registry);
  if (words.empty()) {
    console.print_aside(program_help(registry));
    return kExitUsage;
  }
  const std::string first = words[0];
  if (first == "--help" || first == "-h" || first == "help") {
    if (words.size() < 2) {
      console.print(program_help(registry));
      return 0;
    }
    const char* const help[] = {"--help"};
    return run_command(find_command(registry, words[1]), help, console);
  }
  if (first == "--version") {
    console.print(fmt::format("legato {}\n", version()));
    return 0;
  }
  Command& command = find_command(registry, first);
  try {
    return run_command(command, words.subspan(1), console);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}; see legato {} --help", first, error.what(), first));
  }
}

int run(int argc, char** argv) {
  Console console;
  // A command may read a file more than once, and each reading says the same of it.
  set_log_sink([&console, said = std::set<std::string>()](const std::string& line) mutable {
    if (said.insert(line).second) console.warn(line);
  });
  const std::span<const char* const> words(argv + 1, static_cast<size_t>(argc > 0 ? argc - 1 : 0));
  try {
    return dispatch(words, console);
  } catch (const UsageError& error) {
    console.error(error.what());
    return kExitUsage;
  } catch (const Error& error) {
    console.error(error.what());
  } catch (const std::bad_alloc&) {
    console.error("out of memory");
  } catch (const std::exception& error) {
    console.error(fmt::format("internal error: {}", error.what()));
  }
  return kExitFailed;
}

/// A closed standard stream must not become the number of a file that is opened later: what is
/// printed would land in an engine. Reads and writes of the stand-in fail as on a closed one.
void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    const int null = ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (null != stream) std::exit(kExitFailed);
  }
}

}  // namespace
}  // namespace legato::cli

int main(int argc, char** argv) {
  legato::cli::occupy_standard_streams();
  // A file above the process's limit is an error of the write, which then cleans up.
  std::signal(SIGXFSZ, SIG_IGN);
  legato::cli::report_lost_pages();
  return legato::cli::run(argc, argv);
}
