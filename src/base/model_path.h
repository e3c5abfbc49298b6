#pragma once

#include <filesystem>
#include <string_view>

#include "base/status.h"

namespace legato {

/// The real path of a file that a model folder names. Links are followed inside the folder, and in
/// a hub cache (models--OWNER--NAME/snapshots/REVISION) inside that repository's own folder, where
/// its blobs lie. A path that leads anywhere else, a missing file or one that is no regular file is
/// refused by name; only a missing one is kNotFound.
Result<std::filesystem::path> resolve_in_model_folder(const std::filesystem::path& folder,
                                                      std::string_view name);

/// Whether the folder has such an entry, a dangling link included.
bool model_folder_has(const std::filesystem::path& folder, std::string_view name);

/// Reads such a file whole, as read_file() does.
Result<std::string> read_model_file(const std::filesystem::path& folder, std::string_view name,
                                    uint64_t max_bytes);

}  // namespace legato
