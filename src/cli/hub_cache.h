#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace legato::cli {

/// Where the hub's tools keep models: $HF_HUB_CACHE, else $HF_HOME/hub, else
/// $XDG_CACHE_HOME/huggingface/hub, else ~/.cache/huggingface/hub.
std::filesystem::path hub_folder();

/// "owner/name" or "name" as the folder of a repository in that cache; none for a text that can't
/// be a model's name.
std::optional<std::filesystem::path> hub_repository(const std::string& source);

/// Whether a folder is such a repository (models--OWNER--NAME with snapshots).
bool is_hub_repository(const std::filesystem::path& folder);

/// The snapshot that refs/main names, or the only one. Throws Error when there is none, or several
/// to choose from.
std::filesystem::path hub_snapshot(const std::filesystem::path& repository);

/// What people call the model of a folder: OWNER--NAME for a snapshot, else the folder's name.
std::string model_name(const std::filesystem::path& folder);

}  // namespace legato::cli
