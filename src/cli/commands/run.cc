#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/status.h"
#include "cli/chat_flags.h"
#include "cli/command.h"
#include "cli/generate.h"
#include "cli/model_source.h"
#include "cli/sampling_flags.h"
#include "cli/session_flags.h"
#include "cli/text_input.h"

namespace legato::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// A longer prompt can't fit, and isn't worth the memory that tokenizing it takes.
constexpr int64_t kMaxTokenBytes = 64;
constexpr int64_t kMinPromptBytes = 4 << 20;
constexpr int64_t kDefaultMaxTokens = 256;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Json logprobs_json(const Generation& generation, const std::optional<Tokenizer>& tokenizer) {
  const auto describe = [&](int32_t id, double logprob) {
    Json entry{{"id", id}, {"logprob", logprob}};
    if (tokenizer) entry["token"] = tokenizer->token_bytes(id);
    return entry;
  };
  Json list = Json::array();
  for (const Sample& sample : generation.samples) {
    Json entry = describe(sample.id, sample.logprob);
    entry["top"] = Json::array();
    for (const TokenLogprob& rival : sample.top) {
      entry["top"].push_back(describe(rival.id, rival.logprob));
    }
    list.push_back(std::move(entry));
  }
  return list;
}

double rate(int64_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

class Run : public Command {
 public:
  std::string name() const override { return "run"; }
  std::string summary() const override { return "continue a prompt, or answer messages"; }
  std::string examples() const override {
    return "  legato run models/tiny-tales \"Once upon a time\"\n"
           "      builds an engine into the cache the first time, then tells a story\n"
           "  legato run tiny.engine -f prompt.txt --max-tokens 500 --temperature 0.8 --seed 7\n"
           "      a prompt from a file; the same seed gives the same text\n"
           "  echo \"The fox\" | legato run tiny.engine --temperature 0 --stats\n"
           "      a prompt from standard input; always the likeliest token; times at the end\n"
           "  legato run tiny.engine --messages chat.json --json\n"
           "      chat.json: [{\"role\": \"user\", \"content\": \"Who are you?\"}]\n";
  }

  void declare(OptionSet& options) override {
    options.text("MODEL", "", &model_, "an engine, a model folder or a GGUF file").required = true;
    options.text("PROMPT", "", &prompt_, "text to continue; without it: standard input");
    OptionSpec& named = options.text("--prompt", "PROMPT", &named_prompt_, "the same (-p)");
    named.aliases = {"-p"};
    OptionSpec& file = options.text(
        "--file", "FILE", &file_,
        "read the prompt from FILE (-f), without the line end at its end; -: standard input");
    file.aliases = {"-f"};
    options.text("--ids", "1,2,3", &ids_, "token ids instead of a prompt");
    options.text("--messages", "F.json", &messages_, "chat messages instead of a prompt");
    chat_.declare(options);
    OptionSpec& most = options.integer(
        "--max-tokens", "N", &max_tokens_, kCount,
        fmt::format("most tokens to generate (-n); default {}, or what the context still holds",
                    kDefaultMaxTokens));
    most.aliases = {"-n"};
    sampling_.declare(options);
    sampling_.declare_logprobs(options);
    options.flag("--parse-special", &parse_special_,
                 "text of the prompt that spells a special token becomes that token");
    options.flag("--no-add-special", &no_add_special_,
                 "don't add the tokens that the model expects around a text");
    session_.declare(options);
    options.flag("--stats", &stats_, "print times and rates at the end");
    options.flag("--json", &json_, "print one JSON object instead of the text");
  }

  int run(Console& console) override {
    check_usage();
    const Clock::time_point start = Clock::now();
    const Engine engine = load_model(*model_, session_, console);
    const double load_ms = ms_since(start);
    GenerateOptions options;
    if (engine.info().has_tokenizer) options.tokenizer = value_or_throw(engine.tokenizer());
    const std::vector<int32_t> prompt = prompt_ids(engine, console);
    options.sampling = sampling_.params(engine.info());
    options.max_tokens = max_tokens_.value_or(default_max_tokens(prompt, engine.info()));
    options.stop_strings = sampling_.stop_strings();
    if (!options.stop_strings.empty() && !options.tokenizer) {
      throw Error(Code::kNotFound, *model_, "has no tokenizer inside, so --stop can't work");
    }
    if (!json_) options.on_text = [&](std::string_view text) { console.print(text); };
    const int64_t needed = static_cast<int64_t>(prompt.size()) + options.max_tokens;
    Session session = open_session(engine, session_.session_options(engine.info(), 1, needed));
    Sequence sequence = session.open_sequence();
    const Generation generation = generate(session, sequence, prompt, options);
    report(console, session, options, prompt, generation, load_ms);
    if (generation.reason == FinishReason::kContextFull) {
      throw Error(Code::kResourceExhausted, "context",
                  fmt::format("is full: it holds {} ({} of the prompt), so the text ends "
                              "after {} of {}",
                              counted(session.options().max_context, "position"), prompt.size(),
                              generation.ids.size(), counted(options.max_tokens, "token")));
    }
    return 0;
  }

 private:
  void check_usage() {
    if (prompt_ && named_prompt_) throw UsageError("give PROMPT or --prompt, not both");
    if (named_prompt_) prompt_ = named_prompt_;
    const int sources = int(prompt_.has_value()) + int(file_.has_value()) + int(ids_.has_value()) +
                        int(messages_.has_value());
    if (sources > 1) throw UsageError("give one of PROMPT, -f, --ids and --messages");
    if ((ids_ || messages_) && (parse_special_ || no_add_special_)) {
      throw UsageError("--parse-special and --no-add-special belong to a prompt of text");
    }
    if (!messages_ && chat_.given()) {
      throw UsageError("--tools, --template-vars and --chat-template need --messages");
    }
    if (sampling_.wants_logprobs() && !json_) throw UsageError("--logprobs needs --json");
  }

  /// What was not asked for can't be missing: the default ends where the context does. The last
  /// token takes no position.
  int64_t default_max_tokens(const std::vector<int32_t>& prompt, const EngineInfo& info) const {
    const int64_t room = session_.longest_context(info) - static_cast<int64_t>(prompt.size()) + 1;
    return std::clamp<int64_t>(room, 1, kDefaultMaxTokens);
  }

  std::vector<int32_t> prompt_ids(const Engine& engine, Console& console) const {
    if (ids_) return parse_ids(*ids_);
    const Tokenizer tokenizer = engine_tokenizer(engine, *model_, "give the prompt as --ids");
    if (messages_) {
      return value_or_throw(
          tokenizer.encode_chat(read_text(*messages_, console), chat_.options(console)));
    }
    const std::string text =
        prompt_ ? *prompt_
                : prompt_of(file_ ? read_text(*file_, console) : read_standard_input(console));
    if (text.empty()) throw Error(Code::kInvalidArgument, "prompt", "is empty");
    const int64_t limit = std::max(kMinPromptBytes, engine.info().max_context * kMaxTokenBytes);
    if (static_cast<int64_t>(text.size()) > limit) {
      throw Error(
          Code::kResourceExhausted, "prompt",
          fmt::format("has {}, a context of {} takes at most {}", counted(text.size(), "byte"),
                      counted(engine.info().max_context, "token"), limit));
    }
    return value_or_throw(
        tokenizer.encode(text, {.parse_special = parse_special_, .add_special = !no_add_special_}));
  }

  void report(Console& console, const Session& session, const GenerateOptions& options,
              const std::vector<int32_t>& prompt, const Generation& generation,
              double load_ms) const {
    const auto generated = static_cast<int64_t>(generation.ids.size());
    if (json_) {
      Json object{{"prompt_ids", prompt},
                  {"token_ids", generation.ids},
                  {"text", generation.text},
                  {"finish_reason", finish_reason_name(generation.reason)},
                  {"seed", options.sampling.seed}};
      object["stats"] = {{"load_ms", load_ms},
                         {"prefill_ms", generation.prefill_seconds * 1e3},
                         {"decode_ms", generation.decode_seconds * 1e3},
                         {"prompt_tokens", prompt.size()},
                         {"generated_tokens", generated},
                         {"kv_bytes", session.memory().kv_bytes}};
      if (options.sampling.num_logprobs >= 0) {
        object["logprobs"] = logprobs_json(generation, options.tokenizer);
      }
      console.print_json(object);
    } else if (options.tokenizer) {
      if (!generation.text.ends_with('\n')) console.print("\n");
    } else {
      console.print(fmt::format("{}\n", fmt::join(generation.ids, ",")));
    }
    if (stats_) print_stats(console, options, generation, load_ms);
  }

  static void print_stats(Console& console, const GenerateOptions& options,
                          const Generation& generation, double load_ms) {
    // The first token comes with the prefill; the clock of decode runs over the others.
    const int64_t decoded = static_cast<int64_t>(generation.ids.size()) - 1;
    console.print_aside(fmt::format(
        "\nload     {:9.1f} ms\nprefill  {:9.1f} ms  {}, {:.1f} tokens/s\n"
        "decode   {:9.1f} ms  {}, {:.1f} tokens/s\nseed     {}\n",
        load_ms, generation.prefill_seconds * 1e3, counted(generation.prompt_tokens, "token"),
        rate(generation.prompt_tokens, generation.prefill_seconds), generation.decode_seconds * 1e3,
        counted(decoded + 1, "token"), rate(decoded, generation.decode_seconds),
        options.sampling.seed));
  }

  std::optional<std::string> model_, prompt_, named_prompt_, file_, ids_, messages_;
  std::optional<int64_t> max_tokens_;
  bool parse_special_ = false, no_add_special_ = false, stats_ = false, json_ = false;
  ChatFlags chat_;
  SamplingFlags sampling_;
  SessionFlags session_;
};

}  // namespace

void register_run(CommandRegistry& registry) { registry.add(std::make_unique<Run>()); }

}  // namespace legato::cli
