#include "cli/chat_flags.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/status.h"
#include "cli/text_input.h"

namespace legato::cli {

void ChatFlags::declare(OptionSet& options) {
  options.text("--tools", "F.json", &tools_, "a JSON list of tools for the chat template");
  OptionSpec variables{.name = "--template-vars", .value = "JSON"};
  variables.doc = "further variables of the chat template, as {\"enable_thinking\": false}";
  variables.assign = [this](const std::string& text) {
    const Result<Json> json = parse_json(text, "--template-vars");
    if (!json.ok() || !json->is_object()) {
      throw UsageError(fmt::format("expected a JSON object, got \"{}\"", text));
    }
    variables_ = text;
  };
  options.add(variables);
  options.text("--chat-template", "FILE", &template_,
               "a chat template (Jinja) instead of the model's");
}

ChatOptions ChatFlags::options(Console& console) const {
  ChatOptions options;
  if (tools_) options.tools_json = read_text(*tools_, console);
  if (variables_) options.variables_json = *variables_;
  if (template_) {
    options.chat_template = read_text(*template_, console);
    if (options.chat_template.empty()) {
      throw Error(Code::kInvalidArgument, *template_, "is empty, expected a chat template");
    }
  }
  return options;
}

}  // namespace legato::cli
