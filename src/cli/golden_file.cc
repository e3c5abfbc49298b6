#include "cli/golden_file.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <span>

#include "base/status.h"
#include "import/safetensors/file.h"

namespace legato::cli {
namespace {

using File = std::shared_ptr<const importer::SafetensorsFile>;

/// What a tensor of a case must be.
struct Expected {
  const char* dtype;
  int rank;
};

template <typename T>
std::vector<T> read_values(const File& file, const std::string& name, const Expected& expected) {
  const importer::SafetensorsEntry* entry = file->find(name);
  if (entry == nullptr) return {};
  if (entry->dtype != expected.dtype) {
    throw Error(Code::kMalformed, file->where(),
                fmt::format("{}: expected dtype {}, got {}", name, expected.dtype, entry->dtype));
  }
  const Shape& shape = entry->shape;
  if (shape.rank() != expected.rank) {
    throw Error(
        Code::kMalformed, file->where(),
        fmt::format("{}: expected {} axes, got shape {}", name, expected.rank, shape.to_string()));
  }
  const std::span<const std::byte> bytes = file->bytes(*entry);
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

/// Numbers that are compared: each must be one.
std::vector<float> read_numbers(const File& file, const std::string& name, int rank) {
  std::vector<float> values = read_values<float>(file, name, {"F32", rank});
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw Error(Code::kMalformed, file->where(),
                fmt::format("{}: expected finite numbers, got {} at {}", name, values[i], i));
  }
  return values;
}

std::vector<int32_t> read_ids(const File& file, const std::string& name) {
  std::vector<int32_t> ids;
  for (const int64_t id : read_values<int64_t>(file, name, {"I64", 1})) {
    if (id < 0 || id > std::numeric_limits<int32_t>::max()) {
      throw Error(Code::kMalformed, file->where(), fmt::format("{}: id {} is no token", name, id));
    }
    ids.push_back(static_cast<int32_t>(id));
  }
  return ids;
}

GoldenCase read_case(const File& file, const std::string& name) {
  GoldenCase golden;
  golden.name = name;
  golden.input_ids = read_ids(file, name + ".input_ids");
  golden.last_logits = read_numbers(file, name + ".last_logits", 1);
  golden.all_logits = read_numbers(file, name + ".all_logits", 2);
  golden.greedy_ids = read_ids(file, name + ".greedy_ids");
  golden.greedy_margins = read_numbers(file, name + ".greedy_margins", 1);
  const auto refuse = [&](const std::string& message) {
    throw Error(Code::kMalformed, file->where(), name + message);
  };
  if (golden.input_ids.empty()) refuse(".input_ids: has no ids");
  if (golden.last_logits.empty()) refuse(".last_logits: is missing");
  const Shape rows{static_cast<int64_t>(golden.input_ids.size()),
                   static_cast<int64_t>(golden.last_logits.size())};
  const importer::SafetensorsEntry* all = file->find(name + ".all_logits");
  if (all != nullptr && all->shape != rows) {
    refuse(fmt::format(".all_logits: expected shape {}, a row of logits for each id, got {}",
                       rows.to_string(), all->shape.to_string()));
  }
  if (golden.greedy_margins.size() != golden.greedy_ids.size()) {
    refuse(".greedy_margins: expected one for each of .greedy_ids");
  }
  return golden;
}

}  // namespace

std::vector<GoldenCase> read_golden_file(const std::string& path) {
  const File file = importer::SafetensorsFile::open(path, path);
  constexpr std::string_view kIds = ".input_ids";
  std::vector<GoldenCase> cases;
  bool is_net = false;
  for (const auto& [name, entry] : file->header().tensors) {
    if (name.ends_with(kIds)) {
      cases.push_back(read_case(file, name.substr(0, name.size() - kIds.size())));
    }
    is_net = is_net || (name.starts_with("case") && name.find(".input.") != std::string::npos);
  }
  if (cases.empty() && is_net) {
    throw Error(Code::kUnsupported, path, "golden values of a general net are not supported yet");
  }
  if (cases.empty()) {
    throw Error(Code::kMalformed, path, "has no case to compare (no tensor P.input_ids)");
  }
  return cases;
}

}  // namespace legato::cli
