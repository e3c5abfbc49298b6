#include "cli/tolerance.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "kernels/rounding.h"

namespace legato::cli {
namespace {

constexpr double kExactMargin = 1e-3;

/// 2^-bits: 11 for f16, and for bf16 as many as for 8-bit codes.
constexpr std::pair<std::string_view, int> kBits[] = {
    {"fp16", 11}, {"f16", 11}, {"bf16", 8}, {"w8", 8},   {"w4", 4},   {"q8_0", 8}, {"q4_0", 4},
    {"q4_1", 4},  {"q5_0", 5}, {"q5_1", 5}, {"q4_k", 4}, {"q5_k", 5}, {"q6_k", 6}};

double unit_roundoff(std::string_view type) {
  for (const auto& [name, bits] : kBits)
    if (name == type) return std::ldexp(1.0, -bits);
  return 0;
}

}  // namespace

double margin_of(double relative, double largest_logit) {
  return std::max(kExactMargin, 2 * relative * largest_logit);
}

Tolerance default_tolerance(const EngineInfo& info, DataType kv_type, double largest_logit) {
  const double roundoff =
      std::max(unit_roundoff(info.precision), unit_roundoff(data_type_name(kv_type)));
  const double relative =
      kernels::logit_tolerance(roundoff, info.longest_reduction, info.kv_layers);
  if (roundoff == 0) return {relative, kExactMargin};
  return {relative, margin_of(relative, largest_logit)};
}

}  // namespace legato::cli
