#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/status.h"
#include "cli/command.h"
#include "cli/model_source.h"
#include "cli/text_input.h"

namespace legato::cli {
namespace {

class Detokenize : public Command {
 public:
  std::string name() const override { return "detokenize"; }
  std::string summary() const override { return "turn token ids into text"; }
  std::string examples() const override {
    return "  legato detokenize models/tiny-tales --ids 317,259,12\n"
           "  legato detokenize tiny.engine --ids 0,317 --skip-special\n"
           "      without special tokens such as <|endoftext|>\n"
           "  legato tokenize tiny.engine \"A king\" | legato detokenize tiny.engine\n";
  }

  void declare(OptionSet& options) override {
    options.text("MODEL", "", &model_, "an engine, a model folder or a GGUF file").required = true;
    options.text("IDS", "", &given_, "the token ids, as 1,2,3; without them: standard input");
    options.text("--ids", "1,2,3", &ids_, "the same");
    options.text("--ids-file", "F", &file_, "the token ids as text in a file");
    options.flag("--skip-special", &skip_special_, "leave special tokens out");
    options.flag("--json", &json_, "print one JSON object");
  }

  int run(Console& console) override {
    const int sources = int(given_.has_value()) + int(ids_.has_value()) + int(file_.has_value());
    if (sources > 1) throw UsageError("give one of IDS, --ids and --ids-file");
    const Tokenizer tokenizer = load_tokenizer(*model_);
    const std::string text = value_or_throw(tokenizer.decode(read_ids(console), skip_special_));
    if (json_) {
      console.print_json({{"text", text}});
    } else {
      console.print(text + "\n");
    }
    return 0;
  }

 private:
  std::vector<int32_t> read_ids(Console& console) const {
    if (given_) return parse_ids(*given_, "IDS");
    if (ids_) return parse_ids(*ids_);
    if (file_) return parse_ids(read_text(*file_, console), *file_);
    return parse_ids(read_standard_input(console), "standard input");
  }

  std::optional<std::string> model_, given_, ids_, file_;
  bool skip_special_ = false, json_ = false;
};

}  // namespace

void register_detokenize(CommandRegistry& registry) {
  registry.add(std::make_unique<Detokenize>());
}

}  // namespace legato::cli
