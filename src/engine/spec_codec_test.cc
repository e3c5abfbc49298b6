#include "engine/spec_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/byte_stream.h"
#include "engine/engine_fixture.h"
#include "tests/support/processor_time.h"

namespace legato::engine {
namespace {

using testing::HasSubstr;

Result<EngineSpec> decode(const std::string& bytes) {
  return decode_spec(std::as_bytes(std::span(bytes)), "x: spec");
}

TEST(SpecCodec, DecodesWhatItEncoded) {
  const EngineSpec spec = small_spec();
  const auto decoded = decode(encode_spec(spec));
  ASSERT_TRUE(decoded.ok()) << decoded.status().to_string();
  EXPECT_EQ(*decoded, spec);
  EXPECT_EQ(encode_spec(*decoded), encode_spec(spec));
}

TEST(SpecCodec, EveryTruncationIsMalformed) {
  const std::string bytes = encode_spec(small_spec());
  for (size_t length = 0; length < bytes.size(); ++length) {
    const Status status = decode(bytes.substr(0, length)).status();
    ASSERT_EQ(status.code, Code::kMalformed) << length;
    ASSERT_EQ(status.where, "x: spec");
  }
}

TEST(SpecCodec, SurplusBytesAreMalformed) {
  const Status status = decode(encode_spec(small_spec()) + '\0').status();
  EXPECT_EQ(status.code, Code::kMalformed);
  EXPECT_THAT(status.message, HasSubstr("1 byte after the last field"));
}

TEST(SpecCodec, ChangedBytesNeverCrash) {
  const std::string good = encode_spec(small_spec());
  for (size_t at = 0; at < good.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string bad = good;
      bad[at] = static_cast<char>(value);
      const auto decoded = decode(bad);
      ASSERT_TRUE(decoded.ok() || decoded.status().code == Code::kMalformed);
    }
  }
}

TEST(SpecCodec, ListsThatPromiseMoreThanTheyHoldCostNothing) {
  // precision, architecture, vocab_size, max_context, then eos_ids of 2^60 items.
  ByteWriter writer;
  writer.put_text("fp32");
  writer.put_text("llama");
  writer.put_signed(1);
  writer.put_signed(1);
  writer.put_unsigned(uint64_t{1} << 60);
  const Status status = decode(writer.take()).status();
  EXPECT_EQ(status.code, Code::kMalformed);
  EXPECT_THAT(status.message, HasSubstr("a list has 1152921504606846976 items"));
}

TEST(SpecCodec, ManyItemsAreRefusedBeforeTheyTakeMemory) {
  EngineSpec spec = small_spec();
  spec.steps.resize(2'000'000);
  const std::string bytes = encode_spec(spec).substr(0, kMaxSpecBytes);
  const testing_support::ProcessorTime time;
  const auto decoded = decode(bytes);
  EXPECT_EQ(decoded.status().code, Code::kMalformed);
  EXPECT_LT(time.seconds(), 1);
}

TEST(SpecCodec, LongDimensionsAreRefusedInTime) {
  Dim sum(1);
  for (char first = 'a'; first <= 'z'; ++first) sum = sum + Dim::symbol({first});
  EngineSpec spec = small_spec();
  spec.slots.assign(9'500, {std::vector<Dim>(8, sum)});
  const std::string bytes = encode_spec(spec);
  const testing_support::ProcessorTime time;
  const auto decoded = decode(bytes);
  EXPECT_THAT(decoded.status().message, HasSubstr("more than 1048576 items in all"));
  EXPECT_LT(time.seconds(), 1);
}

TEST(SpecCodec, DimensionsHaveOneForm) {
  EngineSpec spec = small_spec();
  std::string bytes = encode_spec(spec);
  const size_t at = bytes.find("2*tokens");
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 8, "tokens*2");
  EXPECT_THAT(decode(bytes).status().message, HasSubstr("not a symbolic dimension"));
}

TEST(ByteStream, NumbersRoundTrip) {
  ByteWriter writer;
  const int64_t numbers[] = {0, 1, -1, 63, -64, 64, INT64_MAX, INT64_MIN};
  for (const int64_t number : numbers) writer.put_signed(number);
  writer.put_unsigned(UINT64_MAX);
  writer.put_float(-0.1);
  const std::string bytes = writer.take();
  ByteReader reader(std::as_bytes(std::span(bytes)), "");
  for (const int64_t number : numbers) EXPECT_EQ(reader.get_signed(), number);
  EXPECT_EQ(reader.get_unsigned(), UINT64_MAX);
  EXPECT_EQ(reader.get_float(), -0.1);
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.remaining(), 0u);
}

}  // namespace
}  // namespace legato::engine
