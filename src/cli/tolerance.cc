#include "cli/tolerance.h"

#include <algorithm>
#include <cmath>

namespace legato::cli {
namespace {

constexpr double kExact = 1e-4;
constexpr double kExactMargin = 1e-3;

double unit_roundoff(DataType type) {
  if (type == DataType::kF16) return std::ldexp(1.0, -11);
  if (type == DataType::kBF16) return std::ldexp(1.0, -8);
  return 0;
}

DataType weight_type(const EngineInfo& info) {
  if (info.precision == "fp16") return DataType::kF16;
  if (info.precision == "bf16") return DataType::kBF16;
  return DataType::kF32;
}

}  // namespace

double margin_of(double relative, double largest_logit) {
  return std::max(kExactMargin, 2 * relative * largest_logit);
}

Tolerance default_tolerance(const EngineInfo& info, DataType kv_type, double largest_logit) {
  const double roundoff = std::max(unit_roundoff(weight_type(info)), unit_roundoff(kv_type));
  if (roundoff == 0) return {kExact, kExactMargin};
  const double terms = static_cast<double>(info.longest_reduction);
  const double relative = kExact + roundoff * std::sqrt(terms) / 2;
  return {relative, margin_of(relative, largest_logit)};
}

}  // namespace legato::cli
