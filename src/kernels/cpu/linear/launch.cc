#include "kernels/cpu/linear/launch.h"

#include <algorithm>

#include "base/checked.h"

namespace legato::kernels::cpu {
namespace {

/// Up to so many packed bytes every member packs by itself, which is cheaper than a barrier.
constexpr int64_t kOwnPackedBytes = 32 << 10;
/// Smallest run of weights that is handed out at once.
constexpr int64_t kChunkBytes = 64 << 10;
/// Runs a member should have, so that another one can take some over when its core is taken away.
constexpr int64_t kRunsEach = 8;
/// Of every part of the workspace: a line of the cache, which no two members then share.
constexpr int64_t kAlignment = 64;

/// The workspace in bytes: packed activations, then each member's own part: activations when they
/// are few, scratch of packing, scratch of `many`.
struct LaunchMemory {
  int64_t packed = 0;
  int64_t own_packed = kOwnPackedBytes;
  int64_t pack_scratch = 0;
  int64_t many_scratch = 0;

  LaunchMemory(const LinearKernels& kernels, int64_t tokens, int64_t k)
      : packed(round_up(tokens * kernels.row_bytes(k), kAlignment)),
        pack_scratch(round_up(kernels.pack_scratch_bytes(k), kAlignment)),
        many_scratch(
            tokens <= kernels.few_tokens ? 0 : round_up(kernels.many_scratch_bytes, kAlignment)) {}
  int64_t member() const { return own_packed + pack_scratch + many_scratch; }
};

/// The activations of a launch in their packed form.
class Packed {
 public:
  /// `own` is the member's part of the workspace. Returns after a barrier if the team shares the
  /// packing.
  Packed(const LinearWork& work, const LinearKernels& kernels, const LaunchMemory& memory,
         char* shared, char* own, TeamMember& member)
      : work_(work), kernels_(kernels), own_(own), scratch_(own + memory.own_packed) {
    if (kernels.reads_plain_row && work.tokens == 1 && work.norm.kind == Norm::kNone) {
      data_ = reinterpret_cast<const char*>(work.x);
    } else if (memory.packed > kOwnPackedBytes) {
      member.for_chunks(ceil_div(work.tokens, kernels.tile_rows),
                        [&](int64_t tile) { kernels.pack(work, tile, shared, scratch_); });
      member.barrier();
      data_ = shared;
    }
  }

  /// For use in chunks only: a member that packs for itself does so in its first, since without
  /// one it may be so late that the activations are another step's by now.
  const char* data() {
    if (data_ != nullptr) return data_;
    for (int64_t tile = 0; tile < ceil_div(work_.tokens, kernels_.tile_rows); ++tile)
      kernels_.pack(work_, tile, own_, scratch_);
    return data_ = own_;
  }

 private:
  const LinearWork& work_;
  const LinearKernels& kernels_;
  char* own_;
  char* scratch_;
  const char* data_ = nullptr;
};

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

void share_few(const LinearWork& work, const LinearKernels& kernels, Packed& packed,
               TeamMember& member) {
  const int64_t own_bytes = work.panels * work.panel_bytes / member.size();
  const int64_t own_runs = std::clamp<int64_t>(own_bytes / kChunkBytes, 1, kRunsEach);
  const PanelRuns runs(work, own_runs * member.size());
  member.for_chunks(runs.runs, [&](int64_t run) {
    kernels.few(work, runs.begin(run), runs.count(run), packed.data());
  });
}

void share_many(const LinearWork& work, const LinearKernels& kernels, Packed& packed, char* scratch,
                TeamMember& member) {
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
    kernels.many(work, range, packed.data(), scratch);
  });
}

}  // namespace

size_t linear_workspace_bytes(const LinearKernels& kernels, int64_t tokens, int64_t k,
                              int threads) {
  const LaunchMemory memory(kernels, tokens, k);
  return static_cast<size_t>(memory.packed + threads * memory.member());
}

void launch_linear(const LinearWork& work, const LinearKernels& kernels, std::byte* workspace,
                   TeamMember& member) {
  if (work.tokens == 0) return;
  const LaunchMemory memory(kernels, work.tokens, work.k);
  char* shared = reinterpret_cast<char*>(workspace);
  char* own = shared + memory.packed + member.rank() * memory.member();
  Packed packed(work, kernels, memory, shared, own, member);
  if (work.tokens <= kernels.few_tokens) {
    share_few(work, kernels, packed, member);
  } else {
    share_many(work, kernels, packed, own + memory.own_packed + memory.pack_scratch, member);
  }
}

}  // namespace legato::kernels::cpu
