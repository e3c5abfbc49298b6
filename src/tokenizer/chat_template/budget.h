#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace legato::tokenizer::jinja {

/// What one rendering may cost. A hostile template meets one of these within a fraction of a
/// second.
struct Limits {
  uint64_t max_work = 3'000'000;  ///< evaluated nodes, visited elements and 32-byte pieces copied
  size_t max_live_bytes = 96u << 20;    ///< values held at the same time
  size_t max_string_bytes = 16u << 20;  ///< one string
  size_t max_output_bytes = 8u << 20;   ///< the prompt
  int max_eval_depth = 600;             ///< nested nodes being evaluated, macro calls included
  int max_value_depth = 100;            ///< lists and dicts inside each other
};

/// Counts work and live memory of one rendering; throws TemplateError when a limit is passed. One
/// thread.
class Budget {
 public:
  explicit Budget(const Limits& limits) : limits_(limits) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  const Limits& limits() const { return limits_; }

  void work(uint64_t units = 1) {
    work_ += units;
    if (work_ > limits_.max_work) fail_work();
  }
  /// Work for reading or copying `bytes`.
  void scan(size_t bytes) { work(bytes / 32); }
  /// Refuses a string of `bytes` before it is built.
  void require_string(size_t bytes) {
    if (bytes > limits_.max_string_bytes) fail_string(bytes);
    if (bytes > limits_.max_live_bytes - live_) fail_live();
  }
  void hold(size_t bytes) {
    scan(bytes);
    if (bytes > limits_.max_live_bytes - live_) fail_live();
    live_ += bytes;
  }
  void release(size_t bytes) { live_ -= bytes; }

 private:
  [[noreturn]] void fail_work() const;
  [[noreturn]] void fail_live() const;
  [[noreturn]] void fail_string(size_t bytes) const;

  Limits limits_;
  uint64_t work_ = 0;
  size_t live_ = 0;
};

/// Live bytes that end with their owner. A default charge (constants of the parsed template) counts
/// nothing.
class Charge {
 public:
  Charge() = default;
  Charge(Budget& budget, size_t bytes) : budget_(&budget), bytes_(bytes) { budget.hold(bytes); }
  Charge(Charge&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Charge& operator=(Charge&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Charge() {
    if (budget_ != nullptr) budget_->release(bytes_);
  }

  void grow(size_t bytes) {
    if (budget_ == nullptr) return;
    budget_->hold(bytes);
    bytes_ += bytes;
  }

 private:
  Budget* budget_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace legato::tokenizer::jinja
