// Bytes as a tokenizer.json (and the text to encode with it), or as a serialized tokenizer.
//
// The input is cut at its first zero byte: JSON before it, text behind it. An input that begins
// with "LGTK" is the compact form.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "tokenizer/detokenizer.h"
#include "tokenizer/tokenizer.h"

namespace {

using legato::tokenizer::Detokenizer;
using legato::tokenizer::Segment;
using legato::tokenizer::Tokenizer;

constexpr size_t kMaxText = 4096;

void require(bool condition) {
  if (!condition) std::abort();
}

void use(const Tokenizer& tokenizer, std::string_view text) {
  text = text.substr(0, kMaxText);
  const size_t half = text.size() / 2;
  const Segment segments[] = {{text.substr(0, half), true}, {text.substr(half), false}};
  (void)tokenizer.encode_segments(segments);
  const auto ids = tokenizer.encode(text, {.add_special = true, .parse_special = true});
  if (!ids.ok()) return;
  const std::string whole = tokenizer.decode(*ids, false);
  Detokenizer detokenizer(tokenizer, {.skip_special = false, .stop = {}});
  std::string streamed;
  for (const int32_t id : *ids) {
    require(id >= 0 && id < tokenizer.vocab_size());
    streamed += detokenizer.push(id);
    (void)tokenizer.token_bytes(id);
  }
  streamed += detokenizer.finish();
  require(streamed == whole);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.starts_with("LGTK")) {
    const auto tokenizer =
        Tokenizer::deserialize(std::as_bytes(std::span(data, size)), "fuzz.engine");
    if (tokenizer.ok()) use(*tokenizer, input);
    return 0;
  }
  const size_t cut = std::min(input.find('\0'), input.size());
  const auto tokenizer = Tokenizer::from_json(input.substr(0, cut), "fuzz.json");
  if (!tokenizer.ok()) return 0;
  const std::string_view text =
      cut < input.size() ? input.substr(cut + 1) : std::string_view("Once upon a <s> time");
  use(*tokenizer, text);
  const std::string bytes = tokenizer->serialize();
  const auto again =
      Tokenizer::deserialize(std::as_bytes(std::span(bytes.data(), bytes.size())), "fuzz.json");
  require(again.ok() && again->serialize() == bytes);
  return 0;
}
