#include "import/gguf/header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/gguf/test_bytes.h"
#include "import/import_fixture.h"

namespace legato::importer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

GgufHeader parse(const std::string& bytes) {
  return parse_gguf_header(std::as_bytes(std::span(bytes)), "m.gguf");
}
std::string error_of_bytes(const std::string& bytes) {
  return error_of([&] { parse(bytes); });
}

TEST(GgufHeader, EveryValueTypeIsRead) {
  for (const uint32_t version : {2u, 3u}) {
    GgufBytes file;
    file.version = version;
    file.key("u8", GgufValueType::kU8, raw<uint8_t>(200))
        .key("i8", GgufValueType::kI8, raw<int8_t>(-2));
    file.key("u16", GgufValueType::kU16, raw<uint16_t>(60000));
    file.key("i16", GgufValueType::kI16, raw<int16_t>(-300)).u32("u32", 4000000000u);
    file.key("i32", GgufValueType::kI32, raw<int32_t>(-5))
        .key("u64", GgufValueType::kU64, raw<uint64_t>(1ull << 40));
    file.key("i64", GgufValueType::kI64, raw<int64_t>(-(1ll << 40))).f32("f32", 0.5f);
    file.key("f64", GgufValueType::kF64, raw(0.25)).flag("bool", true).text("text", "caf\u00e9");
    file.texts("texts", {"a", "", "bc"}).numbers<float>("floats", GgufValueType::kF32, {1, 2});
    file.numbers<int32_t>("ints", GgufValueType::kI32, {7, -7});
    file.numbers<uint16_t>("same", GgufValueType::kU16, {9, 9, 9});
    const std::string bytes = file.build();
    const GgufHeader header = parse(bytes);
    const GgufMetadata& metadata = header.metadata;
    const IntRange any{INT64_MIN, INT64_MAX};
    EXPECT_EQ(metadata.get_int("u8", any), 200);
    EXPECT_EQ(metadata.get_int("i8", any), -2);
    EXPECT_EQ(metadata.get_int("u16", any), 60000);
    EXPECT_EQ(metadata.get_int("i16", any), -300);
    EXPECT_EQ(metadata.get_int("u32", any), 4000000000);
    EXPECT_EQ(metadata.get_int("i32", any), -5);
    EXPECT_EQ(metadata.get_int("u64", any), int64_t{1} << 40);
    EXPECT_EQ(metadata.get_int("i64", any), -(int64_t{1} << 40));
    EXPECT_EQ(metadata.get_uniform_int("same", any), 9);
    EXPECT_EQ(metadata.get_float("f32"), 0.5);
    EXPECT_EQ(metadata.get_float("f64"), 0.25);
    EXPECT_TRUE(metadata.get_bool("bool", false));
    EXPECT_EQ(metadata.get_text("text"), "caf\u00e9");
    EXPECT_THAT(metadata.get_texts("texts", 3), ElementsAre("a", "", "bc"));
    EXPECT_THAT(metadata.get_floats("floats", 2), ElementsAre(1, 2));
    EXPECT_THAT(metadata.get_ints("ints", 2), ElementsAre(7, -7));
  }
}

TEST(GgufHeader, ValuesOfAnotherTypeAreRefusedByKey) {
  GgufBytes file;
  file.u32("n", 7).text("t", "x\ny").texts("list", {"a"}).f32("nan", NAN);
  file.numbers<int32_t>("mixed", GgufValueType::kI32, {1, 2}).text("bytes", "\xff");
  const std::string bytes = file.build();
  const GgufHeader header = parse(bytes);
  const GgufMetadata& m = header.metadata;
  EXPECT_EQ(error_of([&] { m.get_text("n"); }),
            "m.gguf: key \"n\": expected a string of UTF-8, found 7 (u32)");
  EXPECT_THAT(error_of([&] { m.get_int("n", {0, 6}); }), HasSubstr("from 0 to 6, found 7"));
  EXPECT_THAT(error_of([&] { m.get_int("t", {0, 6}); }), HasSubstr("found \"x y\" (string)"));
  EXPECT_THAT(error_of([&] { m.get_int("gone", {0, 6}); }), HasSubstr("is required and absent"));
  EXPECT_THAT(error_of([&] { m.get_float("nan"); }), HasSubstr("a finite f32 or f64"));
  EXPECT_THAT(error_of([&] { m.get_ints("list", 9); }), HasSubstr("a list of integers"));
  EXPECT_THAT(error_of([&] { m.get_texts("list", 0); }), HasSubstr("at most 0 are read"));
  EXPECT_THAT(error_of([&] { m.get_texts("mixed", 9); }), HasSubstr("a list of strings"));
  EXPECT_THAT(error_of([&] { m.get_uniform_int("mixed", {0, 9}); }), HasSubstr("(1 and 2)"));
  EXPECT_THAT(error_of([&] { m.get_text("bytes"); }), HasSubstr("expected a string of UTF-8"));
}

TEST(GgufHeader, TensorsHaveTheirBytesAndOutermostDimensionFirst) {
  GgufBytes file;
  file.alignment = 64;
  file.u32("general.alignment", 64).tensor("a", {32, 3}, 8, 0).tensor("b", {5}, 0, 128);
  file.data_bytes = 128 + 20;
  const std::string bytes = file.build();
  const GgufHeader header = parse(bytes);
  const GgufTensor& a = header.tensors.at("a");
  EXPECT_EQ(a.shape, (Shape{3, 32}));
  EXPECT_EQ(a.bytes.size(), 3u * 34);
  EXPECT_EQ((a.bytes.data() - std::as_bytes(std::span(bytes)).data()) % 64, 0);
  EXPECT_EQ(header.tensors.at("b").bytes.size(), 20u);
  EXPECT_EQ(header.tensors.at("b").bytes.data(), a.bytes.data() + 128);
}

TEST(GgufHeader, AnyCutOfAFileIsRefused) {
  GgufBytes file;
  file.text("t", "text").texts("list", {"a", "b"}).tensor("x", {4}, 0, 0);
  file.data_bytes = 16;
  const std::string bytes = file.build();
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THAT(error_of_bytes(bytes.substr(0, size)), HasSubstr("m.gguf: ")) << size;
}

}  // namespace
}  // namespace legato::importer
