#include <utf8proc.h>

#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "tokenizer/fields.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/unicode.h"

namespace legato::tokenizer {
namespace {

/// A normalizer that looks at one character at a time: `Map(c, out)` appends what stands for it.
template <typename Map>
class CharacterNormalizer : public Normalizer {
 public:
  explicit CharacterNormalizer(Map map) : map_(map) {}

  Status apply(TrackedText& text) const override {
    TextRewriter out(text);
    std::string replacement;
    for (size_t position = 0; position < text.bytes.size();) {
      const size_t begin = position;
      const char32_t c = next_code_point(text.bytes, position);
      replacement.clear();
      map_(c, replacement);
      out.put(replacement, begin, position);
    }
    return out.finish(text);
  }

 private:
  Map map_;
};

template <typename Map>
NormalizerPtr make_character_normalizer(Map map) {
  return std::make_unique<CharacterNormalizer<Map>>(map);
}

void lower(char32_t c, std::string& out) {
  if (c < 0x80) {
    out += static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  } else if (c == 0x130) {
    out += "i\xCC\x87";  // the one letter whose lower case is two characters
  } else {
    append_utf8(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))), out);
  }
}

void clean(char32_t c, std::string& out) {
  if (c == '\t' || c == '\n' || c == '\r') {
    out += ' ';
  } else if (c == 0 || c == 0xFFFD || is_other(c)) {
    return;
  } else if (is_whitespace(c)) {
    out += ' ';
  } else {
    append_utf8(c, out);
  }
}

void space_ideographs(char32_t c, std::string& out) {
  const bool ideograph = is_cjk_ideograph(c);
  if (ideograph) out += ' ';
  append_utf8(c, out);
  if (ideograph) out += ' ';
}

/// As SentencePiece's NMT rule: control characters go, odd spaces become plain ones.
void nmt(char32_t c, std::string& out) {
  const bool dropped = (c >= 1 && c <= 8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F ||
                       c == 0x8F || c == 0x9F;
  const bool space = c == 9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 ||
                     (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
                     c == 0xFEFF || c == 0xFFFD;
  if (dropped) return;
  if (space)
    out += ' ';
  else
    append_utf8(c, out);
}

class BertNormalizer : public Normalizer {
 public:
  Status apply(TrackedText& text) const override {
    for (const NormalizerPtr& step : steps_) LEGATO_RETURN_IF_ERROR(step->apply(text));
    return {};
  }
  void add(NormalizerPtr step) { steps_.push_back(std::move(step)); }

 private:
  std::vector<NormalizerPtr> steps_;
};

}  // namespace

NormalizerPtr make_lowercase() { return make_character_normalizer(lower); }

NormalizerPtr make_strip_accents() {
  return make_character_normalizer([](char32_t c, std::string& out) {
    if (!is_mark(c)) append_utf8(c, out);
  });
}

NormalizerPtr make_nmt() { return make_character_normalizer(nmt); }

Result<NormalizerPtr> make_bert(const Json& json, const std::string& where,
                                const std::string& place) {
  Fields fields(json, where, place);
  const bool clean_text = fields.flag("clean_text", true);
  const bool ideographs = fields.flag("handle_chinese_chars", true);
  const bool lowercase = fields.flag("lowercase", true);
  const bool strip_accents = fields.flag("strip_accents", lowercase);
  if (!fields.status().ok()) return fields.status();
  auto result = std::make_unique<BertNormalizer>();
  if (clean_text) result->add(make_character_normalizer(clean));
  if (ideographs) result->add(make_character_normalizer(space_ideographs));
  if (strip_accents) {
    result->add(make_unicode_form("NFD"));
    result->add(make_character_normalizer([](char32_t c, std::string& out) {
      if (!is_nonspacing_mark(c)) append_utf8(c, out);
    }));
  }
  if (lowercase) result->add(make_lowercase());
  return NormalizerPtr(std::move(result));
}

}  // namespace legato::tokenizer
