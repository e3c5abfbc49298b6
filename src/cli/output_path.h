#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace legato::cli {

/// Refuses to write over what the command reads: `output` may be none of `inputs`, nor a file of a
/// folder among them. Engines (*.engine) that lie in such a folder may be replaced.
void check_output(const std::string& output, const std::vector<std::filesystem::path>& inputs);

}  // namespace legato::cli
