#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/rounding.h"
#include "kernels/tactic.h"
#include "tensor/kv_layout.h"

/// Problems with data, on which a tactic is compared with the reference.
namespace legato::conformance {

/// Deterministic numbers, about normal with deviation 1.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 2654435761u + 88172645463325252u) {}
  uint64_t bits();
  float normal();
  int64_t below(int64_t n) { return static_cast<int64_t>(bits() % static_cast<uint64_t>(n)); }

 private:
  uint64_t state_;
};

/// An operand's data, dense or with rows that lie apart. Bytes between rows are NaN.
struct TestTensor {
  bool present = false;
  bool constant = false;
  DType dtype = DType::kF32;
  Shape shape;
  int64_t row_stride = 0;
  SymShape declared;  ///< the shape that the problem states
  std::vector<std::byte> bytes;

  int64_t columns() const { return shape.rank() == 0 ? 1 : shape[shape.rank() - 1]; }
  int64_t rows() const { return shape.elements() / std::max<int64_t>(1, columns()); }
};

/// One sequence of a ragged step; its blocks are chosen by the case.
struct TestSequence {
  int32_t tokens = 0;
  int32_t past = 0;
  std::vector<int32_t> blocks;
};

struct Case {
  std::string name;
  kernels::Problem problem;
  std::vector<TestTensor> inputs;
  TestTensor output;
  /// Largest allowed difference from the reference, as a share of its largest output.
  double tolerance = 0;

  bool tied = false;  ///< input 1 lies in panels, because a Linear shares it

  KvLayout kv;                   ///< no layers: the op has no cache
  std::vector<std::byte> cache;  ///< before the launch; what was never written is NaN
  std::vector<TestSequence> sequences;
  kernels::Limits limits;
};

/// Distance of 1 to the next number.
double epsilon_of(DType dtype);

/// Rows of random normal numbers times `scale`, the last extent's rows `padding` elements apart.
TestTensor random_tensor(Random& random, DType dtype, const Shape& shape, float scale = 1,
                         int64_t padding = 0);
TestTensor random_constant(Random& random, DType dtype, const Shape& shape, float scale = 1);
/// A quantised matrix of random codes whose elements have a deviation of about `scale`.
TestTensor random_quantised(Random& random, DType dtype, const Shape& shape, float scale = 1);
TestTensor index_tensor(const std::vector<int64_t>& values, DType dtype = DType::kI32);
TestTensor empty_output(const Shape& shape, int64_t padding = 0);

/// A case whose first declared axis is called "tokens"; specs follow from the tensors.
Case make_case(std::string name, std::string op, Attributes attributes,
               std::vector<TestTensor> inputs, TestTensor output);

/// Cases of one op; empty when there is no generator for it.
std::vector<Case> cases_of(const std::string& op);

std::vector<Case> linear_cases();
std::vector<Case> gated_mlp_cases();
std::vector<Case> attention_cases();
std::vector<Case> embedding_cases();
std::vector<Case> rms_norm_cases();
std::vector<Case> layer_norm_cases();
std::vector<Case> rope_cases();
std::vector<Case> rotary_table_cases();
std::vector<Case> gather_cases();
std::vector<Case> elementwise_cases(const std::string& op);

/// Numbers of tokens at which kernels change their ways.
inline const std::vector<int64_t> kTokenCounts = {1, 2, 3, 7, 11, 12, 13, 31, 64, 129, 300};

}  // namespace legato::conformance
