#pragma once

#include <filesystem>
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

/// An engine file, or a model built into the cache once; loaded.
Engine load_model(const std::string& source, const SessionFlags& flags, Console& console);

/// The tokenizer of an engine file or a model.
Tokenizer load_tokenizer(const std::string& source);

}  // namespace legato::cli
