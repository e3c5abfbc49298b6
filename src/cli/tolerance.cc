#include "cli/tolerance.h"

#include <algorithm>

#include "kernels/rounding.h"

namespace legato::cli {
namespace {

constexpr double kExactMargin = 1e-3;

double unit_roundoff(DataType type) {
  if (type == DataType::kF16) return kernels::kRoundoffF16;
  if (type == DataType::kBF16) return kernels::kRoundoffBF16;
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
  const double relative =
      kernels::logit_tolerance(roundoff, info.longest_reduction, info.kv_layers);
  if (roundoff == 0) return {relative, kExactMargin};
  return {relative, margin_of(relative, largest_logit)};
}

}  // namespace legato::cli
