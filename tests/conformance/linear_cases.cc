#include <fmt/format.h>

#include <cmath>

#include "base/checked.h"
#include "tensor/quant_format.h"
#include "tests/conformance/case.h"

namespace legato::conformance {
namespace {

constexpr DType kDTypes[] = {DType::kF32, DType::kF16, DType::kBF16};
constexpr const char* kActivations[] = {"none", "relu", "gelu", "gelu_tanh", "silu"};

struct Options {
  int64_t tokens = 1;
  int64_t features = 32;
  int64_t k = 64;
  DType dtype = DType::kF32;
  std::string activation = "none";
  std::string norm = "none";
  bool bias = false;
  bool residual = false;
  bool norm_bias = false;
  int64_t padding = 0;  ///< of the rows of x, residual and output
  bool packed = false;  ///< GatedMlp
  /// Activations that 8 bits hold exactly, so that quantised weights meet the float tolerance.
  bool exact = false;
  int64_t activation_bits = 8;

  std::string name() const {
    return fmt::format("{}x{}x{} {} {} {}{}{}{}{}{}{}{}", tokens, features, k, dtype_name(dtype),
                       activation, norm, norm_bias ? "+b" : "", bias ? " bias" : "",
                       residual ? " residual" : "", padding > 0 ? " strided" : "",
                       packed ? " packed" : "", exact ? " exact" : "",
                       activation_bits == 15 ? " 15 bits" : "");
  }
};

TestTensor vector_if(bool present, Random& random, int64_t n) {
  return present ? random_constant(random, DType::kF32, {n}) : TestTensor{};
}

/// Of an activation: 8 bits, or two digits of base 128 that make 15.
constexpr int64_t largest_code(int64_t activation_bits) {
  return activation_bits == 15 ? 127 * 128 : 127;
}

/// Whole numbers of at most the largest code, which each group of 32 columns has once, so that
/// rounding to 8 bits changes nothing. The unit differs from group to group, or from pair to pair
/// of groups for weights whose scale is the row's.
TestTensor exact_activations(Random& random, const Options& o) {
  constexpr int64_t kLargest = largest_code(8);
  TestTensor x = random_tensor(random, DType::kF32, {o.tokens, o.k}, 1, o.padding);
  auto* values = reinterpret_cast<float*>(x.bytes.data());
  for (int64_t row = 0; row < o.tokens; ++row) {
    float unit = 1 / 64.0f;
    for (int64_t column = 0; column < o.k; ++column) {
      if (column % (o.dtype == DType::kW8 ? 64 : 32) == 0)
        unit = std::ldexp(1.0f, -static_cast<int>(5 + random.below(3)));
      const auto code = column % 32 == 7 ? kLargest : random.below(2 * kLargest + 1) - kLargest;
      values[row * x.row_stride + column] = unit * static_cast<float>(code);
    }
  }
  return x;
}

TestTensor activations(Random& random, const Options& o) {
  return o.exact ? exact_activations(random, o)
                 : random_tensor(random, DType::kF32, {o.tokens, o.k}, 1, o.padding);
}

TestTensor weights(Random& random, DType dtype, const Shape& shape) {
  const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(shape[1])));
  return is_quantised(dtype) ? random_quantised(random, dtype, shape, scale)
                             : random_constant(random, dtype, shape, scale);
}

/// A sum of k products; activations, norm and product of gate and up add a few epsilons. Weights
/// are the same numbers on both sides, whatever their type. Where activations are rounded to 8
/// bits, each is off by a uniform error of deviation max|x| / largest_code / sqrt(12), max|x| being
/// at most 5 deviations of x; an output is off by as much of its own deviation, and the worst of
/// all outputs by 5 of that.
double tolerance(const Options& options, bool gated) {
  const double sums = kernels::sum_tolerance(options.k);
  const bool rounded = is_quantised(options.dtype) && !options.exact;
  const auto largest = static_cast<double>(largest_code(options.activation_bits));
  return (sums + (rounded ? 5 * 5 / (largest * std::sqrt(12.0)) : 0)) * (gated ? 3 : 1);
}

Case linear_case(const Options& o) {
  Random random(static_cast<uint64_t>(o.tokens * 7919 + o.features * 31 + o.k));
  const bool norm = o.norm != "none";
  Case test = make_case(
      o.name(), "Linear",
      {{"activation", o.activation},
       {"norm", o.norm},
       {"epsilon", 1e-5},
       {"activation_bits", o.activation_bits}},
      {activations(random, o), weights(random, o.dtype, {o.features, o.k}),
       vector_if(o.bias, random, o.features),
       o.residual ? random_tensor(random, DType::kF32, {o.tokens, o.features}, 1, o.padding)
                  : TestTensor{},
       vector_if(norm, random, o.k), vector_if(o.norm_bias, random, o.k)},
      empty_output({o.tokens, o.features}, o.padding));
  test.tolerance = tolerance(o, false);
  return test;
}

Case gated_case(const Options& o) {
  Random random(static_cast<uint64_t>(o.tokens * 104729 + o.features * 37 + o.k));
  const bool norm = o.norm != "none";
  TestTensor gate;
  TestTensor up;
  if (o.packed) {
    const int64_t rows = 2 * round_up(o.features, 32);
    gate = weights(random, o.dtype, {rows, o.k});
    const size_t row_bytes = *dtype_row_bytes(o.dtype, o.k);
    for (int64_t row = 0; row < rows; ++row)
      if (row / 64 * 32 + row % 32 >= o.features)
        std::fill_n(gate.bytes.begin() + static_cast<int64_t>(row_bytes) * row, row_bytes,
                    std::byte{0});
  } else {
    gate = weights(random, o.dtype, {o.features, o.k});
    up = weights(random, o.dtype, {o.features, o.k});
  }
  Case test = make_case(o.name(), "GatedMlp",
                        {{"features", o.features},
                         {"activation", o.activation},
                         {"norm", o.norm},
                         {"epsilon", 1e-6},
                         {"activation_bits", o.activation_bits},
                         {"packed", int64_t{o.packed}}},
                        {activations(random, o), gate, up, vector_if(o.bias, random, o.features),
                         vector_if(o.bias, random, o.features), vector_if(norm, random, o.k),
                         vector_if(o.norm_bias, random, o.k)},
                        empty_output({o.tokens, o.features}, o.padding));
  test.tolerance = tolerance(o, true);
  return test;
}

/// Every number of tokens in every type with the other options taking turns, odd shapes, and norms
/// where packing changes its way.
std::vector<Options> all_options(bool gated) {
  std::vector<Options> list;
  size_t turn = 0;
  for (const int64_t tokens : kTokenCounts) {
    for (const DType dtype : kDTypes) {
      Options o{tokens, 70, 100, dtype};
      o.activation = kActivations[(gated ? 1 : 0) + turn % (gated ? 4 : 5)];
      o.bias = turn % 2 == 0;
      o.residual = !gated && turn % 3 != 0;
      o.padding = turn % 4 == 1 ? 5 : 0;
      o.norm = turn % 3 == 0 ? "rms" : "none";
      o.packed = gated && turn % 2 == 1;
      list.push_back(o);
      ++turn;
    }
  }
  const int64_t shapes[][2] = {{1, 1},     {31, 255}, {32, 256},   {33, 257},
                               {129, 513}, {5, 2048}, {160, 1000}, {257, 65}};
  for (const auto& shape : shapes) {
    for (const int64_t tokens : {1, 3, 13}) {
      Options o{tokens, shape[0], shape[1], kDTypes[turn++ % 3]};
      o.activation = gated ? "silu" : "none";
      o.packed = gated && turn % 2 == 1;
      list.push_back(o);
    }
  }
  for (const char* norm : {"rms", "layer"}) {
    for (const int64_t tokens : {1, 2, 6, 12, 13, 64}) {
      for (const int64_t k : {96, 577}) {
        Options o{tokens, 40, k, kDTypes[turn++ % 3]};
        o.activation = gated ? "gelu" : "none";
        o.norm = norm;
        o.norm_bias = o.norm == "layer" && tokens != 6;
        o.packed = gated && turn % 2 == 1;
        list.push_back(o);
      }
    }
  }
  return list;
}

/// Every quantised type at every number of tokens with exact activations, and a few with rounded
/// ones behind a norm; rows that end within a panel, columns that end within a block of the loops.
void add_quantised(bool gated, std::vector<Options>& list) {
  size_t turn = 0;
  for (const DType dtype : kQuantisedDTypes) {
    const int64_t block = quant_format(dtype).block_elements;
    const auto blocks = [&] { return block == 256 ? 2 : static_cast<int64_t>(9 + turn % 5); };
    for (const int64_t tokens : kTokenCounts) {
      Options o{tokens, turn % 2 == 0 ? 70 : 33, block * blocks(), dtype};
      o.activation = gated ? "silu" : "none";
      o.bias = turn % 2 == 0;
      o.residual = !gated && turn % 3 == 0;
      o.padding = turn % 4 == 1 ? 5 : 0;
      o.packed = gated && turn % 2 == 1;
      o.exact = true;
      list.push_back(o);
      o.activation_bits = 15;
      if (dtype != DType::kW8) list.push_back(o);
      ++turn;
    }
    for (const int64_t tokens : {1, 5, 40}) {
      Options o{tokens, 64, 512, dtype};
      o.norm = "rms";
      o.activation = gated ? "gelu" : "none";
      o.packed = gated && tokens == 5;
      list.push_back(o);
      o.activation_bits = 15;
      if (dtype != DType::kW8) list.push_back(o);
    }
  }
}

}  // namespace

std::vector<Case> linear_cases() {
  std::vector<Case> cases;
  std::vector<Options> list = all_options(false);
  add_quantised(false, list);
  for (const Options& options : list) cases.push_back(linear_case(options));
  return cases;
}

std::vector<Case> gated_mlp_cases() {
  std::vector<Case> cases;
  std::vector<Options> list = all_options(true);
  add_quantised(true, list);
  for (const Options& options : list) cases.push_back(gated_case(options));
  return cases;
}

}  // namespace legato::conformance
