#include "tokenizer/detokenizer.h"

#include <utility>

#include "tokenizer/tokenizer_parts.h"

namespace legato::tokenizer {

Detokenizer::Detokenizer(Tokenizer tokenizer, DetokenizerOptions options)
    : tokenizer_(std::move(tokenizer)),
      skip_special_(options.skip_special),
      decoded_(std::make_unique<std::string>()),
      pipeline_(tokenizer_.parts().decoders, *decoded_),
      stops_(std::move(options.stop)) {}

void Detokenizer::prime(std::span<const int32_t> ids) {
  const TokenizerParts& parts = tokenizer_.parts();
  for (const int32_t id : ids)
    if (parts.is_written(id, skip_special_)) pipeline_.push(parts.text(id));
  decoded_->clear();
}

std::string Detokenizer::push(int32_t id) {
  const TokenizerParts& parts = tokenizer_.parts();
  if (stopped() || !parts.is_written(id, skip_special_)) return {};
  pipeline_.push(parts.text(id));
  return take(false);
}

std::string Detokenizer::finish() {
  if (stopped()) return {};
  pipeline_.finish();
  return take(true);
}

std::string Detokenizer::take(bool at_end) {
  std::string text = stops_.push(*decoded_);
  decoded_->clear();
  if (at_end && !stopped()) text += stops_.finish();
  return text;
}

}  // namespace legato::tokenizer
