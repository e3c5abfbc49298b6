#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "base/status.h"
#include "cli/command.h"
#include "cli/model_source.h"
#include "cli/text_input.h"

namespace legato::cli {
namespace {

/// In parts, so that the text of a long list is never in memory whole.
void print_ids(Console& console, std::span<const int32_t> ids) {
  constexpr size_t kPart = 1 << 16;
  for (size_t first = 0; first < ids.size(); first += kPart) {
    const size_t count = std::min(kPart, ids.size() - first);
    console.print(
        fmt::format("{}{}", first == 0 ? "" : ",", fmt::join(ids.subspan(first, count), ",")));
  }
  console.print("\n");
}

class Tokenize : public Command {
 public:
  std::string name() const override { return "tokenize"; }
  std::string summary() const override { return "turn text into token ids"; }
  std::string examples() const override {
    return "  legato tokenize models/tiny-tales \"Once upon a time\"\n"
           "  legato tokenize models/tiny-tales --text-file story.txt\n"
           "      ids, one list with commas; special tokens in the text are recognised\n"
           "  echo -n \"Hello\" | legato tokenize tiny.engine --special --json\n"
           "      from standard input, with the tokens that the model expects around a text\n";
  }

  void declare(OptionSet& options) override {
    options.text("MODEL", "", &model_, "an engine, a model folder or a GGUF file").required = true;
    options.text("TEXT", "", &text_, "the text; without it: standard input");
    options.text("--text-file", "F", &file_, "the text from a file, each byte of it");
    options.flag("--no-parse-special", &no_parse_special_,
                 "text that spells a special token stays text");
    options.flag("--special", &special_, "add the post-processor's tokens");
    options.flag("--json", &json_, "print one JSON object");
  }

  int run(Console& console) override {
    if (text_ && file_) throw UsageError("give TEXT or --text-file, not both");
    const Tokenizer tokenizer = load_tokenizer(*model_);
    const std::vector<int32_t> ids = value_or_throw(tokenizer.encode(
        read_input(console), {.parse_special = !no_parse_special_, .add_special = special_}));
    if (json_) {
      console.print_json({{"ids", ids}});
    } else {
      print_ids(console, ids);
    }
    return 0;
  }

 private:
  std::string read_input(Console& console) const {
    if (text_) return *text_;
    return file_ ? read_text(*file_, console) : read_standard_input(console);
  }

  std::optional<std::string> model_, text_, file_;
  bool no_parse_special_ = false, special_ = false, json_ = false;
};

}  // namespace

void register_tokenize(CommandRegistry& registry) { registry.add(std::make_unique<Tokenize>()); }

}  // namespace legato::cli
