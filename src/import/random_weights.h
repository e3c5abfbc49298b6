#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "import/weight_source.h"

namespace legato::importer {

/// Seeded weights for a model of which only the shape is known: matrices of deviation 0.02, the
/// usual one of an untrained model, small biases, norms of one. With them activations stay finite
/// in every family. Each tensor depends on the seed and its name alone.
class RandomWeights : public WeightSource {
 public:
  RandomWeights(uint64_t seed, DType dtype) : seed_(seed), dtype_(dtype) {}

  /// False, so that optional spellings of a tensor are never found and the usual one is made.
  bool has(const std::string&) const override { return false; }
  ir::ConstantPtr get(const std::string& name, const Shape& expected) override;
  void ignore(const std::string&) override {}

 private:
  uint64_t seed_;
  DType dtype_;
  std::map<int64_t, ir::ConstantPtr> ones_;  // by length
};

}  // namespace legato::importer
