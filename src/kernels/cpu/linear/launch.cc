#include "kernels/cpu/linear/launch.h"

#include <algorithm>

#include "base/checked.h"

namespace legato::kernels::cpu {
namespace {

/// Up to so many packed floats every member packs by itself, which is cheaper than a barrier.
constexpr int64_t kOwnPackedFloats = 8192;
/// Smallest run of weights that is handed out at once.
constexpr int64_t kChunkBytes = 64 << 10;
/// Runs a member should have, so that another one can take some over when its core is taken away.
constexpr int64_t kRunsEach = 8;

int64_t packed_floats(int64_t tokens, int64_t k) { return tokens * round_up(k, kBlockK); }

/// Each member's own part of the workspace: its packed activations, then scratch.
int64_t member_floats(int64_t tokens) {
  return kOwnPackedFloats + (tokens == 1 ? 0 : kManyScratchFloats);
}

/// The activations in their packed form, visible to this member when it returns.
const float* pack_activations(const LinearWork& work, const LinearKernels& kernels,
                              std::byte* workspace, TeamMember& member) {
  if (work.tokens == 1 && work.norm.kind == Norm::kNone) return work.x;
  auto* shared = reinterpret_cast<float*>(workspace);
  const int64_t floats = packed_floats(work.tokens, work.k);
  const int64_t tiles = ceil_div(work.tokens, kernels.tile_rows);
  if (floats <= kOwnPackedFloats) {
    float* own = shared + floats + member.rank() * member_floats(work.tokens);
    for (int64_t tile = 0; tile < tiles; ++tile) kernels.pack(work, tile, own);
    return own;
  }
  member.for_chunks(tiles, [&](int64_t tile) { kernels.pack(work, tile, shared); });
  member.barrier();
  return shared;
}

/// Panels cut into runs of nearly equal length. Gate and up panels stay together.
struct PanelRuns {
  int64_t unit;
  int64_t units;
  int64_t runs;

  PanelRuns(const LinearWork& work, int64_t wanted_runs)
      : unit(work.gated ? 2 : 1),
        units(work.panels / unit),
        runs(std::clamp<int64_t>(wanted_runs, 1, units)) {}
  int64_t begin(int64_t run) const { return units * run / runs * unit; }
  int64_t count(int64_t run) const { return begin(run + 1) - begin(run); }
};

void share_few(const LinearWork& work, const LinearKernels& kernels, const float* packed,
               TeamMember& member) {
  const int64_t panel_bytes = work.k * kPanelLanes * (work.element == Element::kF32 ? 4 : 2);
  const int64_t own_bytes = work.panels * panel_bytes / member.size();
  const int64_t own_runs = std::clamp<int64_t>(own_bytes / kChunkBytes, 1, kRunsEach);
  const PanelRuns runs(work, own_runs * member.size());
  member.for_chunks(
      runs.runs, [&](int64_t run) { kernels.few(work, runs.begin(run), runs.count(run), packed); });
}

void share_many(const LinearWork& work, const LinearKernels& kernels, const float* packed,
                float* scratch, TeamMember& member) {
  const int64_t size = member.size();
  const int64_t tiles = ceil_div(work.tokens, kernels.tile_rows);
  const PanelRuns runs(work, round_up(ceil_div(work.panels, kManyPanels), size));
  // Enough pieces that the team ends together, none smaller than a few tiles.
  const int64_t wanted = size == 1 ? 1 : ceil_div(kRunsEach * size, runs.runs);
  const int64_t pieces =
      std::max(ceil_div(work.tokens, kManyTokens), std::min(wanted, ceil_div(tiles, 4)));
  const int64_t tokens = round_up(ceil_div(work.tokens, pieces), kernels.tile_rows);
  const int64_t blocks = ceil_div(work.tokens, tokens);
  member.for_chunks(runs.runs * blocks, [&](int64_t chunk) {
    const int64_t run = chunk / blocks;
    const int64_t token = chunk % blocks * tokens;
    const ManyRange range{runs.begin(run), runs.count(run), token,
                          std::min(tokens, work.tokens - token)};
    kernels.many(work, range, packed, scratch);
  });
}

}  // namespace

size_t linear_workspace_bytes(int64_t tokens, int64_t k, int threads) {
  return static_cast<size_t>(packed_floats(tokens, k) + threads * member_floats(tokens)) *
         sizeof(float);
}

void launch_linear(const LinearWork& work, const LinearKernels& kernels, std::byte* workspace,
                   TeamMember& member) {
  if (work.tokens == 0) return;
  const float* packed = pack_activations(work, kernels, workspace, member);
  if (work.tokens <= kernels.few_tokens) {
    share_few(work, kernels, packed, member);
    return;
  }
  float* scratch = reinterpret_cast<float*>(workspace) + packed_floats(work.tokens, work.k) +
                   member.rank() * member_floats(work.tokens) + kOwnPackedFloats;
  share_many(work, kernels, packed, scratch, member);
}

}  // namespace legato::kernels::cpu
