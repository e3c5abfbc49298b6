#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/buffer.h"
#include "kvcache/block_pool.h"
#include "kvcache/prefix_index.h"
#include "kvcache/sequence_cache.h"
#include "legato/session.h"
#include "runtime/context.h"

namespace legato {
namespace api {

/// What the sequences of a session share; it lives as long as the last of them. Members are
/// destroyed from the last to the first, so that blocks go back before their pool.
struct SessionCore {
  Engine engine;
  SessionOptions options;
  MemoryPlan plan;
  std::unique_ptr<Allocator> allocator;
  std::unique_ptr<kvcache::BlockPool> pool;
  std::unique_ptr<kvcache::PrefixIndex> index;  ///< null without a prefix cache
  std::unique_ptr<runtime::Context> context;
  std::vector<runtime::SequenceStep> steps;  ///< reused, so that a step allocates nothing
};

/// Fills in defaults and judges ranges against the engine.
Result<SessionOptions> resolve(const EngineInfo& info, SessionOptions options);
/// Of resolved options.
runtime::ContextOptions context_options(const SessionOptions& options, CpuLevel level);
/// Also for a spec that has no file yet.
Result<MemoryPlan> plan_spec(const engine::EngineSpec& spec, const EngineInfo& info,
                             const SessionOptions& options);

}  // namespace api

inline namespace v1 {

struct Session::Impl {
  std::shared_ptr<api::SessionCore> core;
};

struct Sequence::Impl {
  std::shared_ptr<api::SessionCore> core;
  kvcache::SequenceCache cache;
};

}  // namespace v1
}  // namespace legato
