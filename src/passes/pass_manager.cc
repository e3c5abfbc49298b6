#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "passes/pass.h"

namespace legato::passes {
namespace {

void check_disabled(const PassOptions& options, std::span<const Pass> passes) {
  for (const std::string& name : options.disabled) {
    const bool known = std::any_of(passes.begin(), passes.end(),
                                   [&](const Pass& pass) { return pass.name == name; });
    if (known) continue;
    std::vector<std::string_view> names;
    for (const Pass& pass : passes) names.push_back(pass.name);
    throw Error(Code::kInvalidArgument, "",
                fmt::format("\"{}\" is no pass, expected one of {}", name, fmt::join(names, ", ")));
  }
}

}  // namespace

std::vector<PassRecord> run_passes(ir::Graph& graph, const PassOptions& options,
                                   std::span<const Pass> passes) {
  using Clock = std::chrono::steady_clock;
  check_disabled(options, passes);
  verify(graph);
  std::vector<PassRecord> records;
  for (const Pass& pass : passes) {
    if (options.disabled.count(std::string(pass.name)) != 0) continue;
    const Clock::time_point begin = Clock::now();
    PassRecord record{std::string(pass.name), pass.run(graph, options), 0};
    record.ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    records.push_back(std::move(record));
    const Status status = catch_error([&] { verify(graph); });
    if (!status.ok())
      throw Error(Code::kInternal, fmt::format("after pass {}", pass.name), status.to_string());
  }
  return records;
}

}  // namespace legato::passes
