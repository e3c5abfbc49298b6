#include "api/convert.h"

#include <fmt/format.h>

#include "runtime/limits.h"

namespace legato {

static_assert(static_cast<int>(DataType::kBool) == static_cast<int>(DType::kBool));
static_assert(static_cast<int>(DataType::kI32) == static_cast<int>(DType::kI32));
static_assert(static_cast<int>(DataType::kQ8_0) == static_cast<int>(DType::kQ8_0));
static_assert(static_cast<int>(DataType::kW4) == static_cast<int>(DType::kW4));
static_assert(static_cast<int>(DataType::kBF16) == static_cast<int>(DType::kBF16));

inline namespace v1 {

std::string_view data_type_name(DataType type) { return dtype_name(api::to_internal(type)); }

size_t data_type_bytes(DataType type) {
  const DType internal = api::to_internal(type);
  return is_quantised(internal) ? 0 : dtype_bytes(internal);
}

}  // namespace v1

namespace api {

Result<CpuLevel> choose_cpu_level(std::string_view name) {
  const CpuLevel best = best_cpu_level();
  if (name.empty()) return best;
  const std::optional<CpuLevel> level = cpu_level_from_name(name);
  if (!level) {
    return fail(Code::kInvalidArgument, "cpu level",
                fmt::format("expected sse2, avx2, avx512 or avx512vnni, got \"{}\"", name));
  }
  if (*level > best) {
    return fail(Code::kDeviceMismatch, "cpu level",
                fmt::format("{} was asked, this machine has {}", name, cpu_level_name(best)));
  }
  return *level;
}

Result<int> choose_threads(int threads) {
  if (threads < 0 || threads > runtime::kMaxThreads) {
    return fail(Code::kInvalidArgument, "threads",
                fmt::format("expected 0 to {}, got {}", runtime::kMaxThreads, threads));
  }
  return threads == 0 ? usable_cores() : threads;
}

TensorInfo describe(const std::string& name, DType type, const SymShape& shape) {
  TensorInfo info{.name = name, .type = to_public(type), .shape = {}};
  for (const Dim& dim : shape.dims) info.shape.push_back(dim.to_string());
  return info;
}

}  // namespace api
}  // namespace legato
