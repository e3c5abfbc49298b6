#include "cli/chat_history.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace legato::cli {
namespace {

TEST(ChatHistory, DropsWholeTurnsAndKeepsSystemAndLastQuestion) {
  ChatHistory history("be brief");
  history.add_user("first");
  history.add_assistant("answer");
  history.add_user("second");
  EXPECT_TRUE(history.drop_oldest_turn());
  const Json left = Json::parse(history.to_json());
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0]["role"], "system");
  EXPECT_EQ(left[1]["content"], "second");
  EXPECT_FALSE(history.drop_oldest_turn());
  EXPECT_EQ(history.size(), 1u);
}

TEST(ChatHistory, InvalidUtf8BecomesAReplacementCharacter) {
  ChatHistory history(std::nullopt);
  history.add_user("a\xff");
  EXPECT_EQ(Json::parse(history.to_json())[0]["content"], "a\xEF\xBF\xBD");
}

}  // namespace
}  // namespace legato::cli
