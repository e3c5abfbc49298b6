#include "runtime/context.h"

#include <array>
#include <utility>

#include "runtime/binding.h"
#include "runtime/executor.h"
#include "runtime/limits.h"
#include "runtime/memory_plan.h"
#include "runtime/step_batch.h"

namespace legato::runtime {
namespace {

constexpr size_t kPageBytes = 4096;

struct Prepared {
  kernels::Limits limits;
  Binding binding;
  MemoryPlan memory;
};

/// All of create() that takes no memory for data.
Result<Prepared> prepare(const engine::EngineSpec& spec, const ContextOptions& options) {
  Prepared prepared;
  LEGATO_ASSIGN_OR_RETURN(prepared.limits, judge_options(spec, options));
  LEGATO_ASSIGN_OR_RETURN(prepared.binding, bind_engine(spec, prepared.limits, options.cpu_level));
  LEGATO_ASSIGN_OR_RETURN(prepared.memory,
                          plan_memory(spec, prepared.limits, prepared.binding.workspace_bytes));
  return prepared;
}

}  // namespace

class Context::Impl {
 public:
  Impl(std::shared_ptr<const engine::Engine> engine, const ContextOptions& options,
       Prepared prepared, Buffer arena, std::unique_ptr<Team> team)
      : engine_(std::move(engine)),
        options_(options),
        arena_(std::move(arena)),
        memory_(std::move(prepared.memory)),
        batch_(prepared.limits, engine_->spec().model.vocab_size, engine_->spec().kv.layers),
        executor_(std::move(prepared.binding), memory_, *engine_, arena_.data(), std::move(team)) {
    options_.threads = prepared.limits.threads;
    for (size_t i = 0; i < inputs_.size(); ++i)
      inputs_[i] = reinterpret_cast<int32_t*>(arena_.data() + memory_.inputs[i]);
  }

  Status step(std::span<const SequenceStep> sequences) {
    LEGATO_RETURN_IF_ERROR(batch_.judge(sequences));
    LEGATO_RETURN_IF_ERROR(StepBatch::reserve(sequences));
    batch_.fill(sequences, inputs_);
    kvcache::BlockPool& pool = sequences[0].cache->pool();
    executor_.run(batch_.extents(), batch_.ragged(), {pool.base(), &pool.layout()});
    for (const SequenceStep& sequence : sequences) sequence.cache->commit(sequence.tokens);
    return {};
  }

  std::span<const float> logits() const {
    const auto* first = reinterpret_cast<const float*>(arena_.data() + memory_.logits);
    return {first, static_cast<size_t>(logit_rows() * engine_->spec().model.vocab_size)};
  }
  int64_t logit_rows() const { return batch_.extents().logit_rows; }

  const engine::Engine& engine() const { return *engine_; }
  const ContextOptions& options() const { return options_; }
  uint64_t workspace_bytes() const { return arena_.bytes(); }
  Executor& executor() { return executor_; }

 private:
  std::shared_ptr<const engine::Engine> engine_;
  ContextOptions options_;
  Buffer arena_;
  MemoryPlan memory_;
  std::array<int32_t*, kNumStepInputs> inputs_{};
  StepBatch batch_;
  Executor executor_;
};

Context::Context(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Context::~Context() = default;

Result<std::unique_ptr<Context>> Context::create(std::shared_ptr<const engine::Engine> engine,
                                                 const ContextOptions& options,
                                                 Allocator& allocator) {
  if (engine->weights() == nullptr && engine->spec().weights_bytes != 0)
    return fail(Code::kInvalidArgument, engine->path(),
                "the engine was opened without its weights, expected a loaded one");
  LEGATO_ASSIGN_OR_RETURN(Prepared prepared, prepare(engine->spec(), options));
  LEGATO_ASSIGN_OR_RETURN(std::unique_ptr<Team> team, Team::create(prepared.limits.threads));
  LEGATO_ASSIGN_OR_RETURN(Buffer arena, allocator.allocate(prepared.memory.total_bytes));
  // Every page is made resident now, so that memory does not grow while steps run.
  for (size_t offset = 0; offset < arena.bytes(); offset += kPageBytes)
    arena.data()[offset] = std::byte{0};
  return std::unique_ptr<Context>(new Context(std::make_unique<Impl>(
      std::move(engine), options, std::move(prepared), std::move(arena), std::move(team))));
}

Result<ContextBytes> Context::predict(const engine::EngineSpec& spec, const ContextOptions& options,
                                      const Allocator& allocator) {
  LEGATO_ASSIGN_OR_RETURN(const Prepared prepared, prepare(spec, options));
  return ContextBytes{allocator.reserved_bytes(prepared.memory.total_bytes)};
}

Status Context::step(std::span<const SequenceStep> sequences) { return impl_->step(sequences); }
std::span<const float> Context::logits() const { return impl_->logits(); }
int64_t Context::logit_rows() const { return impl_->logit_rows(); }
const engine::Engine& Context::engine() const { return impl_->engine(); }
const ContextOptions& Context::options() const { return impl_->options(); }
uint64_t Context::workspace_bytes() const { return impl_->workspace_bytes(); }
void Context::enable_profile(bool enabled) { impl_->executor().enable_profile(enabled); }
std::span<const KernelTime> Context::profile() const { return impl_->executor().profile(); }
void Context::reset_profile() { impl_->executor().reset_profile(); }
std::vector<kernels::Cost> Context::costs(const kernels::StepSize& size) const {
  return impl_->executor().costs(size);
}

}  // namespace legato::runtime
