#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "tokenizer/fields.h"
#include "tokenizer/pattern.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer/split.h"
#include "tokenizer/unicode.h"

namespace legato::tokenizer {
namespace {

void invert(std::vector<Match>& matches) {
  for (Match& match : matches) match.matched = !match.matched;
}

class PatternSplit : public PreTokenizer {
 public:
  PatternSplit(Pattern pattern, SplitBehavior behavior, bool inverted)
      : pattern_(std::move(pattern)), behavior_(behavior), inverted_(inverted) {}

  Status apply(Pieces& text) const override {
    return split_pieces(text, behavior_, [&](std::string_view piece, std::vector<Match>& out) {
      LEGATO_RETURN_IF_ERROR(pattern_.find_all(piece, out));
      if (inverted_) invert(out);
      return Status{};
    });
  }

 private:
  Pattern pattern_;
  SplitBehavior behavior_;
  bool inverted_;
};

/// Words and runs of symbols; white space goes.
class Whitespace : public PreTokenizer {
 public:
  Status apply(Pieces& text) const override {
    return split_pieces(text, SplitBehavior::kRemoved, find_whitespace);
  }

 private:
  enum class Kind { kSpace, kWord, kSymbol };

  static Kind kind_of(char32_t c) {
    return is_whitespace(c) ? Kind::kSpace : is_word(c) ? Kind::kWord : Kind::kSymbol;
  }

  static Status find_whitespace(std::string_view piece, std::vector<Match>& out) {
    Kind previous = Kind::kSpace;
    for (size_t position = 0; position < piece.size();) {
      const size_t begin = position;
      const Kind kind = kind_of(next_code_point(piece, position));
      if (out.empty() || kind != previous)
        out.push_back({begin, position, kind == Kind::kSpace});
      else
        out.back().end = position;
      previous = kind;
    }
    return {};
  }
};

template <typename Predicate>
class CharacterSplit : public PreTokenizer {
 public:
  CharacterSplit(Predicate is_delimiter, SplitBehavior behavior)
      : is_delimiter_(is_delimiter), behavior_(behavior) {}

  Status apply(Pieces& text) const override {
    return split_pieces(text, behavior_, [&](std::string_view piece, std::vector<Match>& out) {
      size_t covered = 0;
      for (size_t position = 0; position < piece.size();) {
        const size_t begin = position;
        if (!is_delimiter_(next_code_point(piece, position))) continue;
        if (covered != begin) out.push_back({covered, begin, false});
        out.push_back({begin, position, true});
        covered = position;
      }
      if (covered != piece.size()) out.push_back({covered, piece.size(), false});
      return Status{};
    });
  }

 private:
  Predicate is_delimiter_;
  SplitBehavior behavior_;
};

template <typename Predicate>
PreTokenizerPtr split_on(Predicate is_delimiter, SplitBehavior behavior) {
  return std::make_unique<CharacterSplit<Predicate>>(is_delimiter, behavior);
}

class Bert : public PreTokenizer {
 public:
  Status apply(Pieces& text) const override {
    LEGATO_RETURN_IF_ERROR(words_->apply(text));
    return symbols_->apply(text);
  }

 private:
  PreTokenizerPtr words_ = split_on(is_whitespace, SplitBehavior::kRemoved);
  PreTokenizerPtr symbols_ = split_on(is_punctuation, SplitBehavior::kIsolated);
};

SplitBehavior read_behavior(Fields& fields, std::string_view absent) {
  const auto behavior = parse_split_behavior(fields.text("behavior", absent));
  if (!behavior) fields.wrong("behavior", "a split behaviour such as \"Isolated\"");
  return behavior.value_or(SplitBehavior::kIsolated);
}

}  // namespace

Result<PreTokenizerPtr> make_pattern_split(const Json& json, const std::string& where,
                                           const std::string& place) {
  Fields fields(json, where, place);
  const SplitBehavior behavior = read_behavior(fields, "");
  const bool inverted = fields.flag("invert", false);
  if (!fields.status().ok()) return fields.status();
  LEGATO_ASSIGN_OR_RETURN(Pattern pattern,
                          Pattern::parse(fields.child("pattern"), where, place + ".pattern"));
  return PreTokenizerPtr(std::make_unique<PatternSplit>(std::move(pattern), behavior, inverted));
}

Result<PreTokenizerPtr> make_character_split(const std::string& type, const Json& json,
                                             const std::string& where, const std::string& place) {
  if (type == "WhitespaceSplit") return split_on(is_whitespace, SplitBehavior::kRemoved);
  if (type == "Whitespace") return PreTokenizerPtr(std::make_unique<Whitespace>());
  if (type == "BertPreTokenizer") return PreTokenizerPtr(std::make_unique<Bert>());
  Fields fields(json, where, place);
  if (type == "Digits") {
    const bool single = fields.flag("individual_digits", false);
    if (!fields.status().ok()) return fields.status();
    return split_on(is_numeric, single ? SplitBehavior::kIsolated : SplitBehavior::kContiguous);
  }
  if (type == "Punctuation") {
    const SplitBehavior behavior = read_behavior(fields, "Isolated");
    if (!fields.status().ok()) return fields.status();
    return split_on(is_punctuation, behavior);
  }
  const char32_t delimiter = fields.character("delimiter");
  if (!fields.status().ok()) return fields.status();
  return split_on([delimiter](char32_t c) { return c == delimiter; }, SplitBehavior::kRemoved);
}

}  // namespace legato::tokenizer
