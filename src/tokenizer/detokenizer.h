#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tokenizer/decoder.h"
#include "tokenizer/stop_matcher.h"
#include "tokenizer/tokenizer.h"

namespace legato::tokenizer {

struct DetokenizerOptions {
  bool skip_special = true;
  /// Text ends before the first of these that occurs. Empty ones are ignored.
  std::vector<std::string> stop;
};

/// Turns ids into text one by one: the pushed texts and finish() together are Tokenizer::decode()
/// of all ids, up to a stop string. It never gives out half a character, nor what may become a stop
/// string. The cost of a push does not grow with the text. One thread.
class Detokenizer {
 public:
  explicit Detokenizer(Tokenizer tokenizer, DetokenizerOptions options = {});

  /// Lets ids pass that come before the text, so that it reads on from them (a space after a prompt
  /// stays). Call it before push().
  void prime(std::span<const int32_t> ids);

  /// The text that `id` completes; empty after a stop string and for ids without token.
  std::string push(int32_t id);
  /// The rest. An unfinished character becomes U+FFFD. No push may follow.
  std::string finish();

  bool stopped() const { return stops_.matched().has_value(); }
  /// Which of the options' stop strings was met.
  std::optional<size_t> stop_index() const { return stops_.matched(); }

 private:
  std::string take(bool at_end);

  Tokenizer tokenizer_;
  bool skip_special_;
  /// What the pipeline has written and take() not seen yet. On the heap: the pipeline points at it.
  std::unique_ptr<std::string> decoded_;
  DecodePipeline pipeline_;
  StopMatcher stops_;
};

}  // namespace legato::tokenizer
