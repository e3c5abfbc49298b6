#include <gtest/gtest.h>

#include <set>

#include "tokenizer/fixtures.h"

namespace legato::tokenizer {
namespace {

using testing::must;
using testing::reference_cases;
using testing::shown;

class Reference : public ::testing::TestWithParam<std::string> {
 protected:
  const Json& entry() const { return reference_cases()[GetParam()]; }
  Tokenizer tokenizer() const {
    return must(Tokenizer::from_json(entry()["tokenizer"].dump(), GetParam()));
  }
};

void expect_ids(const Tokenizer& tokenizer, const std::string& text, const EncodeOptions& options,
                const Json& expected) {
  const auto ids = tokenizer.encode(text, options);
  if (expected.is_null()) {
    EXPECT_FALSE(ids.ok()) << shown(text);
    return;
  }
  ASSERT_TRUE(ids.ok()) << shown(text) << ": " << ids.status().to_string();
  EXPECT_EQ(Json(*ids), expected) << shown(text) << (options.parse_special ? "" : " as plain text");
}

TEST_P(Reference, GivesTheSameIds) {
  const Tokenizer subject = tokenizer();
  for (const Json& item : entry()["encode"]) {
    const auto text = item["text"].get<std::string>();
    expect_ids(subject, text, {false, true}, item["ids"]);
    expect_ids(subject, text, {true, true}, item.value("with_special", item["ids"]));
  }
}

TEST_P(Reference, GivesTheSameIdsForPlainText) {
  const Tokenizer subject = tokenizer();
  // The reference lets a Unigram model find its special tokens in plain text; here they stay text.
  const bool differs = entry()["tokenizer"]["model"]["type"] == "Unigram";
  for (const Json& item : entry()["encode"]) {
    const auto text = item["text"].get<std::string>();
    if (differs && text.find("<s>") != std::string::npos) continue;
    if (differs && text.find("<unk>") != std::string::npos) continue;
    if (differs && text.find("</s>") != std::string::npos) continue;
    expect_ids(subject, text, {false, false}, item.value("plain", item["ids"]));
  }
}

TEST_P(Reference, GivesTheSameText) {
  const Tokenizer subject = tokenizer();
  for (const Json& item : entry()["decode"]) {
    if (item["text"].is_null()) continue;
    const auto ids = item["ids"].get<std::vector<int32_t>>();
    EXPECT_EQ(subject.decode(ids, false), item["text"].get<std::string>()) << item["ids"];
    const Json skipped = item.value("skipped", item["text"]);
    if (skipped.is_null()) continue;
    EXPECT_EQ(subject.decode(ids, true), skipped.get<std::string>()) << item["ids"];
  }
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& [name, entry] : reference_cases().items()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Cases, Reference, ::testing::ValuesIn(case_names()),
                         [](const ::testing::TestParamInfo<std::string>& parameter) {
                           std::string name = parameter.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); },
                               '_');
                           return name;
                         });

}  // namespace
}  // namespace legato::tokenizer
