#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "api/adapted_memory.h"
#include "api/convert.h"
#include "api/engine_impl.h"
#include "api/session_impl.h"
#include "base/checked.h"
#include "runtime/limits.h"

namespace legato::api {
namespace {

/// A step of so many tokens computes far longer than it reads weights; more tokens would be no
/// faster, and every one of them has its activations in the workspace.
constexpr int64_t kDefaultStepTokens = 256;

/// The largest value of the extent "tokens" that the engine was built for.
int64_t profile_tokens(const EngineInfo& info) {
  for (const EngineProfile& profile : info.profiles) {
    if (profile.symbol == "tokens") return profile.max;
  }
  return info.max_context;
}

Status check_range(const char* name, int64_t value, int64_t high, const char* bound) {
  if (value >= 1 && value <= high) return {};
  return fail(Code::kInvalidArgument, name,
              fmt::format("expected 1 to {} ({}), got {}", high, bound, value));
}

}  // namespace

Result<SessionOptions> resolve(const EngineInfo& info, SessionOptions options) {
  LEGATO_ASSIGN_OR_RETURN(options.threads, choose_threads(options.threads));
  LEGATO_RETURN_IF_ERROR(check_range("max_sequences", options.max_sequences, runtime::kMaxSequences,
                                     "what a session can hold"));
  if (options.max_context == 0) options.max_context = info.max_context;
  LEGATO_RETURN_IF_ERROR(
      check_range("max_context", options.max_context, info.max_context, "the model's context"));
  const int64_t tokens = profile_tokens(info);
  const std::optional<int64_t> positions = checked_mul(options.max_sequences, options.max_context);
  if (!positions) return fail(Code::kInvalidArgument, "max_context", "too many positions in all");
  if (options.max_step_tokens == 0) {
    const int64_t wanted = std::max(kDefaultStepTokens, options.max_sequences);
    options.max_step_tokens = std::min({tokens, *positions, wanted});
  }
  LEGATO_RETURN_IF_ERROR(
      check_range("max_step_tokens", options.max_step_tokens, tokens, "the engine's profile"));
  if (options.max_logit_rows == 0) {
    options.max_logit_rows = std::min(options.max_sequences, options.max_step_tokens);
  }
  LEGATO_RETURN_IF_ERROR(check_range("max_logit_rows", options.max_logit_rows,
                                     options.max_step_tokens, "the tokens of a step"));
  if (options.kv_blocks == 0) {
    options.kv_blocks = options.max_sequences * ceil_div(options.max_context, kBlockTokens);
  }
  LEGATO_RETURN_IF_ERROR(
      check_range("kv_blocks", options.kv_blocks, int64_t{1} << 30, "what a pool can hold"));
  if (!options.kv_type) options.kv_type = info.kv_type;
  return options;
}

runtime::ContextOptions context_options(const SessionOptions& options, CpuLevel level) {
  runtime::ContextOptions out;
  out.threads = options.threads;
  out.cpu_level = level;
  out.max_tokens = options.max_step_tokens;
  out.max_logit_rows = options.max_logit_rows;
  out.max_sequences = options.max_sequences;
  out.max_context = options.max_context;
  return out;
}

Result<MemoryPlan> plan_spec(const engine::EngineSpec& spec, const EngineInfo& info,
                             const SessionOptions& options) {
  LEGATO_ASSIGN_OR_RETURN(const SessionOptions resolved, resolve(info, options));
  LEGATO_ASSIGN_OR_RETURN(const CpuLevel level, choose_cpu_level(resolved.cpu_level));
  LEGATO_ASSIGN_OR_RETURN(const KvLayout layout, kv_layout(spec.kv, resolved.kv_type));
  const std::unique_ptr<Allocator> allocator = make_allocator(resolved.memory);
  LEGATO_ASSIGN_OR_RETURN(
      const runtime::ContextBytes bytes,
      runtime::Context::predict(spec, context_options(resolved, level), *allocator));
  const std::optional<uint64_t> blocks =
      checked_mul<uint64_t>(static_cast<uint64_t>(resolved.kv_blocks), layout.block_bytes());
  const std::optional<uint64_t> pool =
      blocks ? checked_add<uint64_t>(*blocks, KvLayout::kReadSlackBytes) : std::nullopt;
  if (!pool) return fail(Code::kInvalidArgument, "kv_blocks", "the pool's size overflows");
  MemoryPlan plan;
  plan.weights_bytes = allocator->reserved_bytes(spec.weights_bytes);
  plan.kv_bytes_per_token = layout.token_bytes();
  plan.kv_bytes = layout.layers().empty() ? 0 : allocator->reserved_bytes(*pool);
  plan.workspace_bytes = bytes.workspace;
  plan.max_tokens = resolved.kv_blocks * kBlockTokens;
  plan.max_context = resolved.max_context;
  return plan;
}

}  // namespace legato::api

namespace legato {
inline namespace v1 {

Result<MemoryPlan> plan_session(const Engine& engine, const SessionOptions& options) {
  return api::plan_spec(engine.impl()->engine->spec(), engine.info(), options);
}

}  // namespace v1
}  // namespace legato
