// Random schedules over a pool that is too small for all: sequences come, share prefixes, fork, are
// cut, preempted, saved and brought back, and every row of logits is the one that its sequence has
// alone.

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>

#include "tests/conformance/invariants/trace.h"

namespace legato::invariants {
namespace {

using runtime::SequenceStep;

struct Member {
  size_t story = 0;
  std::optional<kvcache::SequenceCache> cache;  ///< none while paused
  std::string saved;
};

class RandomSchedule {
 public:
  RandomSchedule(std::shared_ptr<const engine::Engine> engine, DType kv, int threads, uint32_t seed)
      : engine_(std::move(engine)), runner_(engine_, kv, {threads}), random_(seed) {
    Runner alone(engine_, kv, {1});
    for (uint32_t i = 0; i < 4; ++i) {
      std::vector<int32_t> prompt = random_prompt(alone, 20 + 18 * i, i);
      if (i > 0) {  // stories share their beginnings
        const size_t shared = std::min(prompt.size(), size_t{35});
        std::copy_n(stories_[0].tokens.begin(), std::min(shared, stories_[0].size()),
                    prompt.begin());
      }
      stories_.push_back(trace_alone(alone, std::move(prompt), 25));
    }
    // Six sequences of up to four blocks each want far more.
    pool_.emplace(value_or_throw(
        kvcache::BlockPool::create(KvLayout(engine_->spec().kv.layers, kv), 7, runner_.memory)));
    index_.emplace(*pool_);
  }

  void run(int rounds) {
    for (int i = 0; i < rounds && !::testing::Test::HasFatalFailure(); ++i) {
      if (members_.size() < 6 && below(3) == 0) open();
      if (!members_.empty() && below(4) == 0) disturb(below(members_.size()));
      step();
      ASSERT_EQ(pool_->check_integrity().to_string(), "");
      ASSERT_EQ(index_->check_integrity().to_string(), "");
    }
    members_.clear();
    EXPECT_EQ(pool_->num_used(), index_->size());
    index_->evict(pool_->num_blocks());
    EXPECT_EQ(pool_->num_used(), 0);
    // A schedule that met none of these would prove nothing.
    EXPECT_GT(finished_, 0u);
    EXPECT_GT(hits_, 0);
    EXPECT_GT(refused_, 0);
    EXPECT_GT(restored_, 0);
    EXPECT_GT(largest_batch_, 2u);
  }

 private:
  size_t below(size_t limit) { return random_() % limit; }
  const Trace& story(const Member& member) const { return stories_[member.story]; }

  void open() {
    Member member;
    member.story = below(stories_.size());
    member.cache.emplace(*pool_, &*index_);
    hits_ += member.cache->adopt_prefix(story(member).tokens);
    members_.push_back(std::move(member));
  }

  /// A story that a fork may go on with: it begins with what the member's cache holds.
  size_t branch(const Member& member) {
    const size_t other = below(stories_.size());
    const std::span<const int32_t> held = member.cache->tokens();
    const bool fits = held.size() < stories_[other].size() &&
                      std::equal(held.begin(), held.end(), stories_[other].tokens.begin());
    return fits ? other : member.story;
  }

  void disturb(size_t which) {
    Member& member = members_[which];
    if (!member.cache) return resume(member);
    switch (below(5)) {
      case 0:  // preempted: computed again, or found in the index
        member.cache->clear();
        hits_ += member.cache->adopt_prefix(story(member).tokens);
        return;
      case 1:
        member.saved = value_or_throw(member.cache->save(engine_->fingerprint()));
        member.cache.reset();
        return;
      case 2:
        throw_if_failed(member.cache->truncate(
            static_cast<int64_t>(below(static_cast<size_t>(member.cache->length()) + 1))));
        return;
      case 3:
        if (members_.size() < 6) members_.push_back({branch(member), member.cache->fork(), ""});
        return;
      default:  // its client went away
        members_.erase(members_.begin() + static_cast<int64_t>(which));
    }
  }

  void resume(Member& member) {
    auto back = kvcache::SequenceCache::restore(std::as_bytes(std::span(member.saved)),
                                                engine_->fingerprint(), *pool_, &*index_);
    if (!back.ok()) {
      ASSERT_EQ(back.status().code, Code::kResourceExhausted);
      return;
    }
    ++restored_;
    member.cache = std::move(back).value();
  }

  void step() {
    std::vector<SequenceStep> steps;
    std::vector<std::pair<size_t, size_t>> rows;  // story and position of the first row
    size_t budget = kMaxStepTokens;
    for (size_t i = 0; i < members_.size(); ++i) {
      Member& member = members_[i];
      if (!member.cache || below(4) == 0) continue;
      const auto position = static_cast<size_t>(member.cache->length());
      const size_t left = story(member).size() - position;
      const size_t count = std::min({left, budget, below(2) == 0 ? size_t{1} : 1 + below(45)});
      if (count == 0) continue;
      budget -= count;
      steps.push_back(
          {&*member.cache, story(member).part(position, count), SequenceStep::Logits::kAll});
      rows.emplace_back(member.story, position);
    }
    if (!steps.empty()) launch(steps, rows);
    finished_ += std::erase_if(members_, [this](const Member& member) {
      return member.cache && static_cast<size_t>(member.cache->length()) == story(member).size();
    });
  }

  void launch(const std::vector<SequenceStep>& steps,
              const std::vector<std::pair<size_t, size_t>>& rows) {
    const Status status = runner_.context->step(steps);
    if (!status.ok()) {
      ASSERT_EQ(status.code, Code::kResourceExhausted) << status.to_string();
      for (size_t i = 0; i < steps.size(); ++i)
        ASSERT_EQ(steps[i].cache->length(), static_cast<int64_t>(rows[i].second));
      ++refused_;
      members_[below(members_.size())].cache.reset();  // give up on somebody
      std::erase_if(members_, [](const Member& m) { return !m.cache && m.saved.empty(); });
      return;
    }
    largest_batch_ = std::max(largest_batch_, steps.size());
    size_t row = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
      const size_t count = steps[i].tokens.size();
      ASSERT_TRUE(same_rows(runner_, row, stories_[rows[i].first], rows[i].second, count))
          << "in a batch of " << steps.size();
      row += count;
    }
  }

  std::shared_ptr<const engine::Engine> engine_;
  Runner runner_;
  std::mt19937 random_;
  std::vector<Trace> stories_;
  std::optional<kvcache::BlockPool> pool_;
  std::optional<kvcache::PrefixIndex> index_;
  std::vector<Member> members_;
  int64_t hits_ = 0, refused_ = 0, restored_ = 0;
  size_t finished_ = 0, largest_batch_ = 0;
};

class Schedule : public ::testing::TestWithParam<Variant> {};

TEST_P(Schedule, RandomOnesChangeNoBitAndLeaveNoBlock) {
  const auto engine = build_engine(GetParam());
  for (uint32_t seed = 0; seed < 2; ++seed)
    RandomSchedule(engine, GetParam().kv, 1 + static_cast<int>(seed), seed).run(200);
}

INSTANTIATE_TEST_SUITE_P(Quantised, Schedule, ::testing::ValuesIn(quantised_variants()),
                         [](const auto& param) { return param.param.name(); });
INSTANTIATE_TEST_SUITE_P(Engines, Schedule, ::testing::ValuesIn(few_variants()),
                         [](const auto& param) { return param.param.name(); });

}  // namespace
}  // namespace legato::invariants
