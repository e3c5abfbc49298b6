#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "device/buffer.h"
#include "device/cpu/cpu_level.h"
#include "device/stream.h"
#include "kernels/step.h"
#include "tensor/attributes.h"
#include "tensor/dim.h"

namespace legato::kernels {

/// What is known of an operand before any step runs.
struct OperandSpec {
  bool present = false;
  bool constant = false;  ///< a weight of the engine
  DType dtype = DType::kF32;
  SymShape shape;
};

/// One op to execute: its name and attributes as in the graph (see ir/ops), and its operands.
struct Problem {
  std::string op;
  Attributes attributes;
  std::vector<OperandSpec> inputs;
  std::vector<OperandSpec> outputs;

  bool has_input(size_t index) const { return index < inputs.size() && inputs[index].present; }
};

/// The device that a tactic is asked about.
struct DeviceInfo {
  Backend backend = Backend::kCpu;
  CpuLevel cpu_level = CpuLevel::kSse2;
};

/// What one launch moves and computes.
struct Cost {
  double bytes = 0;       ///< read and written once, weights and cache included
  double operations = 0;  ///< floating-point, a multiply-add counts two
};

/// How large a step is, for Cost.
struct StepSize {
  int64_t tokens = 1;
  int64_t logit_rows = 1;
  int64_t context = 0;  ///< positions that each token sees, on average
};

/// A tactic bound to one problem: all attributes judged, nothing left to fail. Immutable; any
/// thread may launch.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// Shared scratch memory that any launch within the limits needs.
  virtual size_t workspace_bytes(const Limits& limits) const = 0;
  virtual Cost cost(const StepSize& size) const = 0;
  /// On a CPU every member of the team calls it with its own stream; what it wrote may be read
  /// after the next barrier(), which the caller places. It allocates nothing.
  virtual void launch(const LaunchArgs& args, Stream& stream) const = 0;
};

/// The priority of the reference tactics: any fast one is asked before.
inline constexpr int kReferencePriority = -1000;

/// One implementation of one op on one backend.
class Tactic {
 public:
  virtual ~Tactic() = default;
  /// Unique, for example "cpu.linear.rows32"; written into engines.
  virtual std::string_view name() const = 0;
  virtual std::string_view op() const = 0;
  virtual Backend backend() const = 0;
  /// Which of an op's tactics is asked first: that of the larger number. No two tactics of one op
  /// and backend have the same.
  virtual int priority() const { return 0; }
  /// Ok, or why this problem can't be run by it (kUnsupported).
  virtual Status supports(const Problem& problem, const DeviceInfo& device) const = 0;
  /// How it wants a constant matrix input laid out in the engine file.
  virtual WeightLayout weight_layout(const Problem& /*problem*/, size_t /*input*/) const {
    return WeightLayout::kPlain;
  }
  /// Whether it reads that input in every layout, so that a weight shared with another step (tied
  /// embeddings) may lie as that one wants it.
  virtual bool reads_any_layout(const Problem& /*problem*/, size_t /*input*/) const {
    return false;
  }
  /// Only after supports() said ok.
  virtual Result<std::unique_ptr<Kernel>> bind(const Problem& problem,
                                               const DeviceInfo& device) const = 0;
};

/// All tactics of this build, larger priority first: the first that supports a problem is the
/// rule's choice.
class TacticRegistry {
 public:
  /// Equal priorities, which tactics of one op must not have, keep the order of the calls.
  void add(std::unique_ptr<Tactic> tactic) {
    const auto place = std::upper_bound(
        tactics_.begin(), tactics_.end(), tactic->priority(),
        [](int priority, const auto& other) { return priority > other->priority(); });
    tactics_.insert(place, std::move(tactic));
  }
  const std::vector<std::unique_ptr<Tactic>>& all() const { return tactics_; }
  /// Null when there is none of that name.
  const Tactic* find(std::string_view name) const;
  std::vector<const Tactic*> for_op(std::string_view op, Backend backend) const;
  /// The first tactic that supports the problem; else kUnsupported with each one's reason.
  Result<const Tactic*> choose(const Problem& problem, const DeviceInfo& device) const;

 private:
  std::vector<std::unique_ptr<Tactic>> tactics_;
};

/// The fast tactics, then the plain reference ones (kernels/ref), which support everything on the
/// CPU.
const TacticRegistry& tactics();
/// The reference tactics alone: the oracle.
const TacticRegistry& reference_tactics();

}  // namespace legato::kernels
