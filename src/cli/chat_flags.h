#pragma once

#include <optional>
#include <string>

#include "cli/console.h"
#include "cli/options.h"
#include "legato/text.h"

namespace legato::cli {

/// The flags about how messages become a prompt.
class ChatFlags {
 public:
  /// --tools, --template-vars and --chat-template.
  void declare(OptionSet& options);
  /// Reads the files. Throws Error.
  ChatOptions options(Console& console) const;
  bool given() const { return tools_ || variables_ || template_; }
  bool has_template() const { return template_.has_value(); }

 private:
  std::optional<std::string> tools_, variables_, template_;
};

}  // namespace legato::cli
