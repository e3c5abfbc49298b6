#include "import/safetensors/header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "base/status.h"
#include "import/import_fixture.h"

namespace legato::importer {
namespace {

using ::testing::HasSubstr;

/// Of processor time, so that a busy machine changes nothing; sanitizers slow all code down.
#if defined(__SANITIZE_ADDRESS__)
constexpr double kBoundSeconds = 10;
#else
constexpr double kBoundSeconds = 1;
#endif

SafetensorsHeader parse(const std::string& bytes) {
  return parse_safetensors_header(std::as_bytes(std::span(bytes)), "m.safetensors");
}

std::string failure_of(const std::string& bytes) {
  return error_of([&] { parse(bytes); });
}

TEST(SafetensorsHeader, ReadsTensorsAndSkipsMetadata) {
  const SafetensorsHeader header = parse(safetensors_bytes(
      R"({"__metadata__": {"format": "pt"}, "b": {"dtype": "F16", "shape": [2, 3], "data_offsets": [4, 16]},
          "a": {"shape": [], "data_offsets": [0, 4], "dtype": "F32"},
          "none": {"dtype": "I64", "shape": [0, 7], "data_offsets": [16, 16]}}    )",
      16));
  ASSERT_EQ(header.tensors.size(), 3u);
  EXPECT_EQ(header.tensors.at("b").shape, (Shape{2, 3}));
  EXPECT_EQ(header.tensors.at("b").begin, 4u);
  EXPECT_EQ(header.tensors.at("a").dtype, "F32");
  EXPECT_EQ(header.tensors.at("none").shape.elements(), 0);
}

TEST(SafetensorsHeader, UnknownDTypesAreKeptForWhoeverAsks) {
  const auto header = parse(
      safetensors_bytes(R"({"q": {"dtype": "Q9_K", "shape": [5], "data_offsets": [0, 3]}})", 3));
  EXPECT_EQ(header.tensors.at("q").dtype, "Q9_K");
}

struct Case {
  const char* name;
  std::string header;
  size_t data_bytes;
  const char* message;
};

std::string tensor(const char* dtype, const char* shape, const char* offsets) {
  return std::string(R"({"t": {"dtype": ")") + dtype + R"(", "shape": )" + shape +
         R"(, "data_offsets": )" + offsets + "}}";
}

void expect_refusals(std::span<const Case> cases) {
  for (const Case& test : cases) {
    const std::string message = failure_of(safetensors_bytes(test.header, test.data_bytes));
    EXPECT_THAT(message, HasSubstr(test.message)) << test.name;
    EXPECT_THAT(message, HasSubstr("m.safetensors: ")) << test.name;
    EXPECT_LT(message.size(), 600u) << test.name;
  }
}

TEST(SafetensorsHeader, ShapesAndOffsetsThatDoNotFitAreRefusedByName) {
  const std::string overlap =
      R"({"a": {"dtype": "U8", "shape": [8], "data_offsets": [0, 8]},
          "b": {"dtype": "U8", "shape": [8], "data_offsets": [4, 12]}})";
  const std::string gap =
      R"({"a": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]},
          "b": {"dtype": "U8", "shape": [4], "data_offsets": [8, 12]}})";
  const std::string twice =
      R"({"a": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]},
          "a": {"dtype": "U8", "shape": [4], "data_offsets": [4, 8]}})";
  const Case cases[] = {
      {"overlap", overlap, 12,
       "tensor \"b\" begins at byte 4 of the data, expected 8 (an overlap)"},
      {"gap", gap, 12, "tensor \"b\" begins at byte 8 of the data, expected 4 (a gap)"},
      {"duplicate", twice, 8, "tensor \"a\" occurs twice"},
      {"wrap", tensor("F32", "[4294967296, 4294967296]", "[0, 0]"), 0, "don't fit 63 bits"},
      {"wrap of bits", tensor("F32", "[4611686018427387904]", "[0, 0]"), 0, "don't fit 63 bits"},
      {"wrap of an unknown type", tensor("X", "[4294967296, 4294967296]", "[0, 0]"), 0,
       "don't fit 63 bits"},
      {"size", tensor("F32", "[3]", "[0, 16]"), 16, "takes 12 bytes, its offsets say 16"},
      {"half a byte", tensor("F4", "[3]", "[0, 1]"), 1, "no whole number of bytes"},
      {"past the end", tensor("F32", "[4]", "[0, 16]"), 12, "don't lie in the 12 bytes of data"},
      {"backwards", tensor("F32", "[4]", "[16, 0]"), 16, "bytes 16 to 0"},
      {"far offset", tensor("U8", "[1]", "[18446744073709551615, 18446744073709551615]"), 1,
       "don't lie in"},
      {"unused tail", tensor("U8", "[1]", "[0, 1]"), 9, "tensors take 1 byte, the file holds 9"},
      {"nine axes", tensor("U8", "[1,1,1,1,1,1,1,1,1]", "[0, 1]"), 1, "more than 8 axes"},
      {"negative", tensor("U8", "[-1]", "[0, 1]"), 1,
       "tensor \"t\" has -1 in its shape, expected integers from 0 to 9223372036854775807"},
      {"negative offset", tensor("U8", "[1]", "[-1, 1]"), 1,
       "tensor \"t\" has -1 in its data_offsets, expected 2 integers from 0"},
      {"fraction", tensor("U8", "[1.5]", "[0, 1]"), 1, "tensor \"t\" has 1.5 in its shape"},
      {"three offsets", tensor("U8", "[1]", "[0, 1, 2]"), 1, "has 2 in its data_offsets"},
      {"one offset", tensor("U8", "[1]", "[0]"), 1, "has 1 data_offsets, expected 2"},
      {"huge extent", tensor("U8", "[9223372036854775808]", "[0, 1]"), 1,
       "has 9223372036854775808 in its shape"},
  };
  expect_refusals(cases);
}

TEST(SafetensorsHeader, HeadersOfAnotherFormAreRefusedByName) {
  const Case cases[] = {
      {"no shape", R"({"t": {"dtype": "U8", "data_offsets": [0, 1]}})", 1, "lacks dtype, shape"},
      {"extra field", R"({"t": {"dtype": "U8", "x": 1}})", 1, "unknown field \"x\""},
      {"field twice", R"({"t": {"dtype": "U8", "dtype": "U8"}})", 1, "field \"dtype\" twice"},
      {"dtype a list", R"({"t": {"dtype": ["U8"]}})", 1, "does not expect a list"},
      {"shape an object", R"({"t": {"shape": {}}})", 1, "does not expect an object"},
      {"list", R"([])", 0, "does not begin with"},
      {"tensor a number", R"({"t": 5})", 0, "does not expect 5"},
      {"metadata a list", R"({"__metadata__": []})", 0, "does not expect a list"},
      {"metadata of numbers", R"({"__metadata__": {"a": 1}})", 0, "does not expect 1"},
      {"metadata nested", R"({"__metadata__": {"a": {}}})", 0, "does not expect an object"},
      {"trailing", R"({} {})", 0, "invalid JSON at byte"},
      {"cut", R"({"t": {"dtype": "U8")", 0, "invalid JSON at byte"},
      {"not UTF-8", "{\"\xff\": {}}", 0, "invalid JSON at byte"},
      {"deep", "{\"t\": " + std::string(100000, '['), 0, "does not expect a list"},
      {"newline in a name", R"({"a\nb": {}})", 0, "has control characters: \"a b\""},
      {"newline in a dtype", R"({"t": {"dtype": "\n"}})", 0, "too long or not printable"},
      {"newline in a field", R"({"t": {"\n": 1}})", 0, "unknown field \" \""},
      {"long name", "{\"" + std::string(5000, 'n') + "\": {}}", 0, "name has 5000 bytes"},
      {"long string", "{\"__metadata__\": {\"a\": \"" + std::string(5u << 20, 'x') + "\"}}", 0,
       "a string of 5242882 bytes"},
  };
  expect_refusals(cases);
}

TEST(SafetensorsHeader, LengthsThatCannotBeAreRefused) {
  EXPECT_THAT(failure_of(""), HasSubstr("the file has 0 bytes"));
  EXPECT_THAT(failure_of("1234567"), HasSubstr("the file has 7 bytes"));
  std::string huge = safetensors_bytes("{}", 0);
  huge[7] = '\x80';  // 2^63
  EXPECT_THAT(failure_of(huge), HasSubstr("claims 9223372036854775810 bytes, the file has 10"));
  EXPECT_THAT(failure_of(safetensors_bytes("{" + std::string(17u << 20, ' ') + "}", 0)),
              HasSubstr("at most 16777216 are read"));
  EXPECT_THAT(failure_of(std::string(8, '\0')), HasSubstr("does not begin with"));
}

TEST(SafetensorsHeader, LargestHostileHeadersTakeUnderASecond) {
  const auto timed = [](const std::string& header) {
    const std::clock_t begin = std::clock();
    failure_of(safetensors_bytes(header, 0));
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  std::string many = "{";
  for (int i = 0; i < 200'000; ++i)
    many += "\"" + std::to_string(i) + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)";
  EXPECT_LT(timed(many), kBoundSeconds);
  std::string metadata = "{\"__metadata__\": {";
  while (metadata.size() < (15u << 20)) metadata += "\"a\":\"\",";
  EXPECT_LT(timed(metadata), kBoundSeconds);
  EXPECT_LT(timed("{" + std::string(15u << 20, '\t')), kBoundSeconds);
  EXPECT_LT(timed("{\"t\": {\"shape\": [" + std::string(15u << 20, '9')), kBoundSeconds);
}

}  // namespace
}  // namespace legato::importer
