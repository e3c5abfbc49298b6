#include "import/random_weights.h"

#include <algorithm>
#include <span>

#include "base/hash.h"

namespace legato::importer {
namespace {

constexpr float kDeviation = 0.02f;

}  // namespace

ir::ConstantPtr RandomWeights::get(const std::string& name, const Shape& expected) {
  if (expected.rank() == 1 && name.ends_with(".weight")) {
    ir::ConstantPtr& ones = ones_[expected[0]];
    if (ones == nullptr) {
      Tensor tensor(DType::kF32, expected);
      std::fill_n(tensor.data<float>(), expected[0], 1.0f);
      ones = ir::constant_from_tensor(tensor);
    }
    return ones;
  }
  const uint64_t seed = hash_bytes(std::as_bytes(std::span(name)), seed_);
  const DType dtype = expected.rank() == 1 ? DType::kF32 : dtype_;
  return ir::random_normal(dtype, expected, seed, kDeviation);
}

}  // namespace legato::importer
