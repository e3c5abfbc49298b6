#include "sampling/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "sampling/random.h"

namespace legato::sampling {
namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();
constexpr size_t kFirstOutputTokens = 1024;

Status not_finite(float largest_logit) {
  return fail(Code::kInternal, "logits",
              std::isnan(largest_logit)
                  ? std::string("hold NaN")
                  : fmt::format("the largest is {}, expected a number", largest_logit));
}

}  // namespace

Sampler::Sampler(SamplingParams params, int64_t vocab_size)
    : params_(std::move(params)),
      in_prompt_(static_cast<size_t>(vocab_size), 0),
      output_counts_(static_cast<size_t>(vocab_size), 0) {
  prepare(kFirstOutputTokens);
  if (changes_logits()) scratch_.resize(in_prompt_.size());
  candidates_.reserve(candidates_needed());
}

size_t Sampler::candidates_needed() const {
  const size_t vocab = in_prompt_.size();
  const auto reported = static_cast<size_t>(std::max(params_.num_logprobs, 0));
  if (params_.temperature == 0) return std::min(reported, vocab);
  const auto kept = params_.top_k > 0 ? static_cast<size_t>(params_.top_k) : vocab;
  return std::min(std::max(kept, reported), vocab);
}

void Sampler::prepare(int64_t output_tokens) {
  const auto count = static_cast<size_t>(std::max<int64_t>(output_tokens, 0));
  output_.reserve(count);
  output_ids_.reserve(std::min(count, output_counts_.size()));
}

void Sampler::add_prompt(std::span<const int32_t> ids) {
  for (const int32_t id : ids) {
    if (id < 0 || static_cast<size_t>(id) >= in_prompt_.size()) continue;
    uint8_t& seen = in_prompt_[static_cast<size_t>(id)];
    if (seen == 0) prompt_ids_.push_back(id);
    seen = 1;
  }
}

bool Sampler::changes_logits() const {
  return !params_.logit_bias.empty() || params_.repetition_penalty != 1.0 ||
         params_.presence_penalty != 0.0 || params_.frequency_penalty != 0.0 ||
         (params_.min_tokens > 0 && !params_.stop_ids.empty());
}

void Sampler::penalise_repetition() {
  const double penalty = params_.repetition_penalty;
  const auto penalise = [&](int32_t id) {
    float& logit = scratch_[static_cast<size_t>(id)];
    logit = static_cast<float>(logit > 0 ? logit / penalty : logit * penalty);
  };
  for (const int32_t id : prompt_ids_) penalise(id);
  for (const int32_t id : output_ids_) {
    if (in_prompt_[static_cast<size_t>(id)] == 0) penalise(id);
  }
}

std::span<const float> Sampler::changed(std::span<const float> logits) {
  if (!changes_logits()) return logits;
  std::copy(logits.begin(), logits.end(), scratch_.begin());
  for (const auto& [id, bias] : params_.logit_bias)
    scratch_[static_cast<size_t>(id)] += static_cast<float>(bias);
  if (params_.repetition_penalty != 1.0) penalise_repetition();
  if (params_.presence_penalty != 0.0 || params_.frequency_penalty != 0.0) {
    for (const int32_t id : output_ids_) {
      const int32_t count = output_counts_[static_cast<size_t>(id)];
      scratch_[static_cast<size_t>(id)] -=
          static_cast<float>(params_.presence_penalty + params_.frequency_penalty * count);
    }
  }
  if (num_output() < params_.min_tokens) {
    for (const int32_t id : params_.stop_ids) scratch_[static_cast<size_t>(id)] = kImpossible;
  }
  return scratch_;
}

Result<int32_t> Sampler::choose(std::span<const float> logits) {
  const float best = largest(logits);
  if (!std::isfinite(best)) return not_finite(best);
  if (params_.temperature == 0)
    return static_cast<int32_t>(std::find(logits.begin(), logits.end(), best) - logits.begin());
  apply_filters(logits, best, {params_.temperature, params_.top_k, params_.top_p, params_.min_p},
                candidates_);
  return draw(candidates_, uniform(params_.seed, static_cast<uint64_t>(num_output())));
}

void Sampler::report(std::span<const float> logits, float largest_logit, Sample& sample) {
  double total = 0;
  for (const float logit : logits) total += std::exp(static_cast<double>(logit) - largest_logit);
  const double log_total = std::log(total) + largest_logit;
  sample.logprob = static_cast<double>(logits[static_cast<size_t>(sample.id)]) - log_total;
  take_best(logits, params_.num_logprobs, candidates_);
  for (const Candidate& candidate : candidates_)
    sample.top.push_back({candidate.id, static_cast<double>(candidate.logit) - log_total});
}

Result<Sample> Sampler::sample(std::span<const float> logits) {
  LEGATO_CHECK(logits.size() == in_prompt_.size());
  Sample sample;
  // Penalties keep NaN, so that one look at the changed row is enough unless the raw one is asked
  // for.
  LEGATO_ASSIGN_OR_RETURN(sample.id, choose(changed(logits)));
  if (params_.num_logprobs >= 0) {
    const float best = largest(logits);
    if (!std::isfinite(best)) return not_finite(best);
    report(logits, best, sample);
  }
  record(sample.id);
  return sample;
}

void Sampler::record(int32_t id) {
  output_.push_back(id);
  if (output_counts_[static_cast<size_t>(id)]++ == 0) output_ids_.push_back(id);
}

void Sampler::truncate(int64_t count) {
  while (num_output() > std::max<int64_t>(count, 0)) {
    --output_counts_[static_cast<size_t>(output_.back())];
    output_.pop_back();
  }
  std::erase_if(output_ids_,
                [this](int32_t id) { return output_counts_[static_cast<size_t>(id)] == 0; });
}

bool Sampler::is_stop(int32_t id) const {
  return std::find(params_.stop_ids.begin(), params_.stop_ids.end(), id) != params_.stop_ids.end();
}

}  // namespace legato::sampling
