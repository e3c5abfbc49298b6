#include <nlohmann/json.hpp>

#include "base/status.h"
#include "cli/chat_flags.h"
#include "cli/command.h"
#include "cli/model_source.h"
#include "cli/text_input.h"

namespace legato::cli {
namespace {

class Render : public Command {
 public:
  std::string name() const override { return "render"; }
  std::string summary() const override { return "apply a model's chat template to messages"; }
  std::string examples() const override {
    return "  legato render models/tiny-tales --messages chat.json --add-generation-prompt\n"
           "      chat.json: [{\"role\": \"user\", \"content\": \"Who are you?\"}]\n";
  }

  void declare(OptionSet& options) override {
    options.text("MODEL", "", &model_, "an engine, a model folder or a GGUF file").required = true;
    options.text("--messages", "F.json", &messages_, "a JSON list of messages").required = true;
    chat_.declare(options);
    options.flag("--add-generation-prompt", &add_generation_prompt_,
                 "end with what makes the model answer");
    options.flag("--json", &json_, "print one JSON object");
  }

  int run(Console& console) override {
    const Tokenizer tokenizer = load_tokenizer(*model_);
    ChatOptions options = chat_.options(console);
    options.add_generation_prompt = add_generation_prompt_;
    const std::string text =
        value_or_throw(tokenizer.render_chat(read_text(*messages_, console), options));
    if (json_) {
      console.print_json({{"text", text}});
    } else {
      console.print(text);
    }
    return 0;
  }

 private:
  std::optional<std::string> model_, messages_;
  ChatFlags chat_;
  bool add_generation_prompt_ = false, json_ = false;
};

}  // namespace

void register_render(CommandRegistry& registry) { registry.add(std::make_unique<Render>()); }

}  // namespace legato::cli
