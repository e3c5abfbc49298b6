#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace legato::passes {

struct PassOptions {
  /// Of matrices of weights: f32, f16, bf16, w8 or w4; none: as they come.
  std::optional<DType> precision;
  /// Of embedding tables, and of the projection that gives the output; none: as `precision`, but w8
  /// where that is w4. A table that is both has one dtype.
  std::optional<DType> embed_precision;
  std::optional<DType> head_precision;
  std::set<std::string> disabled;  ///< passes that are left out, by name
};

/// Refuses a precision that no matrix can be built with; `option` is its name. Throws Error.
void check_weight_precision(const char* option, std::optional<DType> dtype);

/// One rewriting of the graph that keeps its meaning. `run` returns how many places it rewrote; it
/// neither verifies nor times nor asks whether it is disabled: the pass manager does.
struct Pass {
  std::string_view name;
  std::string_view doc;
  int64_t (*run)(ir::Graph& graph, const PassOptions& options);
};

/// The passes in the order in which they run; the only ordered list of them.
std::span<const Pass> pipeline();

struct PassRecord {
  std::string name;
  int64_t rewrites = 0;
  double ms = 0;
};

/// Runs the passes that are not disabled and verifies the graph after each. Throws Error; one that
/// comes from verifying names the pass. A disabled name that is no pass is refused.
std::vector<PassRecord> run_passes(ir::Graph& graph, const PassOptions& options,
                                   std::span<const Pass> passes = pipeline());

int64_t fold_constants(ir::Graph& graph, const PassOptions& options);
int64_t cast_weights(ir::Graph& graph, const PassOptions& options);
int64_t pack_qkv(ir::Graph& graph, const PassOptions& options);
int64_t pack_gate_up(ir::Graph& graph, const PassOptions& options);
int64_t fuse_residual(ir::Graph& graph, const PassOptions& options);
int64_t fuse_norm(ir::Graph& graph, const PassOptions& options);
int64_t fuse_rope(ir::Graph& graph, const PassOptions& options);
int64_t choose_activation_bits(ir::Graph& graph, const PassOptions& options);
int64_t eliminate_dead_code(ir::Graph& graph, const PassOptions& options);

}  // namespace legato::passes
