#pragma once

#include <cstdint>
#include <vector>

#include "cli/core_loss.h"
#include "legato/session.h"

namespace legato::cli {

/// What a benchmark does: `batch` sequences that hold `depth` tokens read `prompt_len` more and
/// then generate `gen_len`, one a step. Token ids are fixed pseudo-random ones.
struct Workload {
  int64_t prompt_len = 512;
  int64_t gen_len = 128;
  int64_t batch = 1;
  int64_t depth = 0;
  int64_t runs = 3;

  int64_t context() const { return depth + prompt_len + gen_len; }
};

/// One decode step by itself.
struct StepSample {
  int64_t context = 0;  ///< tokens that each sequence held before
  double ms = 0;
  CoreLoss lost;
};

struct Measured {
  std::vector<double> prefill_ms;  ///< one a run
  std::vector<double> itl_ms;      ///< one a decode step of all runs
  double seconds = 0;              ///< all prefill and decode of the runs
  int64_t output_tokens = 0;       ///< of all runs
};

/// Sequences of a benchmark, refilled for each measurement. One thread.
class Bench {
 public:
  Bench(Session& session, int64_t batch);

  /// Brings every sequence to exactly `depth` tokens.
  void fill(int64_t depth);
  /// All prompts, packed into as few steps as the session allows; returns milliseconds.
  double prefill(int64_t prompt_len);
  /// One token for each sequence; returns milliseconds.
  double decode_step();
  /// One warm-up and the workload's runs.
  Measured run(const Workload& workload);
  /// Keeps each decode step from now on, but those of the warm-up.
  void record_steps() { recording_ = true; }
  const std::vector<StepSample>& steps() const { return steps_; }

 private:
  int32_t token(int64_t sequence, int64_t position) const;

  Session* session_;
  std::vector<Sequence> sequences_;
  std::vector<int32_t> next_;  ///< tokens of the coming decode step
  std::vector<StepItem> items_;
  bool recording_ = false;
  std::vector<StepSample> steps_;
};

}  // namespace legato::cli
