#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "tokenizer/decoder.h"
#include "tokenizer/fields.h"

namespace legato::tokenizer {
namespace {

void replace_all(std::string& text, std::string_view wanted, std::string_view content) {
  if (wanted.empty()) return;
  std::string out;
  size_t done = 0;
  for (size_t found = text.find(wanted); found != std::string::npos;
       found = text.find(wanted, done)) {
    out.append(text, done, found - done);
    out += content;
    done = found + wanted.size();
  }
  if (done == 0) return;
  out.append(text, done);
  text = std::move(out);
}

/// English punctuation without the space in front, in the reference's order.
void clean_up(std::string& text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kRules = {{
      {" .", "."},
      {" ?", "?"},
      {" !", "!"},
      {" ,", ","},
      {" ' ", "'"},
      {" n't", "n't"},
      {" 'm", "'m"},
      {" do not", " don't"},
      {" 's", "'s"},
      {" 've", "'ve"},
      {" 're", "'re"},
  }};
  for (const auto& [wanted, content] : kRules) replace_all(text, wanted, content);
}

struct WordSettings {
  std::string marker;
  std::string delimiter;
  bool cleanup;
};

/// A space before each token but the first and those with the continuation prefix.
class WordPieceStage : public DecodeStage {
 public:
  WordPieceStage(const WordSettings& settings, DecodeStage* next)
      : DecodeStage(next), settings_(settings) {}

  void push(std::string_view token) override {
    std::string text;
    if (first_) {
      text = token;
    } else if (token.starts_with(settings_.marker)) {
      text = token.substr(settings_.marker.size());
    } else {
      text = " ";
      text += token;
    }
    first_ = false;
    if (settings_.cleanup) clean_up(text);
    emit(text);
  }
  void finish() override { finish_next(); }

 private:
  const WordSettings& settings_;
  bool first_ = true;
};

/// The end-of-word suffix becomes a space, except in the last token, which is therefore kept back.
class SuffixStage : public DecodeStage {
 public:
  SuffixStage(const WordSettings& settings, DecodeStage* next)
      : DecodeStage(next), settings_(settings) {}

  void push(std::string_view token) override {
    if (has_kept_) release(" ");
    kept_ = token;
    has_kept_ = true;
  }
  void finish() override {
    if (has_kept_) release("");
    finish_next();
  }

 private:
  void release(std::string_view content) {
    replace_all(kept_, settings_.marker, content);
    emit(kept_);
  }

  const WordSettings& settings_;
  std::string kept_;
  bool has_kept_ = false;
};

/// Repeated tokens are one, padding is nothing, the delimiter is a space.
class CtcStage : public DecodeStage {
 public:
  CtcStage(const WordSettings& settings, DecodeStage* next)
      : DecodeStage(next), settings_(settings) {}

  void push(std::string_view token) override {
    if (!first_ && token == last_) return;
    first_ = false;
    last_ = token;
    std::string text(token);
    replace_all(text, settings_.marker, "");
    if (settings_.cleanup) {
      clean_up(text);
      replace_all(text, settings_.delimiter, " ");
    }
    if (!text.empty()) emit(text);
  }
  void finish() override { finish_next(); }

 private:
  const WordSettings& settings_;
  std::string last_;
  bool first_ = true;
};

template <typename Stage>
class WordDecoder : public Decoder {
 public:
  explicit WordDecoder(WordSettings settings) : settings_(std::move(settings)) {}
  DecodeStagePtr start(bool fused, DecodeStage* next) const override {
    auto stage = std::make_unique<Stage>(settings_, next);
    if (!fused) return stage;
    return std::make_unique<CollectingStage>(std::move(stage));
  }

 private:
  WordSettings settings_;
};

}  // namespace

Result<DecoderPtr> make_word_decoder(const std::string& type, const Json& json,
                                     const std::string& where, const std::string& place) {
  Fields fields(json, where, place);
  const bool is_suffix = type == "BPEDecoder";
  const bool is_prefix = type == "WordPiece";
  const char* key = is_suffix ? "suffix" : is_prefix ? "prefix" : "pad_token";
  WordSettings settings;
  settings.marker = fields.text(key, is_suffix ? "</w>" : is_prefix ? "##" : "<pad>");
  settings.delimiter = fields.text("word_delimiter_token", "|");
  settings.cleanup = fields.flag("cleanup", true);
  if (settings.marker.size() > 256) fields.wrong(key, "at most 256 bytes");
  if (settings.delimiter.size() > 256) fields.wrong("word_delimiter_token", "at most 256 bytes");
  if (!fields.status().ok()) return fields.status();
  if (is_prefix)
    return DecoderPtr(std::make_unique<WordDecoder<WordPieceStage>>(std::move(settings)));
  if (is_suffix) return DecoderPtr(std::make_unique<WordDecoder<SuffixStage>>(std::move(settings)));
  return DecoderPtr(std::make_unique<WordDecoder<CtcStage>>(std::move(settings)));
}

}  // namespace legato::tokenizer
