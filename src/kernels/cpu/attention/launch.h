#pragma once

#include "device/cpu/team.h"
#include "kernels/cpu/level/attention.h"
#include "kernels/step.h"

namespace legato::kernels::cpu {

/// Workspace of launch_attention(): task lists, each member's scratch, and partial results of runs.
size_t attention_workspace_bytes(const AttentionWork& shape, const AttentionKernels& kernels,
                                 const Limits& limits);

/// Appends the step's keys and values to the cache and attends, shared among a team. At most one
/// barrier, none while every sequence has one token and at most kBlockK positions.
void launch_attention(const AttentionWork& work, const AttentionKernels& kernels,
                      const LaunchArgs& args, TeamMember& member);

}  // namespace legato::kernels::cpu
