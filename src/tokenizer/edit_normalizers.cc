#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/fields.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/pattern.h"
#include "tokenizer/unicode.h"

namespace legato::tokenizer {
namespace {

class Strip : public Normalizer {
 public:
  Strip(bool left, bool right) : left_(left), right_(right) {}

  Status apply(TrackedText& text) const override {
    const size_t size = text.bytes.size();
    const size_t begin = left_ ? leading_whitespace(text.bytes) : 0;
    const size_t end =
        right_ ? size - trailing_whitespace(std::string_view(text.bytes).substr(begin)) : size;
    TextRewriter out(text);
    out.put("", 0, begin);
    out.copy(begin, end);
    return out.finish(text);
  }

 private:
  bool left_;
  bool right_;
};

class Prepend : public Normalizer {
 public:
  explicit Prepend(std::string prefix) : prefix_(std::move(prefix)) {}

  Status apply(TrackedText& text) const override {
    if (text.bytes.empty()) return {};
    TextRewriter out(text);
    out.put(prefix_, 0, utf8_length(text.bytes[0]));
    out.copy(0, text.bytes.size());
    const bool at_start = text.at_start;
    LEGATO_RETURN_IF_ERROR(out.finish(text));
    text.at_start = at_start;
    return {};
  }

 private:
  std::string prefix_;
};

class Replace : public Normalizer {
 public:
  Replace(Pattern pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}

  Status apply(TrackedText& text) const override {
    std::vector<Match> matches;
    LEGATO_RETURN_IF_ERROR(pattern_.find_all(text.bytes, matches));
    TextRewriter out(text);
    for (const Match& match : matches) {
      if (match.matched)
        out.put(content_, match.begin, match.end);
      else
        out.copy(match.begin, match.end);
    }
    return out.finish(text);
  }

 private:
  Pattern pattern_;
  std::string content_;
};

class ByteCharacters : public Normalizer {
 public:
  Status apply(TrackedText& text) const override {
    TextRewriter out(text);
    for (size_t i = 0; i < text.bytes.size(); ++i)
      out.put(character_of_byte(static_cast<uint8_t>(text.bytes[i])), i, i + 1);
    return out.finish(text);
  }
};

}  // namespace

Result<NormalizerPtr> make_strip(const Json& json, const std::string& where,
                                 const std::string& place) {
  Fields fields(json, where, place);
  const bool left = fields.flag("strip_left", true);
  const bool right = fields.flag("strip_right", true);
  if (!fields.status().ok()) return fields.status();
  return NormalizerPtr(std::make_unique<Strip>(left, right));
}

Result<NormalizerPtr> make_prepend(const Json& json, const std::string& where,
                                   const std::string& place) {
  Fields fields(json, where, place);
  std::string prefix = fields.required_text("prepend");
  if (prefix.size() > 256) fields.wrong("prepend", "at most 256 bytes");
  if (!fields.status().ok()) return fields.status();
  return NormalizerPtr(std::make_unique<Prepend>(std::move(prefix)));
}

Result<NormalizerPtr> make_replace(const Json& json, const std::string& where,
                                   const std::string& place) {
  Fields fields(json, where, place);
  std::string content = fields.required_text("content");
  if (content.size() > 64) fields.wrong("content", "at most 64 bytes");
  if (!fields.status().ok()) return fields.status();
  LEGATO_ASSIGN_OR_RETURN(Pattern pattern,
                          Pattern::parse(fields.child("pattern"), where, place + ".pattern"));
  return NormalizerPtr(std::make_unique<Replace>(std::move(pattern), std::move(content)));
}

NormalizerPtr make_byte_characters() { return std::make_unique<ByteCharacters>(); }

}  // namespace legato::tokenizer
