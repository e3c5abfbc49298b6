#include "cli/output_path.h"

#include <fmt/format.h>

#include "base/status.h"
#include "cli/options.h"

namespace legato::cli {
namespace {

namespace fs = std::filesystem;

/// Shards may lie one folder below the model's.
constexpr int kMaxDepth = 1;

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

/// The file of `folder` that `output` names, through links too; empty when there is none.
fs::path find_in_folder(const fs::path& folder, const fs::path& output) {
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; it != end; it.increment(error)) {
    if (error) break;
    if (it.depth() >= kMaxDepth) it.disable_recursion_pending();
    if (it->path().extension() != ".engine" && is_same_file(it->path(), output)) return it->path();
  }
  return {};
}

}  // namespace

void check_output(const std::string& output, const std::vector<fs::path>& inputs) {
  if (output.empty()) throw UsageError("the name of the file to write is empty");
  // Elsewhere "-" is a standard stream, which no engine is written to.
  if (output == "-") throw UsageError("expected the name of a file to write, got \"-\"");
  std::error_code error;
  if (fs::is_directory(output, error)) {
    throw Error(Code::kInvalidArgument, output, "is a folder, expected the file to write");
  }
  if (const fs::path folder = fs::path(output).parent_path();
      !folder.empty() && !fs::is_directory(folder, error)) {
    throw Error(Code::kNotFound, output,
                fmt::format("there is no folder {} to write to", folder.string()));
  }
  if (!fs::is_regular_file(output, error)) return;
  for (const fs::path& input : inputs) {
    const fs::path found = fs::is_directory(input, error) ? find_in_folder(input, output)
                           : is_same_file(input, output)  ? input
                                                          : fs::path();
    if (!found.empty()) {
      throw Error(Code::kInvalidArgument, output,
                  fmt::format("is the input {}, expected another file to write", found.string()));
    }
  }
}

}  // namespace legato::cli
