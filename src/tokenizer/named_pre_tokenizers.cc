#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "tokenizer/metadata.h"

namespace legato::tokenizer {
namespace {

// Patterns as the models' own tokenizer.json files have them.
constexpr std::string_view kGpt2Words =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view kLlama3Words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2Words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kTekkenWords =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kDigit = R"(\p{N})";
// What readers of GGUF take for "default": punctuation, words, then numbers in threes.
constexpr std::string_view kPunctuation = R"([\p{P}\$\+<=>\^~\|]+)";
constexpr std::string_view kNumber = R"(\p{N}+)";
constexpr std::string_view kThreeDigits = "[0-9][0-9][0-9]";

struct Named {
  std::string_view name;
  std::array<std::string_view, 4> patterns;  ///< one after the other; empty ones are none
  bool nfc = false;
  bool ignore_merges = false;
  bool adds_bos = false;
};
constexpr std::array kNamed = {
    Named{.name = "default", .patterns = {kPunctuation, kGpt2Words, kNumber, kThreeDigits}},
    Named{.name = "deepseek-r1-qwen", .patterns = {kQwen2Words}},
    Named{.name = "falcon3", .patterns = {kLlama3Words}, .ignore_merges = true, .adds_bos = true},
    Named{.name = "gpt-2", .patterns = {kGpt2Words}},
    Named{.name = "llama-bpe", .patterns = {kLlama3Words}, .ignore_merges = true, .adds_bos = true},
    Named{.name = "llama-v3", .patterns = {kLlama3Words}, .ignore_merges = true, .adds_bos = true},
    Named{.name = "llama3", .patterns = {kLlama3Words}, .ignore_merges = true, .adds_bos = true},
    Named{.name = "phi-2", .patterns = {kGpt2Words}},
    Named{.name = "qwen2", .patterns = {kQwen2Words}, .nfc = true},
    Named{.name = "refact", .patterns = {kDigit, kGpt2Words}},
    Named{.name = "smaug-bpe", .patterns = {kLlama3Words}},
    Named{.name = "smollm", .patterns = {kDigit, kGpt2Words}},
    Named{.name = "starcoder", .patterns = {kDigit, kGpt2Words}},
    Named{.name = "tekken", .patterns = {kTekkenWords}, .ignore_merges = true, .adds_bos = true},
};

Json sequence_of(const Named& named) {
  Json parts = Json::array();
  for (const std::string_view pattern : named.patterns)
    if (!pattern.empty())
      parts.push_back({{"type", "Split"},
                       {"pattern", {{"Regex", pattern}}},
                       {"behavior", "Isolated"},
                       {"invert", false}});
  parts.push_back({{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}});
  return {{"type", "Sequence"}, {"pretokenizers", std::move(parts)}};
}

}  // namespace

Result<NamedPreTokenizer> pre_tokenizer_by_name(std::string_view name, const std::string& where) {
  const auto found = std::find_if(kNamed.begin(), kNamed.end(),
                                  [&](const Named& named) { return named.name == name; });
  if (found == kNamed.end()) {
    std::string known;
    for (const Named& named : kNamed)
      known += fmt::format("{}{}", known.empty() ? "" : ", ", named.name);
    return fail(Code::kUnsupported, where,
                fmt::format("tokenizer.ggml.pre is \"{}\", which is not supported; known: {}",
                            name.substr(0, 60), known));
  }
  NamedPreTokenizer result;
  result.pre_tokenizer = sequence_of(*found);
  if (found->nfc) result.normalizer = {{"type", "NFC"}};
  result.ignore_merges = found->ignore_merges;
  result.adds_bos = found->adds_bos;
  return result;
}

}  // namespace legato::tokenizer
