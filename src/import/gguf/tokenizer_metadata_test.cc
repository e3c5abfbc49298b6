#include "import/gguf/tokenizer_metadata.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "import/gguf/gguf_importer.h"
#include "import/gguf/test_bytes.h"
#include "import/import_fixture.h"
#include "tokenizer/detokenizer.h"
#include "tokenizer/metadata.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer/split.h"

namespace legato::importer {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tokenizer::Tokenizer;

const fs::path kTests = fs::path(LEGATO_SOURCE_DIR) / "tests/data";

const Json& cases() {
  static const Json json = value_or_throw(read_json_file((kTests / "gguf/cases.json").string()));
  return json;
}

/// Metadata as bytes, with a tokenizer of a few tokens.
std::string small_tokenizer(const std::function<void(GgufBytes&)>& change,
                            const std::string& model = "gpt2") {
  GgufBytes file;
  file.text("tokenizer.ggml.model", model);
  change(file);
  return file.build();
}

Result<Tokenizer> read(const std::string& bytes) {
  const auto file = GgufModelFile::from_bytes(std::as_bytes(std::span(bytes)), "m.gguf");
  return read_gguf_tokenizer(file->metadata());
}

std::string error_of_tokenizer(const std::function<void(GgufBytes&)>& change,
                               const std::string& model = "gpt2") {
  const Result<Tokenizer> tokenizer = read(small_tokenizer(change, model));
  EXPECT_FALSE(tokenizer.ok());
  return tokenizer.ok() ? "" : tokenizer.status().to_string();
}

TEST(GgufTokenizer, SentencePieceGivesTheIdsOfTheReference) {
  const Tokenizer tokenizer =
      value_or_throw(gguf_tokenizer(kTests / "gguf/tokenizer-sentencepiece.gguf"));
  const std::string stored = tokenizer.serialize();
  const Tokenizer copy =
      value_or_throw(Tokenizer::deserialize(std::as_bytes(std::span(stored)), "copy"));
  size_t compared = 0;
  for (const Json& item : cases().at("sentencepiece")) {
    const std::string text = item.at("text");
    const auto expected = item.at("ids").get<std::vector<int32_t>>();
    for (const Tokenizer& each : {tokenizer, copy}) {
      EXPECT_EQ(value_or_throw(each.encode(text, {.add_special = false})), expected) << text;
      EXPECT_EQ(each.decode(expected, true), item.at("decoded").get<std::string>()) << text;
    }
    ++compared;
  }
  EXPECT_GT(compared, 15u);
  EXPECT_EQ(value_or_throw(tokenizer.encode("", {})), std::vector<int32_t>{1});
}

TEST(GgufTokenizer, ByteLevelEqualsTheTokenizerJsonThatItWasMadeFrom) {
  const Tokenizer from_json =
      value_or_throw(Tokenizer::from_folder(kTests / "tokenizers/qwen2-style"));
  const Tokenizer from_gguf =
      value_or_throw(gguf_tokenizer(kTests / "gguf/tokenizer-qwen2-style.gguf"));
  EXPECT_EQ(from_gguf.vocab_size(), from_json.vocab_size());
  EXPECT_EQ(from_gguf.eos_id(), from_json.eos_id());
  EXPECT_EQ(from_gguf.chat_template(), from_json.chat_template());
  for (const Json& item : cases().at("sentencepiece")) {
    const std::string text = item.at("text").get<std::string>() + "<|im_start|>user\n";
    for (const bool parse : {false, true}) {
      const auto ids = value_or_throw(from_json.encode(text, {.parse_special = parse}));
      EXPECT_EQ(value_or_throw(from_gguf.encode(text, {.parse_special = parse})), ids) << text;
      EXPECT_EQ(from_gguf.decode(ids, false), from_json.decode(ids, false));
    }
  }
}

TEST(GgufTokenizer, NamedPreTokenizersCutAsTheReferenceDoes) {
  for (const auto& [name, list] : cases().at("pre_tokenizers").items()) {
    const auto named = value_or_throw(tokenizer::pre_tokenizer_by_name(name, "m.gguf"));
    const auto pre =
        value_or_throw(tokenizer::make_pre_tokenizer(named.pre_tokenizer, "m.gguf", "pre"));
    for (const Json& item : list) {
      const std::string text = item.at("text");
      tokenizer::Pieces pieces{text, {{0, text.size(), true}}};
      if (text.empty()) continue;
      throw_if_failed(pre->apply(pieces));
      std::vector<std::string> found;
      for (const tokenizer::Piece& piece : pieces.pieces) found.emplace_back(pieces.text(piece));
      EXPECT_EQ(found, item.at("pieces").get<std::vector<std::string>>()) << name << ": " << text;
    }
  }
}

TEST(GgufTokenizer, KindsAndFlagsDecideWhatIsAddedAndParsed) {
  const std::string bytes = small_tokenizer([](GgufBytes& file) {
    file.texts("tokenizer.ggml.tokens", {"a", "b", "ab", "<bos>", "<user>", "<eos>"});
    file.numbers<int32_t>("tokenizer.ggml.token_type", GgufValueType::kI32, {1, 1, 1, 3, 4, 3});
    file.texts("tokenizer.ggml.merges", {"a b"}).text("tokenizer.ggml.pre", "gpt-2");
    file.u32("tokenizer.ggml.bos_token_id", 3).u32("tokenizer.ggml.eos_token_id", 5);
    file.flag("tokenizer.ggml.add_bos_token", true).flag("tokenizer.ggml.add_eos_token", true);
    file.text("tokenizer.chat_template", "T").text("tokenizer.chat_template.tool_use", "U");
    file.texts("tokenizer.chat_templates", {"tool_use", "absent"});
  });
  const Tokenizer tokenizer = value_or_throw(read(bytes));
  EXPECT_THAT(value_or_throw(tokenizer.encode("ab<user>a", {})), ElementsAre(3, 2, 4, 0, 5));
  EXPECT_THAT(
      value_or_throw(tokenizer.encode("<eos>b", {.add_special = false, .parse_special = true})),
      ElementsAre(5, 1));
  EXPECT_EQ(tokenizer.bos_id(), 3);
  EXPECT_EQ(tokenizer.eos_id(), 5);
  EXPECT_TRUE(tokenizer.is_special(3));
  EXPECT_FALSE(tokenizer.is_special(4));
  EXPECT_EQ(tokenizer.chat_template(), "T");
  EXPECT_EQ(tokenizer.chat_template("tool_use"), "U");
}

TEST(GgufTokenizer, HabitsComeWithTheNameOfThePreTokenizer) {
  const auto ids = [](const char* pre) {
    const Tokenizer tokenizer = value_or_throw(read(small_tokenizer([&](GgufBytes& file) {
      file.texts("tokenizer.ggml.tokens", {"a", "b", "c", "ab", "abc", "<bos>"});
      file.texts("tokenizer.ggml.merges", {"a b"}).text("tokenizer.ggml.pre", pre);
      file.u32("tokenizer.ggml.bos_token_id", 5);
    })));
    return value_or_throw(tokenizer.encode("abc", {}));
  };
  // A begin token, and a piece that is a token stays whole though no merges lead there.
  for (const char* pre : {"llama-bpe", "llama3", "llama-v3", "falcon3", "tekken"})
    EXPECT_THAT(ids(pre), ElementsAre(5, 4)) << pre;
  for (const char* pre : {"default", "gpt-2", "qwen2", "smollm", "smaug-bpe", "starcoder"})
    EXPECT_THAT(ids(pre), ElementsAre(3, 2)) << pre;
}

/// The ids and the empty text are llama.cpp's.
TEST(GgufTokenizer, UnusedTokensMergeAndStandForNoText) {
  const auto read_with_copy = [](const std::string& bytes) {
    const Tokenizer tokenizer = value_or_throw(read(bytes));
    const std::string stored = tokenizer.serialize();
    return std::pair(tokenizer, value_or_throw(Tokenizer::deserialize(
                                    std::as_bytes(std::span(stored)), "copy")));
  };
  const auto expect = [](const Tokenizer& tokenizer, const std::vector<int32_t>& ids,
                         const std::string& decoded) {
    EXPECT_EQ(value_or_throw(tokenizer.encode("abc", {.add_special = false})), ids);
    for (const bool skip : {false, true}) {
      EXPECT_EQ(tokenizer.decode(ids, skip), decoded);
      tokenizer::Detokenizer stream(tokenizer, {.skip_special = skip});
      std::string text;
      for (const int32_t id : ids) text += stream.push(id);
      EXPECT_EQ(text + stream.finish(), decoded);
    }
  };
  const auto [pieces, pieces_copy] = read_with_copy(small_tokenizer(
      [](GgufBytes& file) {
        file.texts("tokenizer.ggml.tokens", {"<unk>", "<s>", "</s>", "a", "b", "c", "ab"});
        file.numbers<int32_t>("tokenizer.ggml.token_type", GgufValueType::kI32,
                              {2, 3, 3, 1, 1, 1, 5});
        file.numbers<float>("tokenizer.ggml.scores", GgufValueType::kF32,
                            {0, 0, 0, -1, -2, -3, -4});
        file.flag("tokenizer.ggml.add_space_prefix", false);
      },
      "llama"));
  for (const Tokenizer& each : {pieces, pieces_copy}) expect(each, {6, 5}, "c");
  const auto [bytes, bytes_copy] = read_with_copy(small_tokenizer([](GgufBytes& file) {
    file.texts("tokenizer.ggml.tokens", {"a", "b", "c", "ab", "[PAD4]"});
    file.numbers<int32_t>("tokenizer.ggml.token_type", GgufValueType::kI32, {1, 1, 1, 5, 5});
    file.texts("tokenizer.ggml.merges", {"a b"}).text("tokenizer.ggml.pre", "gpt-2");
  }));
  for (const Tokenizer& each : {bytes, bytes_copy}) {
    expect(each, {3, 2}, "c");
    EXPECT_EQ(each.decode(std::vector<int32_t>{0, 4, 1}, false), "ab");
  }
}

TEST(GgufTokenizer, WhatIsAssumedOrIgnoredIsTold) {
  const std::string bytes = small_tokenizer([](GgufBytes& file) {
    file.texts("tokenizer.ggml.tokens", {"a", "b", "ab"}).u32("tokenizer.ggml.eos_token_id", 9);
    file.texts("tokenizer.ggml.merges", {"b a", "a b", "a\nb"});
  });
  const LogCapture log;
  const Tokenizer tokenizer = value_or_throw(read(bytes));
  EXPECT_THAT(value_or_throw(tokenizer.encode("abab", {})), ElementsAre(2, 2));
  EXPECT_THAT(log.text(), HasSubstr("m.gguf: 2 of 3 merges are ignored, since a part or the whole "
                                    "is no token; the first is \"b a\""));
  EXPECT_THAT(log.text(), HasSubstr("eos_token_id 9 is outside the 3 tokens and ignored"));
  EXPECT_THAT(log.text(),
              HasSubstr("key \"tokenizer.ggml.pre\" is absent; \"default\" is assumed"));
  EXPECT_THAT(log.text(), HasSubstr("m.gguf: no token for the bytes 09 0a 0d 20 21 22 23 24 ..., "
                                    "which texts will lose"));
}

TEST(GgufTokenizer, WhatIsMissingOrUnknownIsRefusedByName) {
  const auto tokens = [](GgufBytes& file) {
    file.texts("tokenizer.ggml.tokens", {"a", "b", "ab"});
  };
  const auto nothing = [](GgufBytes&) {};
  EXPECT_THAT(error_of_tokenizer(tokens), HasSubstr("tokenizer.ggml.merges is missing"));
  EXPECT_THAT(error_of_tokenizer(tokens, "llama"), HasSubstr("tokenizer.ggml.scores is missing"));
  EXPECT_THAT(error_of_tokenizer(nothing), HasSubstr("tokenizer.ggml.tokens is missing or empty"));
  for (const char* model : {"bert", "t5", "rwkv", "plamo2", "none"})
    EXPECT_THAT(error_of_tokenizer(tokens, model),
                HasSubstr(std::string("tokenizer.ggml.model is \"") + model + "\", which is not"));
  EXPECT_THAT(
      error_of_tokenizer([&](GgufBytes& file) {
        tokens(file);
        file.texts("tokenizer.ggml.merges", {"a b"}).text("tokenizer.ggml.pre", "grok-9");
      }),
      HasSubstr("tokenizer.ggml.pre is \"grok-9\", which is not supported; known: default"));
  EXPECT_THAT(error_of_tokenizer(
                  [&](GgufBytes& file) {
                    tokens(file);
                    file.numbers<float>("tokenizer.ggml.scores", GgufValueType::kF32, {1, 2});
                  },
                  "llama"),
              HasSubstr("tokenizer.ggml.scores has 2 elements, expected 3"));
  EXPECT_THAT(error_of_tokenizer(
                  [&](GgufBytes& file) {
                    tokens(file);
                    file.numbers<float>("tokenizer.ggml.scores", GgufValueType::kF32, {1, NAN, 0});
                  },
                  "llama"),
              HasSubstr("tokenizer.ggml.scores[1] is nan"));
  for (const int32_t kind : {-1, 7, 1000})
    EXPECT_THAT(
        error_of_tokenizer([&](GgufBytes& file) {
          tokens(file);
          file.numbers<int32_t>("tokenizer.ggml.token_type", GgufValueType::kI32, {1, kind, 1});
        }),
        HasSubstr(fmt::format("token_type[1] is {}, expected 0 to 6", kind)));
  EXPECT_THAT(error_of_tokenizer([](GgufBytes& file) {
                file.texts("tokenizer.ggml.tokens", {"a", "", "b", "", "a"});
                file.texts("tokenizer.ggml.merges", {"a b"});
              }),
              HasSubstr("tokens[0] and [4] are both \"a\", expected different texts"));
  EXPECT_THAT(error_of_tokenizer([&](GgufBytes& file) {
                tokens(file);
                file.texts("tokenizer.ggml.merges", {"a b"});
                file.flag("tokenizer.ggml.add_bos_token", true);
              }),
              HasSubstr("tokenizer.ggml.add_bos_token is true, but no id is given"));
  EXPECT_THAT(error_of_tokenizer([&](GgufBytes& file) {
                file.texts("tokenizer.ggml.tokens", {"a", "\xff"});
              }),
              HasSubstr("element 1 is \"?\", expected UTF-8"));
  EXPECT_EQ(read(GgufBytes().build()).status().code, Code::kNotFound);
}

}  // namespace
}  // namespace legato::importer
