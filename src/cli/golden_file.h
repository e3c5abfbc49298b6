#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace legato::cli {

/// Expected values of one prompt.
struct GoldenCase {
  std::string name;
  std::vector<int32_t> input_ids;
  std::vector<float> last_logits;
  std::vector<float> all_logits;      ///< a row for each position; empty when not given
  std::vector<int32_t> greedy_ids;    ///< empty when not given
  std::vector<float> greedy_margins;  ///< best minus second logit of each greedy step
};

/// Reads a golden safetensors file: tensors P.input_ids, P.last_logits, and where present
/// P.all_logits, P.greedy_ids, P.greedy_margins for any prompt names P. Throws Error, also for a
/// file without a single case and for one that belongs to a general net.
std::vector<GoldenCase> read_golden_file(const std::string& path);

}  // namespace legato::cli
