#include "import/safetensors/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/counted.h"
#include "base/log.h"
#include "base/model_path.h"
#include "base/status.h"
#include "import/safetensors/index.h"

namespace legato::importer {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kSingleFile = "model.safetensors";
constexpr std::string_view kIndexFile = "model.safetensors.index.json";
constexpr size_t kMaxNamedUnused = 8;
constexpr size_t kMaxShards = 1024;
constexpr size_t kMaxTensors = 200'000;  // of all shards

/// Ends of the names of buffers that are computed from the settings.
constexpr std::array<std::string_view, 6> kComputedSuffixes = {
    ".rotary_emb.inv_freq",   ".attn.bias",
    ".attn.masked_bias",      ".attention.bias",
    ".attention.masked_bias", ".embed_positions.sinusoid"};

bool is_computed(std::string_view name) {
  return std::any_of(kComputedSuffixes.begin(), kComputedSuffixes.end(),
                     [&](std::string_view suffix) { return name.ends_with(suffix); });
}

bool is_pickle(const fs::path& path) {
  const std::string suffix = path.extension().string();
  return suffix == ".bin" || suffix == ".pth" || suffix == ".pt" || suffix == ".ckpt";
}

[[noreturn]] void refuse_without_safetensors(const fs::path& folder) {
  std::error_code error;
  std::vector<std::string> pickles;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (is_pickle(entry.path()) && pickles.size() < 100)
      pickles.push_back(entry.path().filename().string());
  if (pickles.empty())
    throw Error(Code::kNotFound, folder.string(),
                fmt::format("no weights: expected {} or {}", kSingleFile, kIndexFile));
  throw Error(
      Code::kUnsupported, (folder / *std::min_element(pickles.begin(), pickles.end())).string(),
      fmt::format("pickled weights are not read; convert them to safetensors ({})", kSingleFile));
}

}  // namespace

SafetensorsWeights SafetensorsWeights::open(const fs::path& folder) {
  SafetensorsWeights weights;
  weights.where_ = folder.string();
  if (model_folder_has(folder, kSingleFile)) {
    weights.add_file(folder, std::string(kSingleFile));
    weights.where_ = (folder / kSingleFile).string();
  } else if (model_folder_has(folder, kIndexFile)) {
    weights.add_shards(folder);
    weights.where_ = (folder / kIndexFile).string();
  } else {
    refuse_without_safetensors(folder);
  }
  return weights;
}

void SafetensorsWeights::add_file(const fs::path& folder, const std::string& name) {
  const auto file = SafetensorsFile::open(value_or_throw(resolve_in_model_folder(folder, name)),
                                          (folder / name).string());
  for (const auto& [tensor, entry] : file->header().tensors) {
    const auto [place, added] = tensors_.emplace(tensor, file);
    if (!added)
      throw Error(Code::kMalformed, file->where(),
                  fmt::format("tensor \"{}\" is also in {}", tensor, place->second->where()));
  }
  if (tensors_.size() > kMaxTensors)
    throw Error(Code::kMalformed, folder.string(),
                fmt::format("holds more than {} tensors", kMaxTensors));
}

void SafetensorsWeights::add_shards(const fs::path& folder) {
  const std::string index = (folder / kIndexFile).string();
  const auto weight_map =
      read_weight_map(value_or_throw(resolve_in_model_folder(folder, kIndexFile)), index);
  std::set<std::string> names;
  for (const auto& [tensor, name] : weight_map) names.insert(name);
  if (names.size() > kMaxShards)
    throw Error(Code::kMalformed, index,
                fmt::format("names {} shards, at most {} are read", names.size(), kMaxShards));
  for (const std::string& name : names) {
    const Status status = catch_error([&] { add_file(folder, name); });
    if (status.code == Code::kNotFound)
      throw Error(status.code, index, "shard \"" + name + "\": " + status.message);
    throw_if_failed(status);
  }
  for (const auto& [tensor, name] : weight_map) {
    const auto found = tensors_.find(tensor);
    const std::string shard = (folder / name).string();
    if (found == tensors_.end() || found->second->where() != shard)
      throw Error(Code::kMalformed, index,
                  fmt::format("tensor \"{}\" is not in its shard {}", tensor, name));
  }
}

ir::ConstantPtr SafetensorsWeights::get(const std::string& name, const Shape& expected) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end())
    throw Error(Code::kNotFound, where_,
                fmt::format("tensor \"{}\" {} is missing", name, expected.to_string()));
  const SafetensorsEntry& entry = *found->second->find(name);
  if (!(entry.shape == expected))
    throw Error(Code::kMalformed, found->second->where(),
                fmt::format("tensor \"{}\": expected shape {}, found {}", name,
                            expected.to_string(), entry.shape.to_string()));
  used_.insert(name);
  return tensor_constant(found->second, name, entry);
}

void SafetensorsWeights::warn_of_unused() const {
  size_t count = 0;
  std::string named;
  for (const auto& [name, file] : tensors_) {
    if (used_.count(std::string(name)) != 0 || is_computed(name)) continue;
    if (count++ < kMaxNamedUnused) named += fmt::format("{}{}", named.empty() ? "" : ", ", name);
  }
  if (count == 0) return;
  log_warning(fmt::format("{}: {} {} not used: {}{}", where_, counted(count, "tensor"),
                          count == 1 ? "is" : "are", named,
                          count > kMaxNamedUnused ? ", ..." : ""));
}

}  // namespace legato::importer
