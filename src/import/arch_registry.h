#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/model_info.h"
#include "import/hf/config.h"
#include "import/weight_source.h"
#include "ir/graph.h"

namespace legato::importer {

/// A decoder on packed tokens: inputs input_ids, positions [tokens] and logit_rows, output logits
/// [logit_rows, vocabulary].
struct ArchModel {
  ir::Graph graph;
  ModelInfo info;  ///< vocab_size and max_context are set here
  /// What sets max_context, for the message that refuses a longer one.
  std::string context_limit;
};

/// Builds the graph of one family from its settings and weights; refuses by name every setting that
/// changes the arithmetic and isn't supported. Throws Error.
using ArchBuild = std::function<ArchModel(const Config& config, WeightSource& weights)>;

/// The families of this build by model_type. Each file in arch/ registers one.
class ArchRegistry {
 public:
  void add(std::string model_type, ArchBuild build);
  /// Null when unknown.
  const ArchBuild* find(std::string_view model_type) const;
  /// Sorted and joined by commas.
  std::string names() const;

 private:
  std::map<std::string, ArchBuild, std::less<>> builds_;
};

const ArchRegistry& architectures();

}  // namespace legato::importer
