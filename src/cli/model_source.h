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

/// Whether the name alone says that a file is none of an engine, ".gguf" for example: source_kind()
/// goes by it.
bool has_foreign_name(const std::filesystem::path& path);

/// An existing path as it is, a repository of the hub cache as its snapshot; "owner/name" is looked
/// up there. Throws Error that says where it was looked for.
std::filesystem::path resolve_source(const std::string& source);

/// A folder that a model can be compiled from has a config.json; Error says what it has instead.
/// Files are judged when they are read.
void check_model(const std::filesystem::path& path);

/// Judges what a command asks of a model; throws when it asks too much.
using ModelJudge = std::function<void(const EngineInfo& info)>;

/// An engine file, or a model built into the cache once; loaded. `judge` is asked before the
/// weights are read where that is possible.
Engine load_model(const std::string& source, const SessionFlags& flags, Console& console,
                  const ModelJudge& judge = nullptr);

/// The tokenizer of an engine file or a model.
Tokenizer load_tokenizer(const std::string& source);

/// The tokenizer inside an engine that came from `source`. Throws Error that says why there is
/// none, and `instead`.
Tokenizer engine_tokenizer(const Engine& engine, const std::string& source,
                           const std::string& instead);

}  // namespace legato::cli
