#include "sampling/sampler.h"

#include <utility>

#include "legato/sampling.h"

namespace legato {
namespace {

sampling::SamplingParams to_internal(const SamplingParams& params) {
  sampling::SamplingParams out;
  out.temperature = params.temperature;
  out.top_k = params.top_k;
  out.top_p = params.top_p;
  out.min_p = params.min_p;
  out.repetition_penalty = params.repetition_penalty;
  out.presence_penalty = params.presence_penalty;
  out.frequency_penalty = params.frequency_penalty;
  out.logit_bias = params.logit_bias;
  out.seed = params.seed;
  out.min_tokens = params.min_tokens;
  out.stop_ids = params.stop_ids;
  out.num_logprobs = params.num_logprobs;
  return out;
}

}  // namespace

inline namespace v1 {

struct Sampler::Impl {
  sampling::Sampler sampler;
};

Result<Sampler> Sampler::create(const SamplingParams& params, int64_t vocab_size) {
  sampling::SamplingParams internal = to_internal(params);
  if (Status status = internal.validate(vocab_size); !status.ok()) return status;
  return Sampler(std::make_unique<Impl>(Impl{sampling::Sampler(std::move(internal), vocab_size)}));
}

Sampler::Sampler(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Sampler::Sampler(Sampler&&) noexcept = default;
Sampler& Sampler::operator=(Sampler&&) noexcept = default;
Sampler::~Sampler() = default;

void Sampler::add_prompt(std::span<const int32_t> ids) { impl_->sampler.add_prompt(ids); }

Result<Sample> Sampler::sample(std::span<const float> logits) {
  Result<sampling::Sample> drawn = impl_->sampler.sample(logits);
  if (!drawn.ok()) return drawn.status();
  Sample out{.id = drawn->id, .logprob = drawn->logprob, .top = {}};
  for (const sampling::TokenLogprob& token : drawn->top) {
    out.top.push_back({token.id, token.logprob});
  }
  return out;
}

void Sampler::truncate(int64_t count) { impl_->sampler.truncate(count); }
bool Sampler::is_stop(int32_t id) const { return impl_->sampler.is_stop(id); }
int64_t Sampler::num_output() const { return impl_->sampler.num_output(); }

}  // namespace v1
}  // namespace legato
