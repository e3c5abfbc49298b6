#include <fmt/format.h>

#include <cmath>

#include "tests/conformance/case.h"

namespace legato::conformance {
namespace {

constexpr DType kDTypes[] = {DType::kF32, DType::kF16, DType::kBF16};
constexpr int64_t kWidths[] = {1, 7, 31, 64, 100, 577};

std::vector<int64_t> random_indices(Random& random, int64_t count, int64_t below) {
  std::vector<int64_t> indices(static_cast<size_t>(count));
  for (int64_t& index : indices) index = random.below(below);
  return indices;
}

/// Sum of squares in f32, a square root and a division: sqrt(n) eps as for sums, and a few eps.
double norm_tolerance(int64_t columns) {
  return kernels::kEpsilonF32 * (std::sqrt(static_cast<double>(columns)) + 8);
}

/// `roundings` of f32 one after the other, each by half an epsilon of the largest result on either
/// side.
double rounding_tolerance(int roundings) { return roundings * kernels::kEpsilonF32; }

std::vector<Case> norm_cases(const std::string& op, bool has_bias) {
  std::vector<Case> cases;
  Random random(5);
  for (const int64_t tokens : {1, 3, 65}) {
    for (const int64_t width : kWidths) {
      for (const bool weighted : {true, false}) {
        std::vector<TestTensor> inputs = {
            random_tensor(random, DType::kF32, {tokens, width}, 3, weighted ? 0 : 3),
            weighted ? random_constant(random, DType::kF32, {width}) : TestTensor{}};
        if (has_bias && weighted) inputs.push_back(random_constant(random, DType::kF32, {width}));
        cases.push_back(make_case(fmt::format("{}x{}{}", tokens, width, weighted ? " weight" : ""),
                                  op, {{"epsilon", 1e-5}}, std::move(inputs),
                                  empty_output({tokens, width})));
        cases.back().tolerance = norm_tolerance(width);
      }
    }
  }
  return cases;
}

}  // namespace

std::vector<Case> rms_norm_cases() {
  std::vector<Case> cases = norm_cases("RmsNorm", false);
  Random random(6);
  for (const int64_t group : {16, 24, 64}) {
    cases.push_back(make_case(fmt::format("groups of {}", group), "RmsNorm",
                              {{"epsilon", 1e-6}, {"group_size", group}},
                              {random_tensor(random, DType::kF32, {5, 3 * group}),
                               random_constant(random, DType::kF32, {group})},
                              empty_output({5, 3 * group})));
    cases.back().tolerance = norm_tolerance(group);
  }
  return cases;
}

std::vector<Case> layer_norm_cases() { return norm_cases("LayerNorm", true); }

std::vector<Case> embedding_cases() {
  std::vector<Case> cases;
  Random random(7);
  for (const DType dtype : kDTypes) {
    for (const int64_t width : kWidths) {
      for (const bool positions : {false, true}) {
        const int64_t tokens = 1 + width % 9;
        std::vector<TestTensor> inputs = {index_tensor(random_indices(random, tokens, 100),
                                                       positions ? DType::kI64 : DType::kI32),
                                          random_constant(random, dtype, {100, width})};
        if (positions) {
          inputs.push_back(index_tensor(random_indices(random, tokens, 40)));
          inputs.push_back(random_constant(random, dtype, {50, width}));
        }
        cases.push_back(make_case(
            fmt::format("{}x{} {}{}", tokens, width, dtype_name(dtype),
                        positions ? " positions" : ""),
            "Embedding", {{"scale", positions ? 1.0 : 8.5}, {"position_offset", int64_t{2}}},
            std::move(inputs), empty_output({tokens, width})));
        cases.back().tolerance = rounding_tolerance(2);  // scaled, then added to
        cases.push_back(cases.back());
        cases.back().name += " tied";
        cases.back().tied = true;
      }
    }
  }
  return cases;
}

std::vector<Case> rope_cases() {
  struct Heads {
    int64_t heads, head_dim, rotary_dim;
  };
  std::vector<Case> cases;
  Random random(8);
  for (const Heads& h : {Heads{3, 64, 64}, {2, 24, 24}, {1, 80, 32}, {4, 16, 6}, {2, 96, 96}}) {
    for (const int64_t interleaved : {0, 1}) {
      for (const int64_t tokens : {1, 5, 70}) {
        cases.push_back(make_case(
            fmt::format("{} tokens {}x{} rotary {} {}", tokens, h.heads, h.head_dim, h.rotary_dim,
                        interleaved),
            "Rope",
            {{"head_dim", h.head_dim}, {"rotary_dim", h.rotary_dim}, {"interleaved", interleaved}},
            {random_tensor(random, DType::kF32, {tokens, h.heads * h.head_dim}, 1, 4),
             random_tensor(random, DType::kF32, {tokens, h.rotary_dim})},
            empty_output({tokens, h.heads * h.head_dim})));
        cases.back().tolerance = rounding_tolerance(3);  // two products and their sum
      }
    }
  }
  return cases;
}

std::vector<Case> rotary_table_cases() {
  std::vector<Case> cases;
  Random random(9);
  for (const int64_t half : {1, 16, 64}) {
    std::vector<double> frequencies;
    for (int64_t i = 0; i < half; ++i)
      frequencies.push_back(static_cast<float>(
          std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(half))));
    for (const int64_t tokens : {1, 33}) {
      cases.push_back(make_case(fmt::format("{} tokens, {} angles", tokens, half), "RotaryTable",
                                {{"inv_freq", frequencies}, {"scale", 1.25}},
                                {index_tensor(random_indices(random, tokens, 100000))},
                                empty_output({tokens, 2 * half})));
      cases.back().tolerance = rounding_tolerance(1);
    }
  }
  return cases;
}

std::vector<Case> gather_cases() {
  std::vector<Case> cases;
  Random random(10);
  for (const int64_t width : kWidths) {
    const int64_t rows = 1 + width % 11;
    TestTensor indices =
        index_tensor(random_indices(random, rows, 20), width % 2 == 0 ? DType::kI64 : DType::kI32);
    indices.declared = SymShape{Dim::symbol("logit_rows")};
    TestTensor data = random_tensor(random, DType::kF32, {20, width}, 1, 2);
    data.declared = SymShape{Dim::symbol("tokens"), width};
    TestTensor output = empty_output({rows, width});
    output.declared = SymShape{Dim::symbol("logit_rows"), width};
    cases.push_back(make_case(fmt::format("{} rows of {}", rows, width), "Gather",
                              {{"axis", int64_t{0}}}, {data, indices}, output));
  }
  return cases;
}

std::vector<Case> elementwise_cases(const std::string& op) {
  std::vector<Case> cases;
  Random random(11);
  for (const int64_t width : kWidths) {
    for (const int64_t tokens : {1, 2, 67}) {
      for (const int vector_input : {-1, 0, 1}) {
        std::vector<TestTensor> inputs;
        for (int i = 0; i < 2; ++i) {
          TestTensor tensor = random_tensor(
              random, DType::kF32, i == vector_input ? Shape{width} : Shape{tokens, width});
          if (i == vector_input) tensor.constant = true;
          inputs.push_back(std::move(tensor));
        }
        cases.push_back(make_case(fmt::format("{}x{} vector {}", tokens, width, vector_input), op,
                                  {}, std::move(inputs), empty_output({tokens, width}, 1)));
        cases.back().tolerance = rounding_tolerance(1);
      }
    }
  }
  return cases;
}

}  // namespace legato::conformance
