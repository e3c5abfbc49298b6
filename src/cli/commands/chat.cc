#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "base/status.h"
#include "cli/chat_flags.h"
#include "cli/chat_history.h"
#include "cli/command.h"
#include "cli/generate.h"
#include "cli/interrupt.h"
#include "cli/line_reader.h"
#include "cli/model_source.h"
#include "cli/sampling_flags.h"
#include "cli/session_flags.h"

namespace legato::cli {
namespace {

constexpr int64_t kDefaultMaxTokens = 1024;
/// A model's own context may be a million tokens, whose cache is taken at once.
constexpr int64_t kDefaultMaxLen = 8192;

/// A conversation whose cache holds what was said: of each prompt only what is new is computed.
class Conversation {
 public:
  Conversation(Session& session, GenerateOptions options, ChatOptions chat,
               std::optional<std::string> system, Console& console)
      : session_(&session),
        sequence_(session.open_sequence()),
        options_(std::move(options)),
        chat_(std::move(chat)),
        history_(std::move(system)),
        console_(&console) {}

  /// Answers while it streams. Throws Error and leaves the history as it was when it can't.
  Generation answer(const std::string& question) {
    history_.add_user(question);
    try {
      const std::vector<int32_t> prompt = fitting_prompt();
      keep_common_prefix(prompt);
      reused_ = sequence_.length();
      Generation generation = generate(*session_, sequence_, prompt, options_);
      history_.add_assistant(generation.text);
      return generation;
    } catch (const Error&) {
      history_.pop();
      throw;
    }
  }

  void forget() { history_.clear(); }
  /// Positions that the last answer's prompt found in the cache.
  int64_t reused() const { return reused_; }

 private:
  /// The prompt of the whole conversation; oldest turns are dropped until an answer fits too.
  std::vector<int32_t> fitting_prompt() {
    const int64_t limit = session_->options().max_context;
    const int64_t answer_room = std::min(options_.max_tokens, std::max<int64_t>(limit / 4, 1));
    int64_t dropped = 0;
    while (true) {
      std::vector<int32_t> ids =
          value_or_throw(options_.tokenizer->encode_chat(history_.to_json(), chat_));
      const bool fits = static_cast<int64_t>(ids.size()) + answer_room <= limit;
      if (fits || !history_.drop_oldest_turn()) {
        if (dropped > 0) {
          console_->note(fmt::format("the context of {} is full: the oldest {} {} dropped",
                                     counted(limit, "token"), counted(dropped, "turn"),
                                     dropped == 1 ? "was" : "were"));
        }
        return ids;
      }
      ++dropped;
    }
  }

  /// Forgets what the cache holds beyond the common beginning; the last token is always computed,
  /// since its logits are needed.
  void keep_common_prefix(const std::vector<int32_t>& prompt) {
    const std::span<const int32_t> cached = sequence_.tokens();
    const auto [mine, theirs] =
        std::mismatch(prompt.begin(), prompt.end(), cached.begin(), cached.end());
    const auto common = static_cast<int64_t>(mine - prompt.begin());
    const int64_t keep = std::min(common, static_cast<int64_t>(prompt.size()) - 1);
    throw_if_failed(sequence_.truncate(std::max<int64_t>(keep, 0)));
  }

  Session* session_;
  Sequence sequence_;
  GenerateOptions options_;
  ChatOptions chat_;
  ChatHistory history_;
  Console* console_;
  int64_t reused_ = 0;
};

class Chat : public Command {
 public:
  std::string name() const override { return "chat"; }
  std::string summary() const override { return "talk with a model"; }
  std::string examples() const override {
    return "  legato chat models/tiny-tales\n"
           "      type a line, read the answer; Ctrl-C stops an answer, /exit or Ctrl-D leaves,\n"
           "      /reset begins a new conversation\n"
           "  legato chat tiny.engine --system \"You are brief.\" --temperature 0.7 --stats\n"
           "  printf 'Hello\\nTell me more\\n' | legato chat tiny.engine --temperature 0\n";
  }

  void declare(OptionSet& options) override {
    options.text("MODEL", "", &model_, "an engine, a model folder or a GGUF file").required = true;
    options.text("--system", "TEXT", &system_, "a message that stands before the conversation");
    OptionSpec& most = options.integer(
        "--max-tokens", "N", &max_tokens_, kCount,
        fmt::format("most tokens of an answer (-n); default {}", kDefaultMaxTokens));
    most.aliases = {"-n"};
    chat_.declare(options);
    sampling_.declare(options);
    session_.declare(options, fmt::format("positions of the conversation; default: the smaller of "
                                          "the model's context and {}",
                                          kDefaultMaxLen));
    options.flag("--stats", &stats_, "print rates and reused tokens after each answer");
  }

  int run(Console& console) override {
    const Engine engine = load_model(*model_, session_, console);
    Tokenizer tokenizer = engine_tokenizer(engine, *model_, "use legato run with --ids");
    if (!tokenizer.has_chat_template() && !chat_.has_template()) {
      throw Error(Code::kNotFound, *model_,
                  "has no chat template; use legato run, or give --chat-template");
    }
    ChatOptions chat = chat_.options(console);
    Session session =
        open_session(engine, session_.session_options(engine.info(), 1, kDefaultMaxLen));
    InterruptGuard interrupt;
    GenerateOptions options;
    options.sampling = sampling_.params(engine.info());
    options.max_tokens = max_tokens_.value_or(kDefaultMaxTokens);
    options.stop_strings = sampling_.stop_strings();
    options.tokenizer = std::move(tokenizer);
    options.on_text = [&](std::string_view text) { console.print(text); };
    options.interrupt = &interrupt;
    Conversation conversation(session, std::move(options), std::move(chat), system_, console);
    talk(conversation, interrupt, console);
    // A script that pipes questions and gets no answer at all has failed.
    return answered_ == 0 && failed_ > 0 && !console.input_is_terminal() ? 1 : 0;
  }

 private:
  void talk(Conversation& conversation, InterruptGuard& interrupt, Console& console) {
    const bool interactive = console.input_is_terminal() && console.output_is_terminal();
    if (interactive) console.print_aside("/exit or Ctrl-D leaves, Ctrl-C stops an answer\n");
    LineReader reader(interrupt);
    std::string line;
    while (true) {
      if (interactive) console.print("> ");
      const LineReader::Outcome outcome = reader.read(line);
      if (outcome == LineReader::Outcome::kInterrupted) {
        (void)interrupt.take();
        if (interactive) console.print("\n");
        continue;
      }
      if (outcome == LineReader::Outcome::kEnd || line == "/exit" || line == "/quit") {
        if (interactive && outcome == LineReader::Outcome::kEnd) console.print("\n");
        return;
      }
      if (line.empty()) continue;
      if (line == "/reset") {
        conversation.forget();
        continue;
      }
      answer(conversation, line, interrupt, console);
    }
  }

  void answer(Conversation& conversation, const std::string& line, InterruptGuard& interrupt,
              Console& console) {
    (void)interrupt.take();
    try {
      const Generation generation = conversation.answer(line);
      ++answered_;
      console.print("\n");
      if (generation.reason == FinishReason::kInterrupted) console.note("stopped");
      if (generation.reason == FinishReason::kContextFull) {
        console.note("the context is full: the answer ends here");
      }
      if (stats_) print_stats(console, generation, conversation.reused());
    } catch (const Error& error) {
      ++failed_;
      console.error(error.what());
    }
  }

  static void print_stats(Console& console, const Generation& generation, int64_t reused) {
    const auto rate = [](double count, double seconds) {
      return seconds > 0 ? count / seconds : 0;
    };
    console.note(fmt::format(
        "{} reused, {} computed at {:.0f} tokens/s; {} generated at {:.1f} tokens/s",
        counted(reused, "token"), generation.prompt_tokens,
        rate(static_cast<double>(generation.prompt_tokens), generation.prefill_seconds),
        generation.ids.size(),
        rate(static_cast<double>(generation.ids.size()) - 1, generation.decode_seconds)));
  }

  std::optional<std::string> model_, system_;
  std::optional<int64_t> max_tokens_;
  int64_t answered_ = 0, failed_ = 0;
  bool stats_ = false;
  ChatFlags chat_;
  SamplingFlags sampling_;
  SessionFlags session_;
};

}  // namespace

void register_chat(CommandRegistry& registry) { registry.add(std::make_unique<Chat>()); }

}  // namespace legato::cli
