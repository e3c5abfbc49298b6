#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/file.h"
#include "base/status.h"
#include "cli/command.h"
#include "cli/likelihood.h"
#include "cli/model_source.h"
#include "cli/output_path.h"
#include "cli/session_flags.h"
#include "cli/text_input.h"

namespace legato::cli {
namespace {

constexpr int64_t kDefaultWindow = 1024;
constexpr uint64_t kMaxIdFileBytes = 1u << 30;

std::vector<int32_t> read_id_file(const std::string& path, int64_t vocab_size) {
  const std::string bytes = value_or_throw(read_file(path, kMaxIdFileBytes));
  if (bytes.size() % 2 != 0) {
    throw Error(Code::kMalformed, path,
                fmt::format("has {}, expected 16-bit ids", counted(bytes.size(), "byte")));
  }
  std::vector<int32_t> ids(bytes.size() / 2);
  for (size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<uint8_t>(bytes[2 * i]) | static_cast<uint8_t>(bytes[2 * i + 1]) << 8;
    if (ids[i] >= vocab_size) {
      throw Error(Code::kInvalidArgument, path,
                  fmt::format("id {} at byte {}, expected 0 to {}", ids[i], 2 * i, vocab_size - 1));
    }
  }
  return ids;
}

void write_id_file(const std::string& path, const std::vector<int32_t>& ids) {
  AtomicFile file = value_or_throw(AtomicFile::create(path));
  std::string bytes;
  for (const int32_t id : ids) {
    if (id > 0xffff) {
      throw Error(Code::kInvalidArgument, path, fmt::format("id {} does not fit 16 bits", id));
    }
    bytes.push_back(static_cast<char>(id & 0xff));
    bytes.push_back(static_cast<char>(id >> 8));
  }
  throw_if_failed(file.write(std::as_bytes(std::span(bytes))));
  throw_if_failed(file.commit());
}

class Eval : public Command {
 public:
  std::string name() const override { return "eval"; }
  std::string summary() const override { return "measure the perplexity of a text"; }
  std::string examples() const override {
    return "  legato eval tiny.engine --text story.txt\n"
           "      windows of 1024 tokens, every position but a window's first is scored\n"
           "  legato eval tiny.engine --ids ids.bin --window 512 --score-from 256 --max-windows "
           "20\n"
           "      ids.bin: 16-bit little-endian token ids; score the second half of each window\n";
  }

  void declare(OptionSet& options) override {
    options.text("MODEL", "", &model_, "an engine, a model folder or a GGUF file").required = true;
    options.text("--ids", "FILE.bin", &ids_, "16-bit little-endian token ids");
    options.text("--text", "FILE", &text_, "a text instead");
    options.flag("--no-special", &no_special_,
                 "text that spells a special token stays text (--text)");
    options.text("--dump-ids", "FILE", &dump_, "write the text's ids as --ids reads them");
    options.integer(
        "--window", "W", &window_, {2, 1 << 24},
        fmt::format("tokens of a window; default {}, at most the context", kDefaultWindow));
    options.integer("--score-from", "K", &score_from_, {1, 1 << 24},
                    "first position of a window that is scored; default 1");
    options.integer("--max-windows", "N", &max_windows_, kCount, "stop after so many windows");
    session_.declare(options);
    options.flag("--json", &json_, "print one JSON object");
  }

  int run(Console& console) override {
    if (ids_.has_value() == text_.has_value()) throw UsageError("give --ids or --text");
    if (ids_ && (dump_ || no_special_)) throw UsageError("--dump-ids and --no-special need --text");
    const int64_t score_from = score_from_.value_or(1);
    check_score_from(score_from, window_.value_or(kDefaultWindow));
    if (dump_) check_output(*dump_, {resolve_source(*model_), ids_ ? *ids_ : *text_});
    int64_t window = 0;
    const Engine engine = load_model(*model_, session_, console, [&](const EngineInfo& info) {
      const int64_t context = session_.longest_context(info);
      window = window_.value_or(std::min(kDefaultWindow, context));
      if (window > context) {
        throw UsageError(fmt::format("--window: {} is above the context of {}", window, context));
      }
      check_score_from(score_from, window);
    });
    const std::vector<int32_t> ids = load_ids(engine, console);
    int64_t windows = static_cast<int64_t>(ids.size()) / window;
    if (max_windows_) windows = std::min(windows, *max_windows_);
    if (windows == 0) {
      throw Error(Code::kInvalidArgument, ids_ ? *ids_ : *text_,
                  fmt::format("has {}, a window needs {}; give a smaller --window",
                              counted(ids.size(), "token"), window));
    }
    const Likelihood sum = score(engine, ids, window, score_from, windows, console);
    const double nll = sum.negative_log / static_cast<double>(sum.tokens);
    if (!std::isfinite(nll)) {
      throw Error(Code::kInternal, engine.info().path, "gives logits that are not finite");
    }
    if (json_) {
      console.print_json({{"tokens", sum.tokens},
                          {"nll", nll},
                          {"perplexity", std::exp(nll)},
                          {"windows", windows}});
    } else {
      console.print(fmt::format("{} in {}, nll {:.6f}, perplexity {:.4f}\n",
                                counted(sum.tokens, "token"), counted(windows, "window"), nll,
                                std::exp(nll)));
    }
    return 0;
  }

 private:
  static void check_score_from(int64_t score_from, int64_t window) {
    if (score_from < window) return;
    throw UsageError(fmt::format("--score-from: expected less than the window's {}, got {}", window,
                                 score_from));
  }

  std::vector<int32_t> load_ids(const Engine& engine, Console& console) const {
    if (ids_) return read_id_file(*ids_, engine.info().vocab_size);
    const Tokenizer tokenizer = engine_tokenizer(engine, *model_, "give --ids");
    std::vector<int32_t> ids = value_or_throw(tokenizer.encode(
        read_text(*text_, console), {.parse_special = !no_special_, .add_special = false}));
    if (dump_) write_id_file(*dump_, ids);
    return ids;
  }

  Likelihood score(const Engine& engine, const std::vector<int32_t>& ids, int64_t window,
                   int64_t score_from, int64_t windows, Console& console) const {
    SessionOptions options = session_.session_options(engine.info(), 1, window);
    options.max_step_tokens = scoring_step_tokens(engine.info(), options.max_context);
    options.max_logit_rows = options.max_step_tokens;
    Session session = open_session(engine, options);
    const Progress progress = console.progress();
    Likelihood sum;
    for (int64_t i = 0; i < windows; ++i) {
      const std::span<const int32_t> part(ids.data() + i * window, static_cast<size_t>(window));
      const Likelihood one = value_or_throw(score_window(session, part, score_from));
      sum.negative_log += one.negative_log;
      sum.tokens += one.tokens;
      progress("windows", static_cast<uint64_t>(i) + 1, static_cast<uint64_t>(windows));
    }
    console.end_progress();
    return sum;
  }

  std::optional<std::string> model_, ids_, text_, dump_;
  std::optional<int64_t> window_, score_from_, max_windows_;
  bool no_special_ = false, json_ = false;
  SessionFlags session_;
};

}  // namespace

void register_eval(CommandRegistry& registry) { registry.add(std::make_unique<Eval>()); }

}  // namespace legato::cli
