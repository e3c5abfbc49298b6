#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace legato::tokenizer {

/// One step of turning token texts into text, while they stream through. Each stage hands on what
/// can no longer change and keeps the rest. One thread.
class DecodeStage {
 public:
  explicit DecodeStage(DecodeStage* next) : next_(next) {}
  virtual ~DecodeStage() = default;

  /// The next token's text or, behind a fusing stage, the next fragment of the one long text.
  virtual void push(std::string_view piece) = 0;
  /// No piece will follow; hands on what was kept and finishes the next stage.
  virtual void finish() = 0;

 protected:
  void emit(std::string_view piece) {
    if (next_ != nullptr) next_->push(piece);
  }
  void finish_next() {
    if (next_ != nullptr) next_->finish();
  }

 private:
  DecodeStage* next_;
};

using DecodeStagePtr = std::unique_ptr<DecodeStage>;

/// A decoder as tokenizer.json describes it: makes stages. Immutable; any thread may call it.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Behind this decoder all tokens are one text.
  virtual bool fuses() const { return false; }
  /// A stage in front of `next`, which must outlive it. `fused`: its input is fragments of one
  /// text.
  virtual DecodeStagePtr start(bool fused, DecodeStage* next) const = 0;
};

using DecoderPtr = std::unique_ptr<const Decoder>;

/// The decoders of tokenizer.json's `decoder`, sequences flattened; null joins tokens with spaces.
Result<std::vector<DecoderPtr>> make_decoders(const Json& json, const std::string& where);

/// The stages of one text, from the token texts to `out`, which must outlive it. One thread.
class DecodePipeline {
 public:
  DecodePipeline(const std::vector<DecoderPtr>& decoders, std::string& out);
  void push(std::string_view token) { first_->push(token); }
  void finish() { first_->finish(); }

 private:
  std::vector<DecodeStagePtr> stages_;
  DecodeStage* first_;
};

/// For a decoder that must see the whole text: collects the fragments and gives them to `stage` at
/// the end, as one token.
class CollectingStage : public DecodeStage {
 public:
  explicit CollectingStage(DecodeStagePtr stage) : DecodeStage(nullptr), stage_(std::move(stage)) {}
  void push(std::string_view piece) override { text_ += piece; }
  void finish() override {
    stage_->push(text_);
    stage_->finish();
  }

 private:
  DecodeStagePtr stage_;
  std::string text_;
};

/// The families, one file each.
DecoderPtr make_byte_level_decoder();
DecoderPtr make_byte_fallback_decoder();
DecoderPtr make_fuse_decoder();
DecoderPtr make_joining_decoder();
Result<DecoderPtr> make_strip_decoder(const Json& json, const std::string& where,
                                      const std::string& place);
Result<DecoderPtr> make_replace_decoder(const Json& json, const std::string& where,
                                        const std::string& place);
Result<DecoderPtr> make_metaspace_decoder(const Json& json, const std::string& where,
                                          const std::string& place);
/// WordPiece, BPEDecoder and CTC.
Result<DecoderPtr> make_word_decoder(const std::string& type, const Json& json,
                                     const std::string& where, const std::string& place);

}  // namespace legato::tokenizer
