#include <gtest/gtest.h>

#include <algorithm>
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
  int64_t activation_bits = 8;
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
                              {"activation_bits", model.activation_bits},
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
      {"Linear", DType::kF32, "none", 700},     {"Linear", DType::kF16, "rms", 257},
      {"Linear", DType::kBF16, "layer", 512},   {"GatedMlp", DType::kF16, "rms", 300},
      {"GatedMlp", DType::kF32, "none", 1030},  {"Linear", DType::kQ8_0, "rms", 352},
      {"Linear", DType::kQ8_0, "rms", 352, 15}, {"Linear", DType::kQ4_1, "none", 416, 15},
      {"Linear", DType::kQ6K, "rms", 512, 15},  {"Linear", DType::kQ4_0, "none", 1056},
      {"Linear", DType::kQ5_0, "none", 288},    {"Linear", DType::kQ5_1, "layer", 320},
      {"Linear", DType::kQ6K, "rms", 768},      {"Linear", DType::kQ5K, "none", 512},
      {"Linear", DType::kW8, "rms", 608},       {"GatedMlp", DType::kW4, "rms", 288},
      {"GatedMlp", DType::kQ4K, "none", 512},   {"GatedMlp", DType::kW8, "none", 640}};
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

/// The outcome of rows 0 to `tokens` of the problem, of which row 1 has `value` in the columns from
/// `first` on.
Outcome with_row(const kernels::Tactic& tactic, const Model& model, CpuLevel level, int64_t tokens,
                 float value, int64_t first) {
  Case test = rows_of_problem(model, 0, tokens);
  auto* x = reinterpret_cast<float*>(test.inputs[0].bytes.data());
  std::fill(x + model.k + first, x + 2 * model.k, value);
  return run_case(tactic, test, level, 2);
}

TEST_P(LinearInvariance, ARowThatCodesCannotHoldTouchesNoOther) {
  const auto level = static_cast<CpuLevel>(GetParam());
  if (level > best_cpu_level()) GTEST_SKIP() << "this machine has no " << cpu_level_name(level);
  const kernels::Tactic* tactic = kernels::tactics().for_op("Linear", Backend::kCpu).front();
  const Model models[] = {{"Linear", DType::kQ8_0, "none", 352},
                          {"Linear", DType::kQ4_1, "none", 352, 15},
                          {"Linear", DType::kQ6K, "none", 512, 15},
                          {"Linear", DType::kW8, "none", 352}};
  for (const Model& model : models) {
    for (const int64_t tokens : {3, 64}) {
      SCOPED_TRACE(std::string(dtype_name(model.dtype)) + ", " + std::to_string(tokens));
      const Outcome zeros = with_row(*tactic, model, level, tokens, 0.0f, 0);
      // No scale is a normal number.
      const Outcome tiny = with_row(*tactic, model, level, tokens, 1e-37f, 0);
      EXPECT_EQ(std::memcmp(tiny.output.data(), zeros.output.data(), zeros.output.size() * 4), 0);
      const size_t columns = zeros.output.size() / static_cast<size_t>(tokens);
      for (const float value : {NAN, INFINITY, -INFINITY}) {
        Outcome broken = with_row(*tactic, model, level, tokens, value, model.k - 1);
        float* row = broken.output.data() + columns;
        for (size_t i = 0; i < columns; ++i) ASSERT_TRUE(std::isnan(row[i])) << value << ", " << i;
        std::copy_n(zeros.output.data() + columns, columns, row);
        EXPECT_EQ(std::memcmp(broken.output.data(), zeros.output.data(), zeros.output.size() * 4),
                  0);
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
