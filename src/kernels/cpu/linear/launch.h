#pragma once

#include "device/cpu/team.h"
#include "kernels/cpu/level/linear.h"

namespace legato::kernels::cpu {

/// Workspace of launch_linear() by a team of `threads` for at most `tokens` rows of `k` columns.
size_t linear_workspace_bytes(const LinearKernels& kernels, int64_t tokens, int64_t k, int threads);

/// Shares one LinearWork among a team: every member calls it with the same work and workspace. How
/// it is split depends on the number of tokens and on the team; results don't. Ends without a
/// barrier.
void launch_linear(const LinearWork& work, const LinearKernels& kernels, std::byte* workspace,
                   TeamMember& member);

}  // namespace legato::kernels::cpu
