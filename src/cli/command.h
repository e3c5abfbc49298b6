#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/options.h"

namespace legato::cli {

/// One sub-command. A file in commands/ registers it; nothing else is edited.
class Command {
 public:
  virtual ~Command() = default;
  virtual std::string name() const = 0;
  /// One line for the list of commands.
  virtual std::string summary() const = 0;
  /// Example calls with a word on each, for the end of the help.
  virtual std::string examples() const = 0;
  virtual void declare(OptionSet& options) = 0;
  /// After the options were parsed. Returns the exit code; throws UsageError (2) or Error (1).
  virtual int run(Console& console) = 0;
};

/// The sub-commands of this build, by name.
class CommandRegistry {
 public:
  void add(std::unique_ptr<Command> command) { commands_.push_back(std::move(command)); }
  const std::vector<std::unique_ptr<Command>>& all() const { return commands_; }
  /// Null when unknown.
  Command* find(const std::string& name) const;

 private:
  std::vector<std::unique_ptr<Command>> commands_;
};

}  // namespace legato::cli
