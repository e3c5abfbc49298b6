#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace legato::sampling {

/// A token that may be chosen.
struct Candidate {
  float logit = 0;
  int32_t id = 0;
  double weight = 0;  ///< exp((logit - largest logit) / temperature): proportional to probability
};

/// The order of all choices: larger logits first, among equal ones the lower id.
inline bool better(const Candidate& a, const Candidate& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

/// The largest value; NaN when any element is NaN. Empty spans have no largest.
float largest(std::span<const float> values);

/// The `count` best of a row, best first (or all when there are fewer). Uses the memory of `best`.
void take_best(std::span<const float> logits, int64_t count, std::vector<Candidate>& best);

/// How a row becomes a distribution.
struct Filters {
  double temperature = 1.0;  ///< > 0
  int64_t top_k = 0;         ///< <= 0: off
  double top_p = 1.0;
  double min_p = 0.0;
};

/// The tokens that the filters leave, with their weights, in an order that depends on the row
/// alone; -inf logits have no place. Uses the memory of `kept`.
void apply_filters(std::span<const float> logits, float largest_logit, const Filters& filters,
                   std::vector<Candidate>& kept);

/// The candidate in whose share of the total weight `u` in [0, 1) falls.
int32_t draw(std::span<const Candidate> candidates, double u);

}  // namespace legato::sampling
