#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ostream>

#include "tensor/tensor.h"
#include "tests/conformance/runner.h"

namespace legato::conformance {
namespace {

struct TacticOnLevel {
  std::string tactic;
  CpuLevel level;
};

void PrintTo(const TacticOnLevel& value, std::ostream* out) {
  *out << value.tactic << " on " << cpu_level_name(value.level);
}

/// Every tactic of the registry but the oracle's, on every level there is.
std::vector<TacticOnLevel> all_tactics() {
  std::vector<TacticOnLevel> list;
  for (const auto& tactic : kernels::tactics().all()) {
    if (tactic->backend() != Backend::kCpu) continue;
    if (kernels::reference_tactics().find(tactic->name()) != nullptr) continue;
    for (int level = 0; level < kNumCpuLevels; ++level)
      list.push_back({std::string(tactic->name()), static_cast<CpuLevel>(level)});
  }
  return list;
}

class Conformance : public testing::TestWithParam<TacticOnLevel> {};

void expect_close(const Case& test, const Outcome& got, const Outcome& want) {
  ASSERT_EQ(got.output.size(), want.output.size());
  double largest = 0;
  for (const float x : want.output) largest = std::max(largest, std::abs(static_cast<double>(x)));
  const double allowed = test.tolerance * largest;
  for (size_t i = 0; i < got.output.size(); ++i) {
    const double difference = std::abs(static_cast<double>(got.output[i]) - want.output[i]);
    // A NaN makes the comparison false.
    ASSERT_TRUE(difference <= allowed)
        << "element " << i << ": got " << got.output[i] << ", expected " << want.output[i]
        << ", allowed difference " << allowed;
  }
}

/// What the step appended is close, and nothing else was touched. Keys go through norm and rope,
/// some four roundings of f32 whose last bit the cache's own rounding may make one of its steps.
void expect_same_cache(const Case& test, const Outcome& got, const Outcome& want) {
  if (test.cache.empty()) return;
  const DType dtype = test.kv.dtype();
  const size_t width = dtype_bytes(dtype);
  const double allowed = 4 * epsilon_of(dtype);
  for (size_t at = 0; at < test.cache.size(); at += width) {
    const auto index = static_cast<int64_t>(at / width);
    if (std::memcmp(&want.cache[at], &test.cache[at], width) == 0) {
      ASSERT_EQ(std::memcmp(&got.cache[at], &test.cache[at], width), 0)
          << "the cache changed at element " << index;
      continue;
    }
    const double x = load_element(dtype, got.cache.data(), index);
    const double y = load_element(dtype, want.cache.data(), index);
    ASSERT_TRUE(std::abs(x - y) <= allowed * std::max(1.0, std::abs(y)))
        << "cache element " << index << ": got " << x << ", expected " << y;
  }
}

TEST_P(Conformance, EqualsReferenceWithinTheFormula) {
  const kernels::Tactic* tactic = kernels::tactics().find(GetParam().tactic);
  ASSERT_NE(tactic, nullptr);
  const std::vector<Case> cases = cases_of(std::string(tactic->op()));
  ASSERT_FALSE(cases.empty()) << "no case generator for op " << tactic->op();
  if (GetParam().level > best_cpu_level())
    GTEST_SKIP() << "this machine has no " << cpu_level_name(GetParam().level);
  for (const Case& test : cases) {
    SCOPED_TRACE(test.name);
    const Outcome want = run_reference(test);
    const Outcome got = run_case(*tactic, test, GetParam().level, 2);
    expect_close(test, got, want);
    expect_same_cache(test, got, want);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Conformance, testing::ValuesIn(all_tactics()),
                         [](const auto& instance) {
                           std::string name = instance.param.tactic + "_" +
                                              std::string(cpu_level_name(instance.param.level));
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

TEST(ConformanceSuite, TheBuildHasFastTacticsToTest) { EXPECT_GE(all_tactics().size(), 11u * 4); }

}  // namespace
}  // namespace legato::conformance
