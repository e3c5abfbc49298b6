#include "kernels/cpu/linear/launch.h"

#include <algorithm>

#include "base/checked.h"

namespace legato::kernels::cpu {
namespace {

/// Up to so many packed floats every member packs by itself, which is cheaper than a barrier.
constexpr int64_t kOwnPackedFloats = 8192;
/// Smallest run of weights that is handed out at once.
constexpr int64_t kChunkBytes = 64 << 10;

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

void share_few(const LinearWork& work, const LinearKernels& kernels, const float* packed,
               TeamMember& member) {
  const int64_t panel_bytes = work.k * kPanelLanes * (work.element == Element::kF32 ? 4 : 2);
  const int64_t wanted = std::max(ceil_div(kChunkBytes, panel_bytes),
                                  work.panels / (16 * static_cast<int64_t>(member.size())));
  const int64_t step = round_up(wanted, kManyPanels);
  member.for_chunks(ceil_div(work.panels, step), [&](int64_t chunk) {
    const int64_t first = chunk * step;
    kernels.few(work, first, std::min(step, work.panels - first), packed);
  });
}

void share_many(const LinearWork& work, const LinearKernels& kernels, const float* packed,
                float* scratch, TeamMember& member) {
  const int64_t groups = ceil_div(work.panels, kManyPanels);
  const int64_t chunks_wanted = member.size() == 1 ? 1 : 8 * static_cast<int64_t>(member.size());
  const int64_t tiles = ceil_div(work.tokens, kernels.tile_rows);
  // Enough pieces that the team ends together, none smaller than a few tiles.
  const int64_t pieces = std::max(ceil_div(work.tokens, kManyTokens),
                                  std::min(ceil_div(chunks_wanted, groups), ceil_div(tiles, 4)));
  const int64_t tokens = round_up(ceil_div(work.tokens, pieces), kernels.tile_rows);
  const int64_t blocks = ceil_div(work.tokens, tokens);
  member.for_chunks(groups * blocks, [&](int64_t chunk) {
    const int64_t panel = chunk / blocks * kManyPanels;
    const int64_t token = chunk % blocks * tokens;
    kernels.many(work, panel, std::min(kManyPanels, work.panels - panel), token,
                 std::min(tokens, work.tokens - token), packed, scratch);
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
  if (work.tokens <= kernels.tile_rows) {
    share_few(work, kernels, packed, member);
    return;
  }
  float* scratch = reinterpret_cast<float*>(workspace) + packed_floats(work.tokens, work.k) +
                   member.rank() * member_floats(work.tokens) + kOwnPackedFloats;
  share_many(work, kernels, packed, scratch, member);
}

}  // namespace legato::kernels::cpu
