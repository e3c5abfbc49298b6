#include "cli/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/status.h"
#include "cli/tolerance.h"

namespace legato::cli {
namespace {

double largest(std::span<const float> values) {
  double most = 0;
  for (const float value : values) most = std::max(most, std::fabs(static_cast<double>(value)));
  return most;
}

void keep_larger(const Difference& difference, CaseResult& result) {
  result.max_abs = std::max(result.max_abs, difference.max_abs);
  result.max_rel = std::max(result.max_rel, difference.max_rel);
}

int32_t argmax(std::span<const float> logits) {
  return static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

/// Feeds the prompt; where the golden file has every position's logits, all are compared.
void compare_prompt(Session& session, Sequence& sequence, const GoldenCase& golden,
                    CaseResult& result) {
  const std::span<const int32_t> ids = golden.input_ids;
  if (golden.all_logits.empty()) {
    throw_if_failed(session.append(sequence, ids));
  } else {
    const auto limit = static_cast<size_t>(session.options().max_logit_rows);
    const size_t width = golden.last_logits.size();
    for (size_t first = 0; first < ids.size(); first += limit) {
      const size_t count = std::min(limit, ids.size() - first);
      const StepItem item{&sequence, ids.subspan(first, count), StepItem::Logits::kAll};
      throw_if_failed(session.step({&item, 1}));
      for (size_t row = 0; row < count; ++row) {
        const std::span<const float> expected(golden.all_logits.data() + (first + row) * width,
                                              width);
        keep_larger(compare(session.logits(static_cast<int64_t>(row)), expected), result);
      }
    }
  }
  keep_larger(compare(session.logits(session.logit_rows() - 1), golden.last_logits), result);
}

bool same_greedy(Session& session, Sequence& sequence, const GoldenCase& golden,
                 double min_margin) {
  std::span<const float> logits = session.logits(session.logit_rows() - 1);
  for (size_t i = 0; i < golden.greedy_ids.size(); ++i) {
    // The comparison is false for NaN, which is no margin.
    if (!(golden.greedy_margins[i] >= min_margin)) return true;
    const int32_t id = argmax(logits);
    if (id != golden.greedy_ids[i]) return false;
    if (i + 1 == golden.greedy_ids.size()) return true;
    const StepItem item{&sequence, {&id, 1}, StepItem::Logits::kLast};
    throw_if_failed(session.step({&item, 1}));
    logits = session.logits();
  }
  return true;
}

}  // namespace

Difference compare(std::span<const float> values, std::span<const float> expected) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (values.size() != expected.size()) return {kInfinity, kInfinity};
  Difference difference;
  for (size_t i = 0; i < values.size(); ++i) {
    const double gap = std::fabs(static_cast<double>(values[i]) - static_cast<double>(expected[i]));
    if (!std::isfinite(gap)) return {kInfinity, kInfinity};
    difference.max_abs = std::max(difference.max_abs, gap);
  }
  const double scale = largest(expected);
  difference.max_rel = difference.max_abs == 0 ? 0 : difference.max_abs / scale;
  return difference;
}

CaseResult verify_case(Session& session, const GoldenCase& golden, std::optional<double> rtol) {
  const EngineInfo& info = session.engine().info();
  if (static_cast<int64_t>(golden.last_logits.size()) != info.vocab_size) {
    throw Error(
        Code::kInvalidArgument, golden.name,
        fmt::format("has {} logits, the engine {}", golden.last_logits.size(), info.vocab_size));
  }
  const double scale = largest(golden.last_logits);
  Tolerance tolerance = default_tolerance(info, *session.options().kv_type, scale);
  if (rtol) {
    tolerance = {*rtol, std::max(tolerance.min_margin, margin_of(*rtol, scale))};
  }
  CaseResult result;
  result.rtol = tolerance.relative;
  Sequence sequence = session.open_sequence();
  compare_prompt(session, sequence, golden, result);
  result.greedy_equal = same_greedy(session, sequence, golden, tolerance.min_margin);
  result.ok = result.max_rel <= tolerance.relative && result.greedy_equal;
  return result;
}

}  // namespace legato::cli
