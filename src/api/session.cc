#include "legato/session.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "api/adapted_memory.h"
#include "api/convert.h"
#include "api/engine_impl.h"
#include "api/session_impl.h"

namespace legato {
namespace {

using Logits = runtime::SequenceStep::Logits;

Logits to_internal(StepItem::Logits logits) {
  switch (logits) {
    case StepItem::Logits::kNone:
      return Logits::kNone;
    case StepItem::Logits::kAll:
      return Logits::kAll;
    case StepItem::Logits::kLast:
      break;
  }
  return Logits::kLast;
}

}  // namespace

inline namespace v1 {

Result<Session> Session::create(const Engine& engine, const SessionOptions& options) {
  if (!engine.loaded()) {
    return fail(Code::kInvalidArgument, engine.info().path,
                "the engine is open without its weights; load it");
  }
  LEGATO_ASSIGN_OR_RETURN(SessionOptions resolved, api::resolve(engine.info(), options));
  LEGATO_ASSIGN_OR_RETURN(const CpuLevel level, api::choose_cpu_level(resolved.cpu_level));
  LEGATO_ASSIGN_OR_RETURN(KvLayout layout,
                          api::kv_layout(engine.impl()->engine->spec().kv, resolved.kv_type));
  auto core = std::make_shared<api::SessionCore>(
      api::SessionCore{engine, resolved, {}, nullptr, nullptr, nullptr, nullptr, {}});
  LEGATO_ASSIGN_OR_RETURN(core->plan, plan_session(engine, resolved));
  core->allocator = api::make_allocator(resolved.memory);
  LEGATO_ASSIGN_OR_RETURN(
      kvcache::BlockPool pool,
      kvcache::BlockPool::create(std::move(layout), resolved.kv_blocks, *core->allocator));
  core->pool = std::make_unique<kvcache::BlockPool>(std::move(pool));
  if (resolved.prefix_cache) core->index = std::make_unique<kvcache::PrefixIndex>(*core->pool);
  LEGATO_ASSIGN_OR_RETURN(
      core->context,
      runtime::Context::create(engine.impl()->engine, api::context_options(resolved, level),
                               *core->allocator));
  core->steps.reserve(static_cast<size_t>(resolved.max_sequences));
  return Session(std::make_unique<Impl>(Impl{std::move(core)}));
}

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Sequence Session::open_sequence(const std::string& salt) {
  api::SessionCore& core = *impl_->core;
  auto opened = std::make_unique<Sequence::Impl>(
      Sequence::Impl{impl_->core, kvcache::SequenceCache(*core.pool, core.index.get(), salt)});
  opened->cache.prepare(core.options.max_context);
  return Sequence(std::move(opened));
}

Result<Sequence> Session::restore(std::span<const std::byte> bytes, const std::string& salt) {
  api::SessionCore& core = *impl_->core;
  Result<kvcache::SequenceCache> cache = kvcache::SequenceCache::restore(
      bytes, core.engine.info().fingerprint, *core.pool, core.index.get(), salt);
  if (!cache.ok()) return cache.status();
  auto restored =
      std::make_unique<Sequence::Impl>(Sequence::Impl{impl_->core, std::move(cache).value()});
  restored->cache.prepare(core.options.max_context);
  return Sequence(std::move(restored));
}

Status Session::step(std::span<const StepItem> items) {
  api::SessionCore& core = *impl_->core;
  core.steps.clear();
  for (const StepItem& item : items) {
    if (item.sequence == nullptr || item.sequence->impl() == nullptr ||
        item.sequence->impl()->core != impl_->core) {
      return fail(Code::kInvalidArgument, "step", "a sequence of another session, or none");
    }
    core.steps.push_back({.cache = &item.sequence->impl()->cache,
                          .tokens = item.tokens,
                          .logits = to_internal(item.logits)});
  }
  return core.context->step(core.steps);
}

Status Session::append(Sequence& sequence, std::span<const int32_t> tokens) {
  const auto limit = static_cast<size_t>(impl_->core->options.max_step_tokens);
  if (tokens.empty()) return fail(Code::kInvalidArgument, "append", "there are no tokens");
  for (size_t first = 0; first < tokens.size(); first += limit) {
    const size_t count = std::min(limit, tokens.size() - first);
    const bool last = first + count == tokens.size();
    const StepItem item{&sequence, tokens.subspan(first, count),
                        last ? StepItem::Logits::kLast : StepItem::Logits::kNone};
    LEGATO_RETURN_IF_ERROR(step({&item, 1}));
  }
  return {};
}

int64_t Session::logit_rows() const { return impl_->core->context->logit_rows(); }

std::span<const float> Session::logits(int64_t row) const {
  const auto width = static_cast<size_t>(impl_->core->engine.info().vocab_size);
  const std::span<const float> all = impl_->core->context->logits();
  const size_t first = static_cast<size_t>(row) * width;
  if (row < 0 || first + width > all.size()) return {};
  return all.subspan(first, width);
}

const SessionOptions& Session::options() const { return impl_->core->options; }
const Engine& Session::engine() const { return impl_->core->engine; }
MemoryPlan Session::memory() const { return impl_->core->plan; }
int64_t Session::num_blocks() const { return impl_->core->pool->num_blocks(); }
int64_t Session::num_used_blocks() const { return impl_->core->pool->num_used(); }

int64_t Session::num_cached_blocks() const {
  return impl_->core->index ? impl_->core->index->size() : 0;
}

void Session::drop_prefix_cache() {
  if (impl_->core->index) impl_->core->index->evict(std::numeric_limits<int64_t>::max());
}

}  // namespace v1
}  // namespace legato
