#pragma once

#include "builder/builder.h"
#include "builder/program.h"
#include "kernels/tactic.h"

namespace legato::builder {

/// Turns a graph into steps: chooses a tactic for each node, decides where every value lies and in
/// which layout each weight is stored. Fills the steps, values, weights, slots, profile, inputs and
/// outputs of the program. Throws Error naming the node that no tactic runs.
void lower(const ir::Graph& graph, const BuildOptions& options,
           const kernels::TacticRegistry& registry, Program& program);

}  // namespace legato::builder
