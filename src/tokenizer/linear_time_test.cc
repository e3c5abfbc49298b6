#include <gtest/gtest.h>

#include <chrono>

#include "tokenizer/fixtures.h"

namespace legato::tokenizer {
namespace {

using testing::all_fixtures;

constexpr size_t kMegabyte = 1 << 20;
// The many small fixtures get a quarter, so that the suite stays short.
constexpr size_t kQuarter = kMegabyte / 4;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
constexpr double kSeconds = 20.0;
#else
// A second is the goal; a busy machine may take twice that.
constexpr double kSeconds = 2.0;
#endif

std::string repeated(std::string_view unit, size_t size) {
  std::string text;
  while (text.size() + unit.size() <= size) text += unit;
  return text;
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class LinearTime : public ::testing::TestWithParam<std::string> {};

TEST_P(LinearTime, AMegabyteIsEncodedInLinearTime) {
  for (const auto& [name, tokenizer] : all_fixtures()) {
    const size_t size = name.find('/') != std::string::npos ? kMegabyte : kQuarter;
    const std::string text = repeated(GetParam(), size);
    const double started = thread_seconds();
    const auto ids = tokenizer.encode(text);
    EXPECT_LT(thread_seconds() - started, kSeconds * static_cast<double>(size) / kMegabyte) << name;
    // Some fixtures have no unknown token; they may refuse, not give up.
    if (!ids.ok()) {
      EXPECT_EQ(ids.status().code, Code::kInvalidArgument) << name << ids.status().to_string();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Texts, LinearTime,
                         ::testing::Values<std::string>("a", " ", "ab", "\xF0\x9F\x98\x80", "\n",
                                                        " a", "e\xCC\x81", "\xCC\x81\xCC\xA3", "1",
                                                        "!", "\xE3\x81\x82", "<", "<s>",
                                                        std::string(1, '\0'), "\xFF", "a.b,c;",
                                                        " \n"));

/// A long piece is cut where merges can't reach, so that a repeated word goes on giving the same.
TEST(LinearTime, LongPiecesAreCutWithoutAnEffect) {
  constexpr size_t kWords = 200'000;
  const std::string word = "ab\xC3\xA9" + std::string(3, '\0');
  size_t checked = 0;
  for (const auto& [name, tokenizer] : all_fixtures()) {
    const auto ids = tokenizer.encode(repeated(word, kWords * word.size()), {.add_special = false});
    if (!ids.ok() || ids->size() < kWords) continue;  // words of such a length are unknown
    const size_t period = ids->size() / kWords;
    for (size_t i = 2 * period; i < ids->size(); ++i)
      ASSERT_EQ((*ids)[i], (*ids)[i - period]) << name << " at " << i;
    ++checked;
  }
  EXPECT_GE(checked, 10u);
}

TEST(LinearTime, WordThatCannotBeCutIsRefusedAtItsBound) {
  const std::string json =
      R"({"model": {"type": "BPE", "vocab": {"a": 0, "aa": 1, "b": 2}, "merges": ["a a"]}})";
  const Tokenizer tokenizer = testing::must(Tokenizer::from_json(json, "t.json"));
  EXPECT_EQ(tokenizer.encode(std::string(4 << 20, 'a'))->size(), size_t{2} << 20);
  const auto refused = tokenizer.encode(std::string((4 << 20) + 1, 'a'));
  EXPECT_EQ(refused.status().code, Code::kResourceExhausted);
  EXPECT_EQ(tokenizer.encode(std::string(5 << 20, 'b'))->size(), size_t{5} << 20);
}

TEST(LinearTime, MegabyteOfOneLetterDecodesToItself) {
  const std::string text = repeated("a", kMegabyte);
  for (const char* folder : {"models/tiny-tales", "tests/data/tokenizers/llama2-style"}) {
    const auto tokenizer = Tokenizer::from_folder(testing::source_dir() / folder);
    ASSERT_TRUE(tokenizer.ok());
    const auto ids = tokenizer->encode(text, {.add_special = false});
    ASSERT_TRUE(ids.ok());
    EXPECT_EQ(tokenizer->decode(*ids, false), text);
  }
}

}  // namespace
}  // namespace legato::tokenizer
