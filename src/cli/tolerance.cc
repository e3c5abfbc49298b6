#include "cli/tolerance.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "kernels/rounding.h"

namespace legato::cli {
namespace {

constexpr double kExactMargin = 1e-3;

/// Of a type by its name; "fp16" is another spelling of "f16".
double unit_roundoff(std::string_view name) {
  const std::optional<DType> dtype = name == "fp16" ? DType::kF16 : dtype_from_name(name);
  return dtype ? kernels::unit_roundoff(*dtype) : 0;
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
