#include "runtime/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace legato::runtime {
namespace {

Status judge(const char* option, int64_t value, int64_t greatest, const char* bound) {
  if (value >= 1 && value <= greatest) return {};
  return fail(Code::kInvalidArgument, option,
              fmt::format("{}, expected 1 to {} ({})", value, greatest, bound));
}

int64_t greatest(const engine::EngineSpec& spec, std::string_view symbol) {
  for (const engine::ProfileDim& dim : spec.profile) {
    if (dim.symbol == symbol) return dim.max;
  }
  return std::numeric_limits<int32_t>::max();
}

Status judge_level(const engine::EngineSpec& spec, CpuLevel level) {
  const CpuLevel best = best_cpu_level();
  if (level > best)
    return fail(
        Code::kDeviceMismatch, "cpu_level",
        fmt::format("{}, this CPU has at most {}", cpu_level_name(level), cpu_level_name(best)));
  if (spec.required_level > level)
    return fail(Code::kDeviceMismatch, "cpu_level",
                fmt::format("{}, the engine needs {}", cpu_level_name(level),
                            cpu_level_name(spec.required_level)));
  return {};
}

}  // namespace

Result<kernels::Limits> judge_options(const engine::EngineSpec& spec,
                                      const ContextOptions& options) {
  LEGATO_RETURN_IF_ERROR(judge_level(spec, options.cpu_level));
  kernels::Limits limits;
  limits.threads = options.threads == 0 ? std::min(usable_cores(), kMaxThreads) : options.threads;
  LEGATO_RETURN_IF_ERROR(judge("threads", limits.threads, kMaxThreads, "what a team can have"));
  LEGATO_RETURN_IF_ERROR(judge("max_tokens", options.max_tokens, greatest(spec, "tokens"),
                               "what the engine was built for"));
  LEGATO_RETURN_IF_ERROR(judge("max_logit_rows", options.max_logit_rows,
                               greatest(spec, "logit_rows"), "what the engine was built for"));
  LEGATO_RETURN_IF_ERROR(
      judge("max_sequences", options.max_sequences, kMaxSequences, "what a step can hold"));
  LEGATO_RETURN_IF_ERROR(
      judge("max_context", options.max_context, spec.model.max_context, "the model's context"));
  limits.max_tokens = options.max_tokens;
  limits.max_logit_rows = options.max_logit_rows;
  limits.max_sequences = options.max_sequences;
  limits.max_context = options.max_context;
  return limits;
}

}  // namespace legato::runtime
