#include "api/session_impl.h"
#include "legato/session.h"

namespace legato {
inline namespace v1 {

Sequence::Sequence(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Sequence::Sequence(Sequence&&) noexcept = default;
Sequence& Sequence::operator=(Sequence&&) noexcept = default;
Sequence::~Sequence() = default;

int64_t Sequence::length() const { return impl_->cache.length(); }
std::span<const int32_t> Sequence::tokens() const { return impl_->cache.tokens(); }
std::span<const int32_t> Sequence::blocks() const { return impl_->cache.blocks(); }

int64_t Sequence::reuse_prefix(std::span<const int32_t> tokens) {
  return impl_->cache.adopt_prefix(tokens);
}

Status Sequence::truncate(int64_t length) { return impl_->cache.truncate(length); }

Result<Sequence> Sequence::fork() const {
  auto forked = std::make_unique<Impl>(Impl{impl_->core, impl_->cache.fork()});
  forked->cache.prepare(impl_->core->options.max_context);
  return Sequence(std::move(forked));
}

Result<std::string> Sequence::save() const {
  return impl_->cache.save(impl_->core->engine.info().fingerprint);
}

}  // namespace v1
}  // namespace legato
