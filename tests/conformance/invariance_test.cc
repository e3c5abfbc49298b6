#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/checked.h"
#include "tests/conformance/runner.h"

namespace legato::conformance {
namespace {

struct Model {
  std::string op;
  DType dtype;
  std::string norm;
  int64_t k;
};

/// Rows [first, first + tokens) of one fixed problem of 300 rows.
Case rows_of_problem(const Model& model, int64_t first, int64_t tokens) {
  constexpr int64_t kFeatures = 135;
  constexpr int64_t kRows = 300;
  const int64_t k = model.k;
  Random random(99);
  const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(k)));
  const auto slice = [&](TestTensor whole) {
    const auto row_bytes = static_cast<int64_t>(sizeof(float)) * whole.columns();
    whole.bytes = {whole.bytes.begin() + first * row_bytes,
                   whole.bytes.begin() + (first + tokens) * row_bytes};
    whole.shape = Shape{tokens, whole.columns()};
    return whole;
  };
  const TestTensor x = slice(random_tensor(random, DType::kF32, {kRows, k}));
  const TestTensor residual = slice(random_tensor(random, DType::kF32, {kRows, kFeatures}));
  const auto matrix = [&] {
    return is_quantised(model.dtype) ? random_quantised(random, model.dtype, {kFeatures, k}, scale)
                                     : random_constant(random, model.dtype, {kFeatures, k}, scale);
  };
  const TestTensor weight = matrix();
  const TestTensor up = matrix();
  const TestTensor bias = random_constant(random, DType::kF32, {kFeatures});
  const TestTensor norm_weight =
      model.norm == "none" ? TestTensor{} : random_constant(random, DType::kF32, {k});
  const Attributes attributes{{"features", kFeatures},
                              {"activation", "silu"},
                              {"norm", model.norm},
                              {"epsilon", 1e-5},
                              {"packed", int64_t{0}}};
  std::vector<TestTensor> inputs = {x, weight, bias, residual, norm_weight, {}};
  if (model.op == "GatedMlp") inputs = {x, weight, up, bias, bias, norm_weight, {}};
  return make_case("", model.op, attributes, std::move(inputs), empty_output({tokens, kFeatures}));
}

class LinearInvariance : public testing::TestWithParam<int> {};

TEST_P(LinearInvariance, ARowHasTheSameBitsForAnyNumberOfTokensAndThreads) {
  const auto level = static_cast<CpuLevel>(GetParam());
  if (level > best_cpu_level()) GTEST_SKIP() << "this machine has no " << cpu_level_name(level);
  const Model models[] = {
      {"Linear", DType::kF32, "none", 700},    {"Linear", DType::kF16, "rms", 257},
      {"Linear", DType::kBF16, "layer", 512},  {"GatedMlp", DType::kF16, "rms", 300},
      {"GatedMlp", DType::kF32, "none", 1030}, {"Linear", DType::kQ8_0, "rms", 352},
      {"Linear", DType::kQ4_0, "none", 1056},  {"Linear", DType::kQ5_0, "none", 288},
      {"Linear", DType::kQ5_1, "layer", 320},  {"Linear", DType::kQ6K, "rms", 768},
      {"Linear", DType::kQ5K, "none", 512},    {"Linear", DType::kW8, "rms", 608},
      {"GatedMlp", DType::kW4, "rms", 288},    {"GatedMlp", DType::kQ4K, "none", 512},
      {"GatedMlp", DType::kW8, "none", 640}};
  for (const Model& model : models) {
    SCOPED_TRACE(model.op + " " + std::string(dtype_name(model.dtype)) + " " + model.norm);
    const kernels::Tactic* tactic = kernels::tactics().for_op(model.op, Backend::kCpu).front();
    const Outcome whole = run_case(*tactic, rows_of_problem(model, 0, 300), level, 1);
    for (const int64_t tokens : kTokenCounts) {
      for (const int threads : {1, 2, 3}) {
        const int64_t first = (300 - tokens) / 2;
        const Outcome part =
            run_case(*tactic, rows_of_problem(model, first, tokens), level, threads);
        const size_t columns = whole.output.size() / 300;
        ASSERT_EQ(std::memcmp(part.output.data(),
                              whole.output.data() + static_cast<size_t>(first) * columns,
                              part.output.size() * sizeof(float)),
                  0)
            << tokens << " tokens, " << threads << " threads";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, LinearInvariance, testing::Range(0, kNumCpuLevels),
                         [](const auto& instance) {
                           return std::string(
                               cpu_level_name(static_cast<CpuLevel>(instance.param)));
                         });

}  // namespace
}  // namespace legato::conformance
