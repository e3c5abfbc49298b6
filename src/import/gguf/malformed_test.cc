#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "import/gguf/header.h"
#include "import/gguf/test_bytes.h"
#include "import/import_fixture.h"

namespace legato::importer {
namespace {

using ::testing::HasSubstr;

struct Malformed {
  const char* name;
  std::string bytes;
  const char* message;
};

GgufBytes with_tensor(const std::vector<uint64_t>& dims, uint32_t type, uint64_t offset) {
  GgufBytes file;
  file.tensor("blk.0.x", dims, type, offset);
  file.data_bytes = 256;
  return file;
}

template <typename Change>
std::string changed(Change change) {
  GgufBytes file;
  change(file);
  return file.build();
}

std::vector<Malformed> starts() {
  return {{"empty", "", "the file has 0 bytes, expected a GGUF file"},
          {"magic", changed([](GgufBytes& f) { f.magic = "ggml"; }), "expected \"GGUF\""},
          {"backwards", changed([](GgufBytes& f) { f.magic = "FUGG"; }), "big-endian"},
          {"big-endian", changed([](GgufBytes& f) { f.version = 0x03000000; }), "big-endian"},
          {"version 1", changed([](GgufBytes& f) { f.version = 1; }),
           "the file has GGUF version 1, expected 2 or 3"},
          {"version 4", changed([](GgufBytes& f) { f.version = 4; }), "version 4"},
          {"counts", changed([](GgufBytes& f) { f.num_tensors = uint64_t{1} << 63; }),
           "claims 9223372036854775808 tensors"},
          {"keys", changed([](GgufBytes& f) { f.num_keys = UINT64_MAX; }), "keys, at most"},
          {"missing keys", changed([](GgufBytes& f) { f.num_keys = 3; }), "expected 1 to 1024"},
          {"zeros", std::string("GGUF") + std::string(5000, '\0'), "version 0"}};
}

std::vector<Malformed> keys() {
  const uint64_t huge = uint64_t{1} << 63;
  return {
      {"array of 2^63 bytes",
       changed([&](GgufBytes& f) { f.list("a", GgufValueType::kU8, huge, ""); }),
       "key \"a\" takes 9223372036854775808 bytes"},
      {"array whose size wraps",
       changed([&](GgufBytes& f) { f.list("a", GgufValueType::kU64, huge, ""); }),
       "key \"a\" has 9223372036854775808 elements"},
      {"array of 2^63 strings",
       changed([&](GgufBytes& f) { f.list("a", GgufValueType::kString, huge, ""); }),
       "key \"a\" has 9223372036854775808 strings"},
      {"array of arrays", changed([&](GgufBytes& f) { f.list("a", GgufValueType::kArray, 1, ""); }),
       "a list of lists"},
      {"string of 2^64 - 1 bytes",
       changed([&](GgufBytes& f) { f.key("a", GgufValueType::kString, raw(UINT64_MAX)); }),
       "key \"a\" takes 18446744073709551615 bytes"},
      {"value type", changed([&](GgufBytes& f) { f.key("a", static_cast<GgufValueType>(13), ""); }),
       "key \"a\" has value type 13, expected 0 to 12"},
      {"bool", changed([&](GgufBytes& f) { f.key("a", GgufValueType::kBool, "\2"); }),
       "a bool of 2"},
      {"duplicate key", changed([&](GgufBytes& f) { f.u32("a", 1).u32("a", 1); }),
       "key \"a\": is there twice"},
      {"empty key", changed([&](GgufBytes& f) { f.u32("", 1); }), "a key has 0 bytes"},
      {"long key", changed([&](GgufBytes& f) { f.u32(std::string(70000, 'k'), 1); }),
       "a key has 70000 bytes"},
      {"control characters", changed([&](GgufBytes& f) { f.u32("a\nb", 1).u32("a\nb", 1); }),
       "key \"a b\""}};
}

std::vector<Malformed> alignments() {
  std::vector<Malformed> cases;
  for (const uint32_t alignment : {0u, 1u, 7u, 33u, 1u << 31})
    cases.push_back({"alignment",
                     changed([&](GgufBytes& f) { f.u32("general.alignment", alignment); }),
                     "key \"general.alignment\": expected a power of two"});
  cases.push_back({"alignment type",
                   changed([&](GgufBytes& f) { f.text("general.alignment", "32"); }),
                   "key \"general.alignment\": expected an integer"});
  return cases;
}

std::vector<Malformed> tensors() {
  const uint64_t big = uint64_t{1} << 32;
  return {{"nine dimensions", with_tensor(std::vector<uint64_t>(9, 1), 0, 0).build(),
           "tensor \"blk.0.x\" has 9 dimensions, expected 1 to 4"},
          {"no dimensions", with_tensor({}, 0, 0).build(), "has 0 dimensions"},
          {"an extent of 0", with_tensor({0, 4}, 0, 0).build(), "has an extent of 0"},
          {"an extent of 2^63", with_tensor({uint64_t{1} << 63}, 0, 0).build(), "has an extent of"},
          {"a product that wraps", with_tensor({big, big, 4}, 0, 0).build(), "are too many"},
          {"past the end", with_tensor({100}, 0, 0).build(), "takes 400 bytes from byte 0"},
          {"begins past the end", with_tensor({4}, 0, 1 << 20).build(), "from byte 1048576"},
          {"an offset that wraps", with_tensor({4}, 0, UINT64_MAX - 31).build(), "takes 16 bytes"},
          {"not aligned", with_tensor({4}, 0, 8).build(), "no multiple of the alignment 32"},
          {"half a block", with_tensor({33, 2}, 2, 0).build(),
           "tensor \"blk.0.x\" has rows of 33 elements, no multiple of the 32 of a Q4_0 block"},
          {"half a super-block", with_tensor({128, 2}, 12, 0).build(), "the 256 of a Q4_K block"},
          {"overlapping", with_tensor({16}, 0, 0).tensor("y", {4}, 0, 32).build(),
           "tensors \"blk.0.x\" and \"y\" overlap"},
          {"the same place", with_tensor({16}, 0, 0).tensor("y", {4}, 0, 0).build(), "overlap"},
          {"duplicate", with_tensor({4}, 0, 0).tensor("blk.0.x", {4}, 0, 32).build(),
           "tensor \"blk.0.x\" is there twice"}};
}

TEST(GgufMalformed, EachIsRefusedInOneLineAtOnce) {
  size_t count = 0;
  for (const auto& table : {starts(), keys(), alignments(), tensors()}) {
    for (const Malformed& item : table) {
      SCOPED_TRACE(item.name);
      const auto start = std::chrono::steady_clock::now();
      const std::string message =
          error_of([&] { parse_gguf_header(std::as_bytes(std::span(item.bytes)), "m.gguf"); });
      EXPECT_THAT(message, HasSubstr(item.message));
      EXPECT_LT(message.size(), 400u);
      EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
      ++count;
    }
  }
  EXPECT_EQ(count, 41u);
}

}  // namespace
}  // namespace legato::importer
