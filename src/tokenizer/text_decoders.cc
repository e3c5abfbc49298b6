#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "tokenizer/decoder.h"
#include "tokenizer/fields.h"
#include "tokenizer/pattern.h"
#include "tokenizer/unicode.h"

namespace legato::tokenizer {
namespace {

class PassingStage : public DecodeStage {
 public:
  using DecodeStage::DecodeStage;
  void push(std::string_view piece) override { emit(piece); }
  void finish() override { finish_next(); }
};

class FuseDecoder : public Decoder {
 public:
  bool fuses() const override { return true; }
  DecodeStagePtr start(bool, DecodeStage* next) const override {
    return std::make_unique<PassingStage>(next);
  }
};

/// What no decoder at all means: a space between tokens.
class JoiningDecoder : public Decoder {
  class Stage : public DecodeStage {
   public:
    using DecodeStage::DecodeStage;
    void push(std::string_view token) override {
      if (!first_) emit(" ");
      first_ = false;
      emit(token);
    }
    void finish() override { finish_next(); }

   private:
    bool first_ = true;
  };

 public:
  DecodeStagePtr start(bool, DecodeStage* next) const override {
    return std::make_unique<Stage>(next);
  }
};

/// Removes up to `start` and up to `stop` times `content` from both ends of each token.
class StripDecoder : public Decoder {
  class TokenStage : public DecodeStage {
   public:
    TokenStage(const StripDecoder& owner, DecodeStage* next) : DecodeStage(next), owner_(owner) {}

    void push(std::string_view token) override {
      const std::string& content = owner_.content_;
      for (size_t i = 0; i < owner_.start_ && token.starts_with(content); ++i)
        token.remove_prefix(content.size());
      for (size_t i = 0; i < owner_.stop_ && token.ends_with(content); ++i)
        token.remove_suffix(content.size());
      emit(token);
    }
    void finish() override { finish_next(); }

   private:
    const StripDecoder& owner_;
  };

  /// The same over fragments of one text: what may be its end is kept.
  class TextStage : public DecodeStage {
   public:
    TextStage(const StripDecoder& owner, DecodeStage* next)
        : DecodeStage(next), owner_(owner), to_strip_(owner.start_) {}

    void push(std::string_view fragment) override {
      const std::string& content = owner_.content_;
      while (to_strip_ > 0 && !fragment.empty()) {
        if (!fragment.starts_with(content)) {
          to_strip_ = 0;
          break;
        }
        fragment.remove_prefix(content.size());
        --to_strip_;
      }
      size_t tail = 0;
      std::string_view rest = fragment;
      while (tail < owner_.stop_ && rest.ends_with(content)) {
        rest.remove_suffix(content.size());
        ++tail;
      }
      if (!rest.empty()) {
        emit_kept(kept_);
        kept_ = 0;
        emit(rest);
      }
      kept_ += tail;
      if (kept_ > owner_.stop_) emit_kept(kept_ - owner_.stop_);
      kept_ = std::min(kept_, owner_.stop_);
    }
    void finish() override { finish_next(); }

   private:
    void emit_kept(size_t count) {
      for (size_t i = 0; i < count; ++i) emit(owner_.content_);
    }

    const StripDecoder& owner_;
    size_t to_strip_;
    size_t kept_ = 0;
  };

 public:
  StripDecoder(std::string content, size_t start, size_t stop)
      : content_(std::move(content)), start_(start), stop_(stop) {}

  DecodeStagePtr start(bool fused, DecodeStage* next) const override {
    if (fused) return std::make_unique<TextStage>(*this, next);
    return std::make_unique<TokenStage>(*this, next);
  }

 private:
  std::string content_;
  size_t start_;
  size_t stop_;
};

class ReplaceDecoder : public Decoder {
  class TokenStage : public DecodeStage {
   public:
    TokenStage(const ReplaceDecoder& owner, DecodeStage* next) : DecodeStage(next), owner_(owner) {}

    void push(std::string_view token) override {
      matches_.clear();
      std::string text;
      // A regex that gives up leaves the token as it is.
      if (!owner_.pattern_.find_all(token, matches_).ok())
        matches_.assign({{0, token.size(), false}});
      for (const Match& match : matches_) {
        if (match.matched)
          text += owner_.content_;
        else
          text += token.substr(match.begin, match.end - match.begin);
      }
      emit(text);
    }
    void finish() override { finish_next(); }

   private:
    const ReplaceDecoder& owner_;
    std::vector<Match> matches_;
  };

  /// A plain text replaced in fragments of one text: a possible beginning of it at the end is kept.
  class TextStage : public DecodeStage {
   public:
    TextStage(const ReplaceDecoder& owner, DecodeStage* next) : DecodeStage(next), owner_(owner) {}

    void push(std::string_view fragment) override {
      const std::string& wanted = *owner_.pattern_.plain();
      kept_ += fragment;
      std::string text;
      size_t done = 0;
      if (!wanted.empty()) {
        for (size_t found = kept_.find(wanted); found != std::string::npos;
             found = kept_.find(wanted, done)) {
          text.append(kept_, done, found - done);
          text += owner_.content_;
          done = found + wanted.size();
        }
      }
      size_t tail = wanted.empty() ? 0 : std::min(wanted.size() - 1, kept_.size() - done);
      while (tail > 0 && !wanted.starts_with(std::string_view(kept_).substr(kept_.size() - tail)))
        --tail;
      text.append(kept_, done, kept_.size() - tail - done);
      kept_.erase(0, kept_.size() - tail);
      if (!text.empty()) emit(text);
    }

    void finish() override {
      if (!kept_.empty()) emit(kept_);
      finish_next();
    }

   private:
    const ReplaceDecoder& owner_;
    std::string kept_;
  };

 public:
  ReplaceDecoder(Pattern pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}

  DecodeStagePtr start(bool fused, DecodeStage* next) const override {
    if (fused && pattern_.plain() != nullptr && !pattern_.plain()->empty())
      return std::make_unique<TextStage>(*this, next);
    auto stage = std::make_unique<TokenStage>(*this, next);
    if (!fused) return stage;
    return std::make_unique<CollectingStage>(std::move(stage));
  }

 private:
  Pattern pattern_;
  std::string content_;
};

/// Visible spaces become spaces; those of the first token go where the encoder put one in front.
class MetaspaceDecoder : public Decoder {
  class Stage : public DecodeStage {
   public:
    Stage(const MetaspaceDecoder& owner, bool fused, DecodeStage* next)
        : DecodeStage(next), owner_(owner), fused_(fused) {}

    void push(std::string_view token) override {
      const std::string& replacement = owner_.replacement_;
      const bool drop = owner_.prepended_ && (first_ || fused_);
      first_ = false;
      std::string text;
      size_t done = 0;
      for (size_t found = token.find(replacement); found != std::string_view::npos;
           found = token.find(replacement, done)) {
        text += token.substr(done, found - done);
        if (!drop) text += ' ';
        done = found + replacement.size();
      }
      text += token.substr(done);
      emit(text);
    }
    void finish() override { finish_next(); }

   private:
    const MetaspaceDecoder& owner_;
    bool fused_;
    bool first_ = true;
  };

 public:
  MetaspaceDecoder(std::string replacement, bool prepended)
      : replacement_(std::move(replacement)), prepended_(prepended) {}

  DecodeStagePtr start(bool fused, DecodeStage* next) const override {
    return std::make_unique<Stage>(*this, fused, next);
  }

 private:
  std::string replacement_;
  bool prepended_;
};

}  // namespace

DecoderPtr make_fuse_decoder() { return std::make_unique<FuseDecoder>(); }
DecoderPtr make_joining_decoder() { return std::make_unique<JoiningDecoder>(); }

Result<DecoderPtr> make_strip_decoder(const Json& json, const std::string& where,
                                      const std::string& place) {
  Fields fields(json, where, place);
  std::string content;
  append_utf8(fields.character("content"), content);
  const auto start = static_cast<size_t>(fields.integer("start", 0, 0, 1 << 20));
  const auto stop = static_cast<size_t>(fields.integer("stop", 0, 0, 1 << 20));
  if (!fields.status().ok()) return fields.status();
  return DecoderPtr(std::make_unique<StripDecoder>(std::move(content), start, stop));
}

Result<DecoderPtr> make_replace_decoder(const Json& json, const std::string& where,
                                        const std::string& place) {
  Fields fields(json, where, place);
  std::string content = fields.required_text("content");
  if (content.size() > 64) fields.wrong("content", "at most 64 bytes");
  if (!fields.status().ok()) return fields.status();
  LEGATO_ASSIGN_OR_RETURN(Pattern pattern,
                          Pattern::parse(fields.child("pattern"), where, place + ".pattern"));
  return DecoderPtr(std::make_unique<ReplaceDecoder>(std::move(pattern), std::move(content)));
}

Result<DecoderPtr> make_metaspace_decoder(const Json& json, const std::string& where,
                                          const std::string& place) {
  Fields fields(json, where, place);
  const char32_t c = fields.has("replacement") ? fields.character("replacement") : 0x2581;
  const bool add_prefix_space = fields.flag("add_prefix_space", true);
  const std::string scheme = fields.text("prepend_scheme", add_prefix_space ? "always" : "never");
  if (!fields.status().ok()) return fields.status();
  std::string replacement;
  append_utf8(c, replacement);
  return DecoderPtr(std::make_unique<MetaspaceDecoder>(std::move(replacement), scheme != "never"));
}

}  // namespace legato::tokenizer
