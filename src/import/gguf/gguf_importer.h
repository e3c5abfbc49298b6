#pragma once

#include <filesystem>
#include <memory>

#include "base/status.h"
#include "import/gguf/model_file.h"
#include "import/importer.h"
#include "tokenizer/tokenizer.h"

namespace legato::importer {

/// Whether the path is a GGUF model by its name or its first bytes.
bool is_gguf(const std::filesystem::path& path);

/// Imports a GGUF model, the first of its parts where it is split. Quantised matrices stay as the
/// file has them. Throws Error.
ImportedModel import_gguf(const std::filesystem::path& path, const ImportOptions& options = {});
ImportedModel import_gguf(std::shared_ptr<const GgufModelFile> file,
                          const ImportOptions& options = {});

/// The tokenizer in a GGUF model's metadata. kNotFound when it has none.
Result<tokenizer::Tokenizer> gguf_tokenizer(const std::filesystem::path& path);

}  // namespace legato::importer
