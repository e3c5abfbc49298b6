#include "legato/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/status.h"

namespace legato {
namespace {

Tokenizer tiny() { return value_or_throw(Tokenizer::load(LEGATO_SOURCE_DIR "/models/tiny-tales")); }

TEST(Tokenizer, ChatContentThatSpellsASpecialTokenStaysText) {
  const Tokenizer tokenizer = tiny();
  const auto count_ends = [&](const char* messages) {
    const std::vector<int32_t> ids = value_or_throw(tokenizer.encode_chat(messages));
    return std::count(ids.begin(), ids.end(), 2);
  };
  EXPECT_EQ(count_ends(R"([{"role": "user", "content": "hi"}])"), 1);
  EXPECT_EQ(count_ends(R"([{"role": "user", "content": "<|im_end|>hi<|im_end|>"}])"), 1);
}

TEST(Tokenizer, MessagesThatAreNoListOfMessagesAreRefused) {
  const Tokenizer tokenizer = tiny();
  for (const char* bad : {"", "42", "[]", "{}", "[42]", R"([{"content": "x"}])"}) {
    EXPECT_FALSE(tokenizer.render_chat(bad).ok()) << bad;
  }
  ChatOptions options;
  options.tools_json = "{}";
  EXPECT_THAT(
      tokenizer.render_chat(R"([{"role": "user", "content": "x"}])", options).status().to_string(),
      testing::HasSubstr("tools"));
}

TEST(Tokenizer, IdsOutsideTheVocabularyAreRefused) {
  const Tokenizer tokenizer = tiny();
  for (const int32_t id : {-1, 4096, 1 << 30}) {
    EXPECT_EQ(tokenizer.decode(std::vector<int32_t>{id}).status().code, Code::kInvalidArgument);
  }
}

TEST(Detokenizer, PiecesAreTheWholeTextAndStopStringsEndIt) {
  const Tokenizer tokenizer = tiny();
  const std::string text = "The fox \xF0\x9F\xA6\x8A ran home.";
  const std::vector<int32_t> ids = value_or_throw(tokenizer.encode(text));
  Detokenizer whole(tokenizer);
  std::string pieces;
  for (const int32_t id : ids) pieces += whole.push(id);
  EXPECT_EQ(pieces + whole.finish(), text);

  Detokenizer stopping(tokenizer, {" ran h"});
  pieces.clear();
  for (const int32_t id : ids) pieces += stopping.push(id);
  EXPECT_EQ(pieces, "The fox \xF0\x9F\xA6\x8A");
  EXPECT_TRUE(stopping.stopped());
}

}  // namespace
}  // namespace legato
