#pragma once

#include "base/progress.h"
#include "builder/program.h"
#include "engine/writer.h"

namespace legato::builder {

/// Reads every weight by rows, brings it into its layout and hands it to the writer: never more
/// than a few megabytes of weights are in memory. Throws Error.
void stream_weights(const Program& program, engine::EngineWriter& writer, const Progress& progress);

}  // namespace legato::builder
