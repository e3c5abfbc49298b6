#include <gtest/gtest.h>

#include "tests/support/processor_time.h"
#include "tokenizer/detokenizer.h"
#include "tokenizer/fixtures.h"
#include "tokenizer/regex.h"

namespace legato::tokenizer {
namespace {

using testing::must;

struct Refusal {
  const char* json;
  Code code;
  /// A part of the message.
  const char* names;
};

// A model that is fine, to put the wrong part beside.
#define MODEL R"("model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]})"

const Refusal kRefusals[] = {
    {R"([])", Code::kMalformed, "expected an object"},
    {R"({})", Code::kMalformed, "model is missing"},
    {R"({"model": 5})", Code::kMalformed, "model is 5"},
    {R"({"model": {"type": "Magic", "vocab": {}}})", Code::kUnsupported, "Magic"},
    {R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]}})", Code::kMalformed,
     "merges[0]"},
    {R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["abc"]}})", Code::kMalformed,
     "two tokens"},
    {R"({"model": {"type": "BPE", "vocab": {"a": -1}, "merges": []}})", Code::kMalformed, "vocab"},
    {R"({"model": {"type": "BPE", "vocab": {"a": 4000000000}, "merges": []}})", Code::kMalformed,
     "vocab"},
    {R"({"model": {"type": "BPE", "vocab": {"a": 16000000}, "merges": []}})", Code::kMalformed,
     "far beyond"},
    {R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 0}, "merges": []}})", Code::kMalformed,
     "two texts"},
    {R"({"model": {"type": "BPE", "vocab": {"a": "0"}, "merges": []}})", Code::kMalformed, "vocab"},
    {R"({"model": {"type": "BPE", "dropout": 0.1, "vocab": {"a": 0}, "merges": []}})",
     Code::kUnsupported, "dropout"},
    {R"({"model": {"type": "BPE", "unk_token": "u", "vocab": {"a": 0}, "merges": []}})",
     Code::kMalformed, "unk_token"},
    {R"({"model": {"type": "Unigram", "unk_id": 7, "vocab": [["a", -1]]}})", Code::kMalformed,
     "unk_id"},
    {R"({"model": {"type": "Unigram", "vocab": [["a"]]}})", Code::kMalformed, "vocab[0]"},
    {R"({"model": {"type": "WordPiece", "vocab": {"a": 0}}})", Code::kMalformed, "unk_token"},
    {"{" MODEL R"(, "normalizer": {"type": "Rot13"}})", Code::kUnsupported, "Rot13"},
    {"{" MODEL R"(, "normalizer": {"type": "Sequence"}})", Code::kMalformed, "normalizers"},
    {"{" MODEL R"(, "normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}})",
     Code::kMalformed, "charsmap"},
    {"{" MODEL
     R"(, "normalizer": {"type": "Precompiled", "precompiled_charsmap": "////fwAAAAA="}})",
     Code::kMalformed, "charsmap"},
    {"{" MODEL R"(, "pre_tokenizer": {"type": "UnicodeScripts"}})", Code::kUnsupported,
     "UnicodeScripts"},
    {"{" MODEL
     R"(, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "("}, "behavior": "Isolated"}})",
     Code::kMalformed, "regex"},
    {"{" MODEL
     R"(, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "[a&&b]"}, "behavior": "Isolated"}})",
     Code::kUnsupported, "intersection"},
    {"{" MODEL
     R"(, "pre_tokenizer": {"type": "Split", "pattern": {"String": "a"}, "behavior": "Sideways"}})",
     Code::kMalformed, "behavior"},
    {"{" MODEL R"(, "pre_tokenizer": {"type": "Metaspace", "replacement": "ab"}})",
     Code::kMalformed, "replacement"},
    {"{" MODEL R"(, "post_processor": {"type": "TemplateProcessing", "single": []}})",
     Code::kUnsupported, "0 times"},
    {"{" MODEL
     R"(, "post_processor": {"type": "BertProcessing", "sep": ["x", 99], "cls": ["y", 0]}})",
     Code::kMalformed, "token 99"},
    {"{" MODEL R"(, "decoder": {"type": "Mirror"}})", Code::kUnsupported, "Mirror"},
    {"{" MODEL R"(, "decoder": {"type": "Strip", "content": "", "start": 1, "stop": 0}})",
     Code::kMalformed, "content"},
    {"{" MODEL R"(, "added_tokens": [{"id": 3}]})", Code::kMalformed, "content"},
    {"{" MODEL R"(, "added_tokens": 3})", Code::kMalformed, "added_tokens"},
};

TEST(Hostile, EachWrongPartIsOneNamedRefusal) {
  for (const Refusal& refusal : kRefusals) {
    const auto tokenizer = Tokenizer::from_json(refusal.json, "t.json");
    ASSERT_FALSE(tokenizer.ok()) << refusal.json;
    const std::string message = tokenizer.status().to_string();
    EXPECT_EQ(tokenizer.status().code, refusal.code) << message;
    EXPECT_NE(message.find(refusal.names), std::string::npos) << message;
    EXPECT_NE(message.find("t.json"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(Hostile, DeeplyNestedSequencesAreRefused) {
  std::string json = R"({"type": "NFC"})";
  for (int i = 0; i < 200; ++i) json = R"({"type": "Sequence", "normalizers": [)" + json + "]}";
  EXPECT_FALSE(Tokenizer::from_json("{" MODEL R"(, "normalizer": )" + json + "}", "t.json").ok());
}

TEST(Hostile, GrowingNormalizersEndInAnError) {
  std::string steps;
  for (int i = 0; i < 60; ++i)
    steps +=
        std::string(i == 0 ? "" : ",") +
        R"({"type": "Replace", "pattern": {"String": "a"}, "content": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"})";
  const Tokenizer tokenizer = must(Tokenizer::from_json(
      "{" MODEL R"(, "normalizer": {"type": "Sequence", "normalizers": [)" + steps + "]}}",
      "t.json"));
  const auto ids = tokenizer.encode("a");
  ASSERT_FALSE(ids.ok());
  EXPECT_EQ(ids.status().code, Code::kResourceExhausted);
}

TEST(Hostile, CatastrophicRegexEndsInAnErrorSoon) {
  for (const char* pattern : {"(a+)+b", "(a|aa)+$b", "(?:a*)*b", "\\p{L}*\\p{N}", "(a*)*\\1b"}) {
    const auto regex = Regex::compile(pattern, "t.json");
    ASSERT_TRUE(regex.ok()) << regex.status().to_string();
    std::vector<Match> matches;
    const testing_support::ProcessorTime time;
    const Status status = regex->find_all(std::string(200000, 'a'), matches);
    EXPECT_LT(time.seconds(), 5.0) << pattern;
    if (!status.ok()) {
      EXPECT_EQ(status.code, Code::kResourceExhausted);
    }
  }
}

/// Each start of the search takes milliseconds here, and no start alone reaches PCRE2's limits.
TEST(Hostile, RegexThatIsSlowAtEachStartEndsInAnErrorSoon) {
  const auto regex = Regex::compile("(?:a|b|ab)*c", "t.json");
  ASSERT_TRUE(regex.ok()) << regex.status().to_string();
  std::vector<Match> matches;
  const testing_support::ProcessorTime time;
  const Status status = regex->find_all(std::string(30000, 'a'), matches);
  const double seconds = time.seconds();
  EXPECT_EQ(status.code, Code::kResourceExhausted);
  EXPECT_EQ(status.message, "a regex gave up on 30000 bytes of text: match limit exceeded");
#if !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(seconds, 1.5);
#endif
}

TEST(Hostile, IllFormedTextIsReplacedAsPythonDoes) {
  const Tokenizer tokenizer =
      must(Tokenizer::from_folder(testing::source_dir() / "models/tiny-tales"));
  // Python: bytes.decode("utf-8", "replace").
  const std::pair<std::string, std::string> pairs[] = {
      {"a\xFF"
       "b",
       "a\xEF\xBF\xBD"
       "b"},
      {"\xE2\x82", "\xEF\xBF\xBD"},
      {"\xE2\x82\xE2\x82\xAC", "\xEF\xBF\xBD\xE2\x82\xAC"},
      {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"\xF0\x9F\x98", "\xEF\xBF\xBD"},
      {"\xC0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
  };
  for (const auto& [bytes, text] : pairs)
    EXPECT_EQ(*tokenizer.encode(bytes), *tokenizer.encode(text));
}

TEST(Hostile, NulIsACharacterLikeAnyOther) {
  const Tokenizer tokenizer =
      must(Tokenizer::from_folder(testing::source_dir() / "models/tiny-tales"));
  const std::string text("a\0b\0\0", 5);
  EXPECT_EQ(tokenizer.decode(*tokenizer.encode(text), false), text);
}

TEST(Hostile, IdsOutOfTheVocabularyDecodeToNothing) {
  for (const auto& [name, tokenizer] : testing::all_fixtures()) {
    const std::vector<int32_t> ids{-1, INT32_MIN, INT32_MAX, tokenizer.vocab_size()};
    EXPECT_EQ(tokenizer.decode(ids, false), "") << name;
    EXPECT_EQ(tokenizer.token_text(-5), "");
    EXPECT_FALSE(tokenizer.is_special(INT32_MAX));
    Detokenizer detokenizer(tokenizer);
    for (const int32_t id : ids) EXPECT_EQ(detokenizer.push(id), "");
    EXPECT_EQ(detokenizer.finish(), "");
  }
}

TEST(Hostile, TextAboveTheLimitIsRefused) {
  const Tokenizer tokenizer =
      must(Tokenizer::from_folder(testing::source_dir() / "models/tiny-tales"));
  const auto ids = tokenizer.encode(std::string((64 << 20) + 1, 'a'));
  ASSERT_FALSE(ids.ok());
  EXPECT_EQ(ids.status().code, Code::kInvalidArgument);
}

}  // namespace
}  // namespace legato::tokenizer
