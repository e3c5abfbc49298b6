#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "cli/console.h"
#include "cli/session_flags.h"
#include "legato/engine.h"
#include "legato/text.h"

namespace legato::cli {

/// Where a model comes from, by what the path is: an engine file, or a model to build (a Hugging
/// Face folder or a GGUF file). Throws Error for what isn't supported yet.
enum class SourceKind { kEngine, kModel };
SourceKind source_kind(const std::filesystem::path& path);

/// An existing path as it is; "owner/name" is looked up in the local hub cache ($HF_HOME).
std::filesystem::path resolve_source(const std::string& source);

/// Judges what a command asks of a model; throws when it asks too much.
using ModelJudge = std::function<void(const EngineInfo& info)>;

/// An engine file, or a model built into the cache once; loaded. `judge` is asked before the
/// weights are read where that is possible.
Engine load_model(const std::string& source, const SessionFlags& flags, Console& console,
                  const ModelJudge& judge = nullptr);

/// The tokenizer of an engine file or a model.
Tokenizer load_tokenizer(const std::string& source);

}  // namespace legato::cli
