#include <charconv>
#include <optional>

#include "base/utf8.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/decoder.h"

namespace legato::tokenizer {
namespace {

/// Bytes of byte-level tokens become text as soon as their characters are complete.
class ByteLevelStage : public DecodeStage {
 public:
  using DecodeStage::DecodeStage;

  void push(std::string_view token) override {
    if (!append_as_bytes(token, bytes_)) bytes_ += token;
    std::string text;
    std::string_view rest = bytes_;
    while (!rest.empty()) {
      const Utf8Step step = utf8_step(rest);
      if (step.incomplete) break;
      text += step.valid ? rest.substr(0, step.size) : kReplacementText;
      rest.remove_prefix(step.size);
    }
    bytes_ = std::string(rest);
    if (!text.empty()) emit(text);
  }

  void finish() override {
    std::string text;
    append_lossy(bytes_, text);
    if (!text.empty()) emit(text);
    finish_next();
  }

 private:
  /// An unfinished character: at most three bytes between pushes.
  std::string bytes_;
};

class ByteLevelDecoder : public Decoder {
 public:
  bool fuses() const override { return true; }
  DecodeStagePtr start(bool fused, DecodeStage* next) const override {
    auto stage = std::make_unique<ByteLevelStage>(next);
    if (!fused) return stage;
    return std::make_unique<CollectingStage>(std::move(stage));
  }
};

/// The byte that "<0x41>" names.
std::optional<char> parse_byte_token(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return std::nullopt;
  // A sign is accepted as the reference does.
  const size_t first = token[3] == '+' ? 4 : 3;
  uint8_t value = 0;
  const auto [end, error] = std::from_chars(token.data() + first, token.data() + 5, value, 16);
  if (error != std::errc{} || end != token.data() + 5) return std::nullopt;
  return static_cast<char>(value);
}

/// A run of byte tokens is text if all of it is well-formed, else one U+FFFD for each byte; so the
/// run is kept until another token ends it.
class ByteFallbackStage : public DecodeStage {
 public:
  using DecodeStage::DecodeStage;

  void push(std::string_view token) override {
    if (const auto byte = parse_byte_token(token)) {
      run_ += *byte;
      return;
    }
    end_run();
    emit(token);
  }

  void finish() override {
    end_run();
    finish_next();
  }

 private:
  void end_run() {
    if (run_.empty()) return;
    if (is_utf8(run_)) {
      emit(run_);
    } else {
      for (size_t i = 0; i < run_.size(); ++i) emit(kReplacementText);
    }
    run_.clear();
  }

  std::string run_;
};

class ByteFallbackDecoder : public Decoder {
 public:
  DecodeStagePtr start(bool fused, DecodeStage* next) const override {
    auto stage = std::make_unique<ByteFallbackStage>(next);
    if (!fused) return stage;
    return std::make_unique<CollectingStage>(std::move(stage));
  }
};

}  // namespace

DecoderPtr make_byte_level_decoder() { return std::make_unique<ByteLevelDecoder>(); }
DecoderPtr make_byte_fallback_decoder() { return std::make_unique<ByteFallbackDecoder>(); }

}  // namespace legato::tokenizer
