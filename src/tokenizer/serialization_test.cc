#include "tokenizer/serialization.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/processor_time.h"
#include "tokenizer/fixtures.h"

namespace legato::tokenizer {
namespace {

using testing::all_fixtures;
using testing::must;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(Serialization, TokenizerComesBackTheSame) {
  const std::string text =
      "Once upon a time <s> <mask> word NORM \xE6\x97\xA5\xE6\x9C\xAC 12345 \xF0\x9F\x98\x80  "
      "x\n\n";
  for (const auto& [name, tokenizer] : all_fixtures()) {
    const std::string bytes = tokenizer.serialize();
    const auto loaded = Tokenizer::deserialize(bytes_of(bytes), name);
    ASSERT_TRUE(loaded.ok()) << loaded.status().to_string();
    EXPECT_EQ(loaded->serialize(), bytes) << name;
    for (const bool parse : {false, true}) {
      const auto before = tokenizer.encode(text, {true, parse});
      const auto after = loaded->encode(text, {true, parse});
      ASSERT_EQ(before.ok(), after.ok()) << name;
      if (!before.ok()) continue;
      EXPECT_EQ(*before, *after) << name;
      EXPECT_EQ(tokenizer.decode(*before, true), loaded->decode(*after, true)) << name;
    }
    EXPECT_EQ(tokenizer.vocab_size(), loaded->vocab_size());
    EXPECT_EQ(tokenizer.chat_template(), loaded->chat_template());
    EXPECT_EQ(tokenizer.eos_id(), loaded->eos_id());
  }
}

TEST(Serialization, EveryTruncationIsRefused) {
  const std::string bytes = all_fixtures()[3].tokenizer.serialize();
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 64) {
    const auto loaded = Tokenizer::deserialize(bytes_of(bytes).first(size), "cut.engine");
    ASSERT_FALSE(loaded.ok()) << size;
    EXPECT_NE(loaded.status().to_string().find("cut.engine"), std::string::npos);
  }
}

TEST(Serialization, AnotherVersionIsNamed) {
  std::string bytes = all_fixtures()[0].tokenizer.serialize();
  bytes[4] = 9;
  const auto loaded = Tokenizer::deserialize(bytes_of(bytes), "old.engine");
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.status().code, Code::kVersionMismatch);
  EXPECT_NE(loaded.status().message.find("version 9, expected 1"), std::string::npos);
}

TEST(Serialization, FlippedBytesNeverCrash) {
  std::mt19937 random(4);
  for (const auto& [name, tokenizer] : all_fixtures()) {
    const std::string bytes = tokenizer.serialize();
    for (int round = 0; round < 30; ++round) {
      std::string broken = bytes;
      for (int i = 0; i < 3; ++i)
        broken[random() % (round % 2 == 0 ? std::min<size_t>(broken.size(), 400) : broken.size())] =
            static_cast<char>(random());
      const auto loaded = Tokenizer::deserialize(bytes_of(broken), name);
      if (!loaded.ok()) continue;
      const auto ids = loaded->encode("Once upon a time <s>", {true, true});
      if (ids.ok()) loaded->decode(*ids, false);
    }
  }
}

/// A vocabulary as large as Llama 3's: 128k tokens, 280k merges.
Definition large_definition() {
  std::vector<Vocabulary::Token> tokens;
  std::vector<Merge> merges;
  std::mt19937 random(5);
  for (int32_t id = 0; id < 128000; ++id) {
    std::string text;
    for (int32_t rest = id + 1; rest > 0; rest /= 26) text += static_cast<char>('a' + rest % 26);
    tokens.push_back({text + "_" + std::to_string(id), id});
  }
  for (int i = 0; i < 280000; ++i)
    merges.push_back({static_cast<uint32_t>(random() % 128000),
                      static_cast<uint32_t>(random() % 128000),
                      static_cast<uint32_t>(random() % 128000)});
  Definition definition;
  definition.config = {{"model", {{"type", "BPE"}}},        {"prefix", Json::array()},
                       {"suffix", Json::array()},           {"added_tokens", Json::array()},
                       {"named_tokens", Json::object()},    {"chat_templates", Json::object()},
                       {"decoder", {{"type", "ByteLevel"}}}};
  auto vocabulary = Vocabulary::from_tokens(tokens, "large");
  if (!vocabulary.ok()) throw std::runtime_error(vocabulary.status().to_string());
  definition.vocabulary = std::move(vocabulary).value();
  definition.merges = std::move(merges);
  return definition;
}

TEST(Serialization, LargeVocabularyLoadsFast) {
  const std::string bytes = serialize(large_definition());
  EXPECT_LT(bytes.size(), 8u << 20);
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const testing_support::ProcessorTime time;
    const auto loaded = Tokenizer::deserialize(bytes_of(bytes), "large");
    ASSERT_TRUE(loaded.ok()) << loaded.status().to_string();
    best = std::min(best, time.seconds());
  }
  RecordProperty("milliseconds", static_cast<int>(best * 1000));
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(best, 0.1) << "30 ms are the goal on an idle machine";
#endif
}

}  // namespace
}  // namespace legato::tokenizer
