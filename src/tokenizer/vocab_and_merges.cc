#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "tokenizer/fields.h"
#include "tokenizer/folder.h"

namespace legato::tokenizer {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxMergesBytes = 64 << 20;

constexpr std::string_view kQwenWords =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// The lines "left right" of merges.txt; a first line that begins with "#version" is a comment.
Result<Json> read_merges_file(const fs::path& folder) {
  constexpr const char* kName = "merges.txt";
  LEGATO_ASSIGN_OR_RETURN(const std::string text, read_folder_file(folder, kName, kMaxMergesBytes));
  if (!is_utf8(text))
    return fail(Code::kMalformed, (folder / kName).string(), "the file is no UTF-8");
  Json merges = Json::array();
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty() && !line.starts_with("#version")) merges.push_back(line);
  }
  return merges;
}

/// What the reference builds for its GPT-2 and Qwen2 tokenizer classes.
Result<Json> pre_tokenizer_of_class(const Json& config, const std::string& where, Json& tokenizer) {
  Fields fields(config, where, "");
  std::string type = fields.text("tokenizer_class", "GPT2Tokenizer");
  const bool add_prefix_space = fields.flag("add_prefix_space", false);
  if (!fields.status().ok()) return fields.status();
  if (type.ends_with("Fast")) type.resize(type.size() - 4);
  constexpr std::array<std::string_view, 6> kGpt2Like = {"GPT2Tokenizer",       "CodeGenTokenizer",
                                                         "PreTrainedTokenizer", "GPTNeoXTokenizer",
                                                         "OPTTokenizer",        "GPT2BPETokenizer"};
  if (std::count(kGpt2Like.begin(), kGpt2Like.end(), type) > 0)
    return Json{{"type", "ByteLevel"}, {"add_prefix_space", add_prefix_space}};
  if (type == "Qwen2Tokenizer") {
    tokenizer["normalizer"] = {{"type", "NFC"}};
    const Json split = {{"type", "Split"},
                        {"pattern", {{"Regex", kQwenWords}}},
                        {"behavior", "Isolated"},
                        {"invert", false}};
    const Json bytes = {
        {"type", "ByteLevel"}, {"add_prefix_space", add_prefix_space}, {"use_regex", false}};
    return Json{{"type", "Sequence"}, {"pretokenizers", Json::array({split, bytes})}};
  }
  return fail(Code::kUnsupported, where,
              fmt::format("tokenizer_class {} with vocab.json and merges.txt is not supported, "
                          "expected a GPT-2 or Qwen2 class or a tokenizer.json",
                          type.substr(0, 80)));
}

}  // namespace

Result<Json> read_vocab_and_merges(const fs::path& folder, const Json& config) {
  const std::string where = (folder / "tokenizer_config.json").string();
  Json tokenizer = Json::object();
  LEGATO_ASSIGN_OR_RETURN(tokenizer["pre_tokenizer"],
                          pre_tokenizer_of_class(config, where, tokenizer));
  tokenizer["decoder"] = {{"type", "ByteLevel"}};
  Json& model = tokenizer["model"];
  model["type"] = "BPE";
  LEGATO_ASSIGN_OR_RETURN(model["vocab"], read_folder_json(folder, "vocab.json"));
  LEGATO_ASSIGN_OR_RETURN(model["merges"], read_merges_file(folder));
  return tokenizer;
}

}  // namespace legato::tokenizer
