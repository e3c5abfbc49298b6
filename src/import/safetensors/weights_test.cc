#include "import/safetensors/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/import_fixture.h"
#include "tests/support/temporary_folder.h"

namespace legato::importer {
namespace {

using ::testing::HasSubstr;

/// A file with one F32 tensor [4] of that name.
std::string one_tensor(const std::string& name, const std::string& dtype = "F32") {
  return safetensors_bytes(
      "{\"" + name + "\": {\"dtype\": \"" + dtype + R"(", "shape": [4], "data_offsets": [0, 16]}})",
      16);
}

std::string index_of(const std::string& map) {
  return "{\"metadata\": {}, \"weight_map\": " + map + "}";
}

std::string failure_of(const TemporaryFolder& folder) {
  return error_of([&] { SafetensorsWeights::open(folder.path()); });
}

TEST(SafetensorsWeights, NamesTensorAndShapesThatDoNotFit) {
  TemporaryFolder folder;
  folder.write("model.safetensors", one_tensor("w"));
  SafetensorsWeights weights = SafetensorsWeights::open(folder.path());
  EXPECT_TRUE(weights.has("w"));
  EXPECT_EQ(weights.get("w", {4})->shape(), (Shape{4}));
  EXPECT_THAT(error_of([&] {
                weights.get("w", {2, 2});
              }),
              HasSubstr("model.safetensors: tensor \"w\": expected shape [2, 2], found [4]"));
  EXPECT_THAT(error_of([&] {
                weights.get("v", {2, 2});
              }),
              HasSubstr("model.safetensors: tensor \"v\" [2, 2] is missing"));
}

TEST(SafetensorsWeights, OtherDTypesAreRefusedOnlyWhenAskedFor) {
  TemporaryFolder folder;
  folder.write("model.safetensors", one_tensor("w", "I32"));
  SafetensorsWeights weights = SafetensorsWeights::open(folder.path());
  EXPECT_THAT(error_of([&] { weights.get("w", {4}); }),
              HasSubstr("tensor \"w\" has dtype I32, expected F32, F16 or BF16"));
}

TEST(SafetensorsWeights, ConstantsOutliveTheSource) {
  TemporaryFolder folder;
  folder.write("model.safetensors", one_tensor("w"));
  ir::ConstantPtr constant;
  {
    SafetensorsWeights weights = SafetensorsWeights::open(folder.path());
    constant = weights.get("w", {4});
  }
  EXPECT_EQ(constant->load().data<float>()[3], 0.0f);
}

TEST(SafetensorsWeights, ShardsAreReadThroughTheIndex) {
  TemporaryFolder folder;
  folder.write("s1.safetensors", one_tensor("a"));
  folder.write("sub/s2.safetensors", one_tensor("b"));
  folder.write("model.safetensors.index.json",
               index_of(R"({"a": "s1.safetensors", "b": "sub/s2.safetensors"})"));
  SafetensorsWeights weights = SafetensorsWeights::open(folder.path());
  EXPECT_TRUE(weights.has("a"));
  EXPECT_TRUE(weights.has("b"));
}

TEST(SafetensorsWeights, MalformedIndexesAreRefusedByName) {
  struct Case {
    std::string index;
    const char* message;
  };
  const Case cases[] = {
      {index_of(R"({"a": "s3.safetensors"})"), "shard \"s3.safetensors\": file not found"},
      {index_of(R"({"c": "s1.safetensors"})"), "tensor \"c\" is not in its shard s1.safetensors"},
      {index_of(R"({"b": "s1.safetensors", "a": "s2.safetensors"})"), "is not in its shard"},
      {index_of(R"({"a": "s1.safetensors", "b": "s2.safetensors", "x": "copy.safetensors"})"),
       "tensor \"a\" is also in"},
      {index_of(R"({"a": "../s1.safetensors"})"),
       "is not the name of a file in the model's folder"},
      {index_of(R"({"a": "/etc/passwd"})"), "is not the name of a file in the model's folder"},
      {index_of(R"({"a": ""})"), "is not the name of a file in the model's folder"},
      {index_of(R"({"a": "s1.safetensors\u0000x"})"), "has control characters"},
      {index_of(R"({"a": "sub"})"), "is not a regular file"},
      {index_of(R"({"a\nb": "s1.safetensors"})"), "tensor \"a b\" has control characters"},
      {index_of(R"({"a": 7})"), "tensor \"a\" has no file name"},
      {index_of("{}"), "field \"weight_map\": expected an object"},
      {index_of("[]"), "field \"weight_map\": expected an object"},
      {"[]", "field \"weight_map\": expected an object"},
      {"{", "invalid JSON"},
  };
  for (const Case& test : cases) {
    TemporaryFolder folder;
    folder.write("s1.safetensors", one_tensor("a"));
    folder.write("s2.safetensors", one_tensor("b"));
    folder.write("copy.safetensors", one_tensor("a"));
    folder.write("sub/x", "");
    folder.write("model.safetensors.index.json", test.index);
    EXPECT_THAT(failure_of(folder), HasSubstr(test.message)) << test.index;
  }
}

TEST(SafetensorsWeights, PickledWeightsAreRefusedByName) {
  TemporaryFolder folder;
  EXPECT_THAT(failure_of(folder), HasSubstr("no weights: expected model.safetensors"));
  folder.write("pytorch_model.bin", "x");
  EXPECT_THAT(failure_of(folder), HasSubstr("pytorch_model.bin: pickled weights are not read"));
  TemporaryFolder other;
  other.write("consolidated.00.pth", "x");
  EXPECT_THAT(failure_of(other), HasSubstr("consolidated.00.pth: pickled weights are not read"));
}

TEST(SafetensorsWeights, LinksWorkAsInAHubCache) {
  TemporaryFolder cache;
  cache.write("models--a--b/blobs/123", one_tensor("w"));
  cache.link("../../blobs/123", "models--a--b/snapshots/main/model.safetensors");
  const auto snapshot = cache.path() / "models--a--b/snapshots/main";
  EXPECT_TRUE(SafetensorsWeights::open(snapshot).has("w"));
  cache.link("models--a--b/snapshots/main", "shortcut");
  EXPECT_TRUE(SafetensorsWeights::open(cache.path() / "shortcut").has("w"));
}

TEST(SafetensorsWeights, LinksOutOfTheModelsFolderAreRefusedByName) {
  TemporaryFolder outside;
  outside.write("secret.safetensors", one_tensor("w"));
  TemporaryFolder folder;
  folder.link(outside.path() / "secret.safetensors", "model.safetensors");
  EXPECT_THAT(failure_of(folder), HasSubstr("model.safetensors: links to "));
  EXPECT_THAT(failure_of(folder), HasSubstr("outside the model's folder"));

  TemporaryFolder cache;
  cache.write("models--c--d/blobs/9", one_tensor("w"));
  cache.link("../../../models--c--d/blobs/9", "models--a--b/snapshots/main/model.safetensors");
  EXPECT_THAT(
      error_of([&] { SafetensorsWeights::open(cache.path() / "models--a--b/snapshots/main"); }),
      HasSubstr("outside the model's folder"));

  TemporaryFolder dangling;
  dangling.link("nowhere", "model.safetensors");
  EXPECT_THAT(failure_of(dangling), HasSubstr("model.safetensors: file not found"));
}

TEST(SafetensorsWeights, UnusedTensorsAreNamedButNotMasks) {
  TemporaryFolder folder;
  folder.write(
      "model.safetensors.index.json",
      index_of(R"({"h.0.attn.bias": "1", "extra": "2", "used": "3", "lm_head.weight": "4"})"));
  folder.write("1", one_tensor("h.0.attn.bias"));
  folder.write("2", one_tensor("extra"));
  folder.write("3", one_tensor("used"));
  folder.write("4", one_tensor("lm_head.weight"));
  SafetensorsWeights weights = SafetensorsWeights::open(folder.path());
  weights.get("used", {4});
  weights.ignore("lm_head.weight");
  const LogCapture log;
  weights.warn_of_unused();
  EXPECT_THAT(log.text(), HasSubstr("1 tensor is not used: extra"));
}

}  // namespace
}  // namespace legato::importer
