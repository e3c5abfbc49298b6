#include "tokenizer/folder.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "tests/support/temporary_folder.h"
#include "tokenizer/fixtures.h"

namespace legato::tokenizer {
namespace {

namespace fs = std::filesystem;
using testing::must;
using testing::source_dir;

class Folder : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) { folder_.write(name, text); }
  void copy_tiny_tales() {
    fs::copy_file(source_dir() / "models/tiny-tales/tokenizer.json", path_ / "tokenizer.json");
  }
  /// tiny-tales as vocab.json and merges.txt.
  void write_vocab_and_merges() {
    const auto json = read_json_file((source_dir() / "models/tiny-tales/tokenizer.json").string());
    ASSERT_TRUE(json.ok());
    write("vocab.json", (*json)["model"]["vocab"].dump());
    std::string merges = "#version: 0.2\n";
    for (const Json& merge : (*json)["model"]["merges"])
      merges += merge[0].get<std::string>() + " " + merge[1].get<std::string>() + "\n";
    write("merges.txt", merges);
  }
  Tokenizer load() { return must(Tokenizer::from_folder(path_)); }

  const TemporaryFolder folder_;
  const fs::path& path_ = folder_.path();
};

TEST_F(Folder, WithoutTokenizerIsNotFoundByName) {
  const auto tokenizer = Tokenizer::from_folder(path_);
  ASSERT_FALSE(tokenizer.ok());
  EXPECT_EQ(tokenizer.status().code, Code::kNotFound);
  EXPECT_NE(tokenizer.status().message.find("expected tokenizer.json"), std::string::npos);
  write("tokenizer.model", "x");
  EXPECT_NE(Tokenizer::from_folder(path_).status().message.find("tokenizer.model only"),
            std::string::npos);
}

TEST_F(Folder, NamedTokensAreTextsOrObjects) {
  copy_tiny_tales();
  write(
      "tokenizer_config.json",
      R"({"bos_token": {"content": "<|im_start|>", "lstrip": false}, "eos_token": "<|im_end|>"})");
  write("special_tokens_map.json",
        R"({"eos_token": "<|im_start|>", "pad_token": "<|endoftext|>"})");
  const Tokenizer tokenizer = load();
  EXPECT_EQ(tokenizer.bos_id(), 1);
  EXPECT_EQ(tokenizer.eos_id(), 2);
  EXPECT_EQ(tokenizer.pad_id(), 0);
  EXPECT_EQ(tokenizer.named_token("eos_token"), "<|im_end|>");
  EXPECT_EQ(tokenizer.named_id("unk_token"), std::nullopt);
}

TEST_F(Folder, AddBosTokenOverrulesThePostProcessor) {
  copy_tiny_tales();
  write("tokenizer_config.json", R"({"bos_token": "<|im_start|>", "add_bos_token": true})");
  EXPECT_EQ(load().encode("")->at(0), 1);
  write("tokenizer_config.json", R"({"bos_token": "<|im_start|>", "add_bos_token": false})");
  EXPECT_TRUE(load().encode("")->empty());
  write("tokenizer_config.json", R"({"add_bos_token": true})");
  EXPECT_NE(Tokenizer::from_folder(path_).status().message.find("no bos_token"), std::string::npos);
}

TEST_F(Folder, VocabAndMergesEqualTheirTokenizerJson) {
  write_vocab_and_merges();
  write("tokenizer_config.json",
        R"({"tokenizer_class": "GPT2Tokenizer", "eos_token": "<|endoftext|>",
            "added_tokens_decoder": {"1": {"content": "<|im_start|>", "special": true},
                                     "2": {"content": "<|im_end|>", "special": true}}})");
  const Tokenizer subject = load();
  const Tokenizer whole = must(Tokenizer::from_folder(source_dir() / "models/tiny-tales"));
  for (const char* text :
       {"Once upon a time", " don't  stop\n\n12", "<|im_start|>user\n<|endoftext|>"})
    EXPECT_EQ(*subject.encode(text, {true, true}), *whole.encode(text, {true, true})) << text;
  EXPECT_EQ(subject.eos_id(), 0);
}

TEST_F(Folder, VocabAndMergesOfAnUnknownClassAreRefusedByName) {
  write_vocab_and_merges();
  write("tokenizer_config.json", R"({"tokenizer_class": "CLIPTokenizer"})");
  const auto tokenizer = Tokenizer::from_folder(path_);
  ASSERT_FALSE(tokenizer.ok());
  EXPECT_EQ(tokenizer.status().code, Code::kUnsupported);
  EXPECT_NE(tokenizer.status().message.find("CLIPTokenizer"), std::string::npos);
}

TEST_F(Folder, LegacyAddedTokensGetTheNextIds) {
  copy_tiny_tales();
  write("added_tokens.json", R"({"<b>": 4097, "<a>": 4096})");
  const Tokenizer tokenizer = load();
  EXPECT_EQ(tokenizer.token_to_id("<a>"), 4096);
  EXPECT_EQ(tokenizer.token_to_id("<b>"), 4097);
  EXPECT_EQ(tokenizer.vocab_size(), 4098);
}

TEST_F(Folder, ChatTemplateIsATextAListOrAFile) {
  copy_tiny_tales();
  write(
      "tokenizer_config.json",
      R"({"chat_template": [{"name": "default", "template": "D"}, {"name": "tool_use", "template": "T"}]})");
  EXPECT_EQ(load().chat_template(), "D");
  EXPECT_EQ(load().chat_template("tool_use"), "T");
  write("chat_templates/rag.jinja", "R");
  write("additional_chat_templates/tool_use.jinja", "A");
  write("chat_template.jinja", "F");
  const Tokenizer tokenizer = load();
  EXPECT_EQ(tokenizer.chat_template(), "F");
  EXPECT_EQ(tokenizer.chat_template("rag"), "R");
  EXPECT_EQ(tokenizer.chat_template("tool_use"), "A");
  EXPECT_EQ(tokenizer.chat_template("none"), "");
  EXPECT_EQ(tokenizer.chat_template_names(),
            (std::vector<std::string>{"default", "rag", "tool_use"}));
}

TEST_F(Folder, NoFileOfTheTokenizerMayLinkOutOfTheFolder) {
  const fs::path outside = path_.string() + "-outside";
  fs::create_directories(outside);
  const auto refused = [&](const fs::path& name, const std::string& text) {
    std::ofstream(outside / name.filename(), std::ios::binary) << text;
    fs::create_directories((path_ / name).parent_path());
    fs::remove(path_ / name);
    fs::create_symlink(outside / name.filename(), path_ / name);
    const Status status = Tokenizer::from_folder(path_).status();
    EXPECT_EQ(status.code, Code::kInvalidArgument) << name;
    EXPECT_EQ(status.where, (path_ / name).string());
    EXPECT_NE(status.message.find("outside the model's folder"), std::string::npos) << name;
    fs::remove(path_ / name);
  };
  write_vocab_and_merges();
  for (const char* name : {"vocab.json", "merges.txt"}) {
    const std::string text = *read_file(path_ / name, 1 << 20);
    refused(name, text);
    write(name, text);
  }
  const std::string whole = *read_file(source_dir() / "models/tiny-tales/tokenizer.json", 16 << 20);
  refused("tokenizer.json", whole);
  write("tokenizer.json", whole);
  for (const char* name : {"tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"})
    refused(name, "{}");
  refused("chat_template.jinja", "F");
  refused("chat_templates/rag.jinja", "R");
  refused("additional_chat_templates/rag.jinja", "R");
  EXPECT_TRUE(Tokenizer::from_folder(path_).ok());
  fs::remove_all(outside);
}

TEST_F(Folder, LinkToNothingIsNoAbsentTokenizer) {
  fs::create_symlink("nowhere", path_ / "tokenizer.json");
  EXPECT_EQ(Tokenizer::from_folder(path_).status().code, Code::kInvalidArgument);
}

}  // namespace
}  // namespace legato::tokenizer
