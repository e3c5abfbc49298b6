#pragma once

#include <filesystem>
#include <string>

#include "cli/console.h"
#include "legato/build.h"
#include "legato/engine.h"

namespace legato::cli {

/// $LEGATO_CACHE, else $XDG_CACHE_HOME/legato, else ~/.cache/legato.
std::filesystem::path cache_folder();

/// Loads the engine of a model from the cache; built there first when it is missing or stale. The
/// key is the content of the model's files, the options, Legato's version and the CPU
/// level; a lock keeps two processes from building the same. Throws Error.
Engine load_cached(const std::filesystem::path& model, const BuildOptions& build,
                   const LoadOptions& load, Console& console);

}  // namespace legato::cli
