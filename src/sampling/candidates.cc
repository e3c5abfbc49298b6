#include "sampling/candidates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace legato::sampling {
namespace {

/// exp(-60) times any vocabulary lies below 2^-53, the grain of the random numbers: such tokens can
/// never be drawn.
constexpr double kNegligible = -60.0;

/// Cuts a sorted-on-demand list after the fewest best candidates that hold `share` of the total
/// weight. Sorts in growing pieces, since mostly few are enough.
void keep_share(double share, std::vector<Candidate>& kept) {
  double total = 0;
  for (const Candidate& candidate : kept) total += candidate.weight;
  const double wanted = share * total;
  double sum = 0;
  size_t sorted = 0;
  for (size_t piece = 64; sorted < kept.size(); piece *= 4) {
    const size_t end = std::min(kept.size(), sorted + piece);
    const auto at = [&kept](size_t i) { return kept.begin() + static_cast<int64_t>(i); };
    if (end < kept.size()) std::nth_element(at(sorted), at(end), kept.end(), better);
    std::sort(at(sorted), at(end), better);
    for (; sorted < end; ++sorted) {
      sum += kept[sorted].weight;
      if (sum < wanted) continue;
      kept.resize(sorted + 1);
      return;
    }
  }
}

}  // namespace

float largest(std::span<const float> values) {
  // Independent lanes, so that the compiler may use vectors.
  constexpr size_t kLanes = 16;
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  std::array<float, kLanes> best;
  best.fill(kLowest);
  std::array<int32_t, kLanes> unordered{};
  size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const float value = values[i + lane];
      best[lane] = value > best[lane] ? value : best[lane];
      unordered[lane] |= static_cast<int32_t>(value != value);
    }
  }
  for (; i < values.size(); ++i) {
    best[0] = std::max(best[0], values[i]);
    unordered[0] |= static_cast<int32_t>(values[i] != values[i]);
  }
  for (const int32_t flag : unordered) {
    if (flag != 0) return std::numeric_limits<float>::quiet_NaN();
  }
  return *std::max_element(best.begin(), best.end());
}

void take_best(std::span<const float> logits, int64_t count, std::vector<Candidate>& best) {
  best.clear();
  if (count <= 0) return;
  const auto capacity = static_cast<size_t>(count);
  // A heap whose front is the worst of those kept; most of the row fails one comparison with it.
  float threshold = -std::numeric_limits<float>::infinity();
  for (size_t id = 0; id < logits.size(); ++id) {
    if (best.size() == capacity && !(logits[id] > threshold)) continue;
    if (best.size() == capacity) {
      std::pop_heap(best.begin(), best.end(), better);
      best.pop_back();
    }
    best.push_back({logits[id], static_cast<int32_t>(id), 0});
    std::push_heap(best.begin(), best.end(), better);
    threshold = best.front().logit;
  }
  std::sort_heap(best.begin(), best.end(), better);
}

void apply_filters(std::span<const float> logits, float largest_logit, const Filters& filters,
                   std::vector<Candidate>& kept) {
  const auto exponent_of = [&](float logit) {
    return (static_cast<double>(logit) - largest_logit) / filters.temperature;
  };
  const auto vocab = static_cast<int64_t>(logits.size());
  if (filters.top_k > 0 && filters.top_k < vocab) {
    take_best(logits, filters.top_k, kept);
  } else {
    kept.clear();
    for (int64_t id = 0; id < vocab; ++id) {
      const float logit = logits[static_cast<size_t>(id)];
      if (exponent_of(logit) > kNegligible) kept.push_back({logit, static_cast<int32_t>(id), 0});
    }
  }
  for (Candidate& candidate : kept) candidate.weight = std::exp(exponent_of(candidate.logit));
  if (filters.top_p < 1.0) keep_share(filters.top_p, kept);
  std::erase_if(kept, [&filters](const Candidate& candidate) {
    return candidate.weight == 0 || candidate.weight < filters.min_p;
  });
}

int32_t draw(std::span<const Candidate> candidates, double u) {
  double total = 0;
  for (const Candidate& candidate : candidates) total += candidate.weight;
  const double target = u * total;
  double sum = 0;
  for (const Candidate& candidate : candidates) {
    sum += candidate.weight;
    if (target < sum) return candidate.id;
  }
  return candidates.back().id;
}

}  // namespace legato::sampling
