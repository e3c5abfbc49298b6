#include "tokenizer/detokenizer.h"

#include <gtest/gtest.h>

#include <random>

#include "base/utf8.h"
#include "tests/support/processor_time.h"
#include "tokenizer/fixtures.h"

namespace legato::tokenizer {
namespace {

using testing::all_fixtures;
using testing::must;

std::vector<int32_t> random_ids(std::mt19937& random, int32_t size, size_t count) {
  std::vector<int32_t> ids;
  for (size_t i = 0; i < count; ++i) ids.push_back(static_cast<int32_t>(random() % (size + 2u)));
  return ids;
}

std::string streamed(const Tokenizer& tokenizer, const std::vector<int32_t>& ids,
                     const DetokenizerOptions& options) {
  Detokenizer detokenizer(tokenizer, options);
  std::string text;
  for (const int32_t id : ids) {
    const std::string part = detokenizer.push(id);
    EXPECT_TRUE(is_utf8(part));
    text += part;
  }
  return text + detokenizer.finish();
}

TEST(Detokenizer, StreamEqualsDecodingTheWhole) {
  std::mt19937 random(1);
  for (const auto& [name, tokenizer] : all_fixtures()) {
    for (int round = 0; round < 200; ++round) {
      const auto ids = random_ids(random, tokenizer.vocab_size(), random() % 40);
      for (const bool skip : {false, true})
        ASSERT_EQ(streamed(tokenizer, ids, {.skip_special = skip, .stop = {}}),
                  tokenizer.decode(ids, skip))
            << name << " " << Json(ids);
    }
  }
}

TEST(Detokenizer, StopStringCutsTheTextWhereverTokensEnd) {
  std::mt19937 random(2);
  for (const auto& [name, tokenizer] : all_fixtures()) {
    for (int round = 0; round < 60; ++round) {
      const auto ids = random_ids(random, tokenizer.vocab_size(), 20);
      const std::string whole = tokenizer.decode(ids, true);
      if (whole.size() < 8) continue;
      // A stop string that does occur, beginning and ending at characters.
      size_t begin = random() % (whole.size() - 4);
      size_t end = begin + 1 + random() % 6;
      while (begin > 0 && is_continuation(whole[begin])) --begin;
      while (end < whole.size() && is_continuation(whole[end])) ++end;
      const std::string stop = whole.substr(begin, end - begin);
      ASSERT_EQ(streamed(tokenizer, ids, {.skip_special = true, .stop = {stop}}),
                whole.substr(0, whole.find(stop)))
          << name << " " << testing::shown(stop) << " in " << testing::shown(whole);
    }
  }
}

TEST(Detokenizer, HoldsBackWhatMayBecomeAStopString) {
  const Tokenizer tokenizer =
      must(Tokenizer::from_folder(testing::source_dir() / "models/tiny-tales"));
  const auto ids = tokenizer.encode("one END two", {.add_special = false});
  ASSERT_TRUE(ids.ok());
  Detokenizer detokenizer(tokenizer, {.skip_special = true, .stop = {"ENDING", "never"}});
  std::string text;
  for (const int32_t id : *ids) {
    text += detokenizer.push(id);
    EXPECT_FALSE(text.ends_with("END")) << "given out while ENDING was possible";
  }
  EXPECT_FALSE(detokenizer.stopped());
  EXPECT_EQ(text + detokenizer.finish(), "one END two");
}

TEST(Detokenizer, NearMissAtTheEndIsGivenOut) {
  const Tokenizer tokenizer =
      must(Tokenizer::from_folder(testing::source_dir() / "models/tiny-tales"));
  const auto ids = tokenizer.encode("a story <en", {.add_special = false});
  EXPECT_EQ(streamed(tokenizer, *ids, {.skip_special = true, .stop = {"<end>"}}), "a story <en");
}

TEST(Detokenizer, SaysWhichStopStringWasMet) {
  const Tokenizer tokenizer =
      must(Tokenizer::from_folder(testing::source_dir() / "models/tiny-tales"));
  Detokenizer detokenizer(tokenizer, {.skip_special = true, .stop = {"", "zzz", "fox"}});
  const auto ids = tokenizer.encode("a fox ran away", {.add_special = false});
  std::string text;
  for (const int32_t id : *ids) text += detokenizer.push(id);
  EXPECT_EQ(text + detokenizer.finish(), "a ");
  EXPECT_EQ(detokenizer.stop_index(), 2u);
}

TEST(Detokenizer, CharacterOverSeveralTokensComesWhole) {
  const Tokenizer tokenizer =
      must(Tokenizer::from_folder(testing::source_dir() / "models/tiny-tales"));
  const auto ids = tokenizer.encode("\xF0\x9F\xA6\x8A!", {.add_special = false});
  ASSERT_GT(ids->size(), 2u);
  Detokenizer detokenizer(tokenizer);
  EXPECT_EQ(detokenizer.push(ids->at(0)), "");
  std::string text;
  for (size_t i = 1; i < ids->size(); ++i) text += detokenizer.push(ids->at(i));
  EXPECT_EQ(text, "\xF0\x9F\xA6\x8A!");
  Detokenizer cut(tokenizer);
  EXPECT_EQ(cut.push(ids->at(0)), "");
  EXPECT_EQ(cut.finish(), kReplacementText);
}

TEST(Detokenizer, PrimedStreamKeepsTheSpaceAfterThePrompt) {
  const Tokenizer tokenizer = must(Tokenizer::from_folder(testing::data_dir() / "llama2-style"));
  const auto all = tokenizer.encode("Once upon a time", {.add_special = false});
  ASSERT_TRUE(all.ok());
  ASSERT_GT(all->size(), 2u);
  const std::span<const int32_t> ids(*all);
  Detokenizer detokenizer(tokenizer);
  detokenizer.prime(ids.first(1));
  std::string text = tokenizer.decode(ids.first(1), true);
  for (const int32_t id : ids.subspan(1)) text += detokenizer.push(id);
  EXPECT_EQ(text + detokenizer.finish(), "Once upon a time");
}

TEST(Detokenizer, CostOfAPushDoesNotGrow) {
  for (const auto& [name, tokenizer] : all_fixtures()) {
    std::mt19937 random(3);
    Detokenizer detokenizer(tokenizer, {.skip_special = false, .stop = {"never to be seen"}});
    const testing_support::ProcessorTime time;
    for (int i = 0; i < 100000; ++i)
      detokenizer.push(
          static_cast<int32_t>(random() % static_cast<uint32_t>(tokenizer.vocab_size())));
    detokenizer.finish();
    // Re-decoding everything would take minutes.
    EXPECT_LT(time.seconds(), 5.0) << name;
  }
}

}  // namespace
}  // namespace legato::tokenizer
