#include "cli/foreign_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

namespace legato::cli {
namespace {

/// Spellings of llama.cpp's programs, vLLM and transformers, and our names in the order of
/// preference: a command is hinted at the first one that it has.
struct Equivalent {
  std::array<std::string_view, 4> theirs;
  std::array<std::string_view, 3> ours;
};
constexpr Equivalent kEquivalents[] = {
    {{"-t", "-tb", "--threads-batch"}, {"--threads"}},
    {{"-c", "--ctx-size", "--max-model-len", "--n-ctx"}, {"--window", "--max-len"}},
    {{"-n", "--n-predict", "--predict", "--max-new-tokens"}, {"--max-tokens", "--gen-len"}},
    {{"-n", "--n-gen", "--output-len"}, {"--gen-len"}},
    {{"-p", "--n-prompt", "--input-len"}, {"--prompt-len"}},
    {{"-d", "--n-depth"}, {"--depth"}},
    {{"-r", "--repetitions"}, {"--runs"}},
    {{"-r", "--reverse-prompt"}, {"--stop"}},
    {{"-m", "--model"}, {"MODEL", "SRC", "ENGINE"}},
    {{"-s"}, {"--seed"}},
    {{"-l"}, {"--logit-bias"}},
    {{"-f"}, {"--text", "--text-file"}},
    {{"--chunks"}, {"--max-windows"}},
    {{"-np", "--parallel", "-npl", "--max-num-seqs"}, {"--batch", "--max-seqs"}},
    {{"-ctk", "-ctv", "--cache-type-k", "--cache-type-v"}, {"--kv-dtype"}},
    {{"--kv-cache-dtype"}, {"--kv-dtype"}},
    {{"-ub", "--ubatch-size", "--max-num-batched-tokens"}, {"--max-step-tokens"}},
    {{"--outfile"}, {"--output"}},
    {{"--outtype", "--dtype"}, {"--precision"}},
    {{"-sys", "--system-prompt"}, {"--system"}},
    {{"--chat-template-file"}, {"--chat-template"}},
    {{"--chat-template-kwargs"}, {"--template-vars"}},
    {{"--repeat-penalty"}, {"--repetition-penalty"}},
};

/// Flags of llama.cpp's programs that would be taken for one of our letters and its value.
constexpr std::string_view kWithoutEquivalent[] = {"-cnv", "-fa",   "-hf",     "-hfr",
                                                   "-ngl", "-nkvo", "-no-cnv", "-nocnv"};

const OptionSpec* find_spec(const OptionSet& options, std::string_view name) {
  for (const OptionSpec& spec : options.specs())
    if (spec.name == name && !spec.hidden) return &spec;
  return nullptr;
}

const OptionSpec* find_equivalent(std::string_view flag, const OptionSet& options) {
  if (flag.empty()) return nullptr;
  for (const Equivalent& equivalent : kEquivalents) {
    const auto& theirs = equivalent.theirs;
    if (std::find(theirs.begin(), theirs.end(), flag) == theirs.end()) continue;
    for (const std::string_view name : equivalent.ours)
      if (const OptionSpec* spec = find_spec(options, name)) return spec;
  }
  return nullptr;
}

}  // namespace

std::string equivalent_hint(std::string_view flag, const OptionSet& options) {
  const OptionSpec* spec = find_equivalent(flag, options);
  if (spec == nullptr) return {};
  return spec->positional() ? fmt::format("; {} stands without a flag", spec->name)
                            : fmt::format("; did you mean {}?", spec->name);
}

bool is_foreign_cluster(std::string_view word, const OptionSet& options) {
  if (word.size() <= 2 || word[0] != '-' || word[1] == '-') return false;
  return std::find(std::begin(kWithoutEquivalent), std::end(kWithoutEquivalent), word) !=
             std::end(kWithoutEquivalent) ||
         find_equivalent(word, options) != nullptr;
}

}  // namespace legato::cli
