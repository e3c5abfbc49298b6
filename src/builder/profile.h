#pragma once

#include <vector>

#include "builder/builder.h"

namespace legato::builder {

/// Bounds for each symbol of the graph's inputs, sorted by name. Throws Error for a value whose
/// extent hangs on anything else: no step could be sized before it runs.
std::vector<engine::ProfileDim> make_profile(const ir::Graph& graph, const BuildOptions& options);

}  // namespace legato::builder
