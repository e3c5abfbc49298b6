#include "cli/step_shape.h"

#include <fmt/format.h>

#include "cli/options.h"

namespace legato::cli {
namespace {

constexpr int64_t kMaxExtent = 1 << 20;

}  // namespace

int64_t parse_step_shape(const std::string& text) {
  constexpr std::string_view kInput = "input_ids:";
  if (!text.starts_with(kInput)) {
    throw UsageError(fmt::format("expected input_ids:BATCHxLENGTH, got \"{}\"", text));
  }
  int64_t tokens = 1;
  for (const std::string& extent : split(text.substr(kInput.size()), 'x')) {
    tokens *= parse_integer(extent, {1, kMaxExtent});
    if (tokens > kMaxExtent) {
      throw UsageError(fmt::format("more than {} tokens in \"{}\"", kMaxExtent, text));
    }
  }
  return tokens;
}

int64_t max_step_tokens(const EngineInfo& info) {
  for (const EngineProfile& profile : info.profiles) {
    if (profile.symbol == "tokens") return profile.max;
  }
  return info.max_context;
}

}  // namespace legato::cli
