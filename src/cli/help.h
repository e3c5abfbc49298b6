#pragma once

#include <string>

#include "cli/command.h"

namespace legato::cli {

/// What `legato --help` prints: what it is, the commands, where to begin.
std::string program_help(const CommandRegistry& commands);
/// What `legato COMMAND --help` prints: arguments, flags, examples.
std::string command_help(const Command& command, const OptionSet& options);

}  // namespace legato::cli
