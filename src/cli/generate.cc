#include "cli/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/counted.h"
#include "base/status.h"

namespace legato::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void check_prompt(const Session& session, std::span<const int32_t> prompt) {
  if (prompt.empty()) {
    throw Error(Code::kInvalidArgument, "prompt", "is empty: there is nothing to go on from");
  }
  const int64_t vocab_size = session.engine().info().vocab_size;
  for (const int32_t id : prompt) {
    if (id < 0 || id >= vocab_size) {
      throw Error(
          Code::kInvalidArgument, "prompt",
          fmt::format("has token {}, the model's vocabulary ends at {}", id, vocab_size - 1));
    }
  }
  const int64_t limit = session.options().max_context;
  if (static_cast<int64_t>(prompt.size()) > limit) {
    throw Error(
        Code::kResourceExhausted, "prompt",
        fmt::format("has {}, the context holds {}", counted(prompt.size(), "token"), limit));
  }
}

/// Feeds the prompt step by step; false when Ctrl-C came between two.
bool prefill(Session& session, Sequence& sequence, std::span<const int32_t> prompt,
             const InterruptGuard* interrupt) {
  const auto limit = static_cast<size_t>(session.options().max_step_tokens);
  for (size_t first = 0; first < prompt.size(); first += limit) {
    if (interrupt != nullptr && interrupt->pending()) return false;
    const size_t count = std::min(limit, prompt.size() - first);
    throw_if_failed(session.append(sequence, prompt.subspan(first, count)));
  }
  return true;
}

/// Ids to text while they come; without a tokenizer it says nothing.
class TextStream {
 public:
  TextStream(const GenerateOptions& options, std::span<const int32_t> prompt)
      : on_text_(options.on_text) {
    if (!options.tokenizer) return;
    detokenizer_.emplace(*options.tokenizer, options.stop_strings);
    detokenizer_->prime(prompt);
  }

  void push(int32_t id) {
    if (detokenizer_) emit(detokenizer_->push(id));
  }
  void finish() {
    if (detokenizer_) emit(detokenizer_->finish());
  }
  bool stopped() const { return detokenizer_ && detokenizer_->stopped(); }
  std::string take() { return std::move(text_); }

 private:
  void emit(const std::string& piece) {
    if (piece.empty()) return;
    text_ += piece;
    if (on_text_) on_text_(piece);
  }

  std::optional<Detokenizer> detokenizer_;
  std::function<void(std::string_view)> on_text_;
  std::string text_;
};

/// Logits that no token can be drawn from are the engine's fault, so its file is named.
Sample next_sample(Sampler& sampler, Session& session) {
  Result<Sample> sample = sampler.sample(session.logits());
  if (sample.ok()) return std::move(sample).value();
  throw Error(sample.status().code, session.engine().info().path,
              fmt::format("{}: {}", sample.status().where, sample.status().message));
}

}  // namespace

std::string_view finish_reason_name(FinishReason reason) {
  switch (reason) {
    case FinishReason::kStop:
      return "stop";
    case FinishReason::kLength:
      return "length";
    case FinishReason::kContextFull:
      return "context_full";
    case FinishReason::kInterrupted:
      return "interrupted";
  }
  return "";
}

Generation generate(Session& session, Sequence& sequence, std::span<const int32_t> prompt,
                    const GenerateOptions& options) {
  check_prompt(session, prompt);
  Sampler sampler =
      value_or_throw(Sampler::create(options.sampling, session.engine().info().vocab_size));
  sampler.add_prompt(prompt);
  TextStream stream(options, prompt);
  Generation out;
  const std::span<const int32_t> rest = prompt.subspan(static_cast<size_t>(sequence.length()));
  out.prompt_tokens = static_cast<int64_t>(rest.size());
  const Clock::time_point prefill_start = Clock::now();
  const bool complete = prefill(session, sequence, rest, options.interrupt);
  out.prefill_seconds = seconds_since(prefill_start);
  if (!complete) {
    (void)options.interrupt->take();
    out.reason = FinishReason::kInterrupted;
    return out;
  }

  const Clock::time_point decode_start = Clock::now();
  while (static_cast<int64_t>(out.ids.size()) < options.max_tokens) {
    Sample sample = next_sample(sampler, session);
    const int32_t id = sample.id;
    out.ids.push_back(id);
    if (options.sampling.num_logprobs >= 0) out.samples.push_back(std::move(sample));
    if (sampler.is_stop(id)) {
      out.reason = FinishReason::kStop;
      break;
    }
    stream.push(id);
    if (stream.stopped()) {
      out.reason = FinishReason::kStop;
      break;
    }
    if (options.interrupt != nullptr && options.interrupt->take()) {
      out.reason = FinishReason::kInterrupted;
      break;
    }
    if (static_cast<int64_t>(out.ids.size()) == options.max_tokens) break;
    if (sequence.length() >= session.options().max_context) {
      out.reason = FinishReason::kContextFull;
      break;
    }
    const StepItem item{&sequence, {&id, 1}, StepItem::Logits::kLast};
    throw_if_failed(session.step({&item, 1}));
  }
  out.decode_seconds = seconds_since(decode_start);
  stream.finish();
  out.text = stream.take();
  return out;
}

}  // namespace legato::cli
