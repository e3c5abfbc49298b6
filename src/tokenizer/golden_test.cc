#include <gtest/gtest.h>

#include "tokenizer/fixtures.h"

namespace legato::tokenizer {
namespace {

using testing::data_dir;
using testing::must;
using testing::shown;

/// The pairs of one golden file, both ways.
void check_pairs(const std::filesystem::path& folder, const std::string& pairs_file) {
  const Tokenizer tokenizer = must(Tokenizer::from_folder(folder));
  const auto pairs = read_json_file((data_dir() / pairs_file).string());
  ASSERT_TRUE(pairs.ok()) << pairs.status().to_string();
  EXPECT_EQ(tokenizer.vocab_size(), (*pairs)["vocab_size"].get<int>());
  ASSERT_GE((*pairs)["items"].size(), 200u);
  for (const Json& item : (*pairs)["items"]) {
    const auto text = item["text"].get<std::string>();
    const auto ids = item["ids"].get<std::vector<int32_t>>();
    const auto encoded = tokenizer.encode(text, {.add_special = false, .parse_special = true});
    ASSERT_TRUE(encoded.ok()) << encoded.status().to_string();
    EXPECT_EQ(*encoded, ids) << shown(text);
    EXPECT_EQ(tokenizer.decode(ids, false), item["decoded"].get<std::string>()) << shown(text);
    if (!item.contains("ids_with_special")) continue;
    const auto full = tokenizer.encode(text, {.add_special = true, .parse_special = true});
    ASSERT_TRUE(full.ok());
    EXPECT_EQ(*full, item["ids_with_special"].get<std::vector<int32_t>>()) << shown(text);
  }
  for (const Json& chat : pairs->value("chat", Json::array())) {
    const auto text = chat["text"].get<std::string>();
    const auto encoded = tokenizer.encode(text, {.add_special = false, .parse_special = true});
    ASSERT_TRUE(encoded.ok());
    EXPECT_EQ(*encoded, chat["ids"].get<std::vector<int32_t>>()) << shown(text);
  }
}

TEST(Golden, Llama2StylePairsHoldBothWays) {
  check_pairs(data_dir() / "llama2-style", "tokenizer-llama2-style.json");
}

TEST(Golden, Qwen2StylePairsHoldBothWays) {
  check_pairs(data_dir() / "qwen2-style", "tokenizer-qwen2-style.json");
}

TEST(Golden, TinyTalesPairsHoldBothWays) {
  check_pairs(testing::source_dir() / "models/tiny-tales", "tokenizer-tiny-tales.json");
}

}  // namespace
}  // namespace legato::tokenizer
