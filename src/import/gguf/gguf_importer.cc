#include "import/gguf/gguf_importer.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <fstream>
#include <vector>

#include "import/gguf/settings.h"
#include "import/gguf/tokenizer_metadata.h"
#include "import/gguf/weights.h"

namespace legato::importer {
namespace fs = std::filesystem;
namespace {

/// Divides each frequency by the factor that the file gives it.
void divide_frequencies(ir::Graph& graph, GgufWeights& weights, const std::string& where) {
  for (const ir::NodeId id : graph.order()) {
    if (graph.node(id).op != "RotaryTable") continue;
    std::vector<double> frequencies = graph.node(id).attributes.get_floats("inv_freq");
    const auto count = static_cast<int64_t>(frequencies.size());
    const Tensor factors =
        ir::cast(weights.get_own(std::string(kGgufRopeFactors), {count}), DType::kF32)->load();
    for (size_t i = 0; i < frequencies.size(); ++i) {
      const float factor = factors.data<float>()[i];
      const float quotient = static_cast<float>(frequencies[i]) / factor;
      if (!(factor > 0) || !std::isfinite(quotient))
        throw Error(Code::kMalformed, where,
                    fmt::format("tensor \"{}\"[{}] is {}, expected a factor above 0",
                                kGgufRopeFactors, i, factor));
      frequencies[i] = quotient;
    }
    Attributes attributes = graph.node(id).attributes;
    attributes.set("inv_freq", std::move(frequencies));
    graph.update(id, graph.node(id).inputs, std::move(attributes));
  }
}

/// Sampling that the file recommends.
GenerationDefaults read_generation(const GgufMetadata& metadata) {
  constexpr double kMax = 1e30;
  GenerationDefaults defaults;
  const auto number = [&](const char* key, FloatRange range, double otherwise) {
    const double value = metadata.get_float(key, otherwise);
    if (value < range.min || value > range.max)
      metadata.refuse(key, fmt::format("expected {} to {}, found {}", range.min, range.max, value));
    return value;
  };
  defaults.temperature = number("general.sampling.temp", {0, kMax}, defaults.temperature);
  defaults.do_sample = metadata.has("general.sampling.temp") && defaults.temperature > 0;
  defaults.top_k = metadata.get_int("general.sampling.top_k", {0, INT32_MAX}, defaults.top_k);
  defaults.top_p = number("general.sampling.top_p", {1e-6, 1}, defaults.top_p);
  defaults.min_p = number("general.sampling.min_p", {0, 1}, defaults.min_p);
  defaults.repetition_penalty =
      number("general.sampling.penalty_repeat", {1e-6, kMax}, defaults.repetition_penalty);
  return defaults;
}

}  // namespace

bool is_gguf(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  if (path.extension() == ".gguf") return true;
  std::array<char, 4> magic{};
  std::ifstream(path, std::ios::binary).read(magic.data(), magic.size());
  return std::string_view(magic.data(), magic.size()) == "GGUF";
}

ImportedModel import_gguf(const fs::path& path, const ImportOptions& options) {
  return import_gguf(GgufModelFile::open(path), options);
}

ImportedModel import_gguf(std::shared_ptr<const GgufModelFile> file, const ImportOptions& options) {
  const GgufSettings settings = read_gguf_settings(*file);
  GgufWeights weights(file, settings.paired);
  ImportedModel model = import_model(settings.config, weights, options);
  if (settings.rope_factors) divide_frequencies(model.graph, weights, file->where());
  weights.refuse_unused();
  model.info.generation = read_generation(file->metadata());
  return model;
}

Result<tokenizer::Tokenizer> gguf_tokenizer(const fs::path& path) {
  Result<tokenizer::Tokenizer> tokenizer =
      fail(Code::kInternal, path.string(), "the tokenizer was not read");
  const Status status =
      catch_error([&] { tokenizer = read_gguf_tokenizer(GgufModelFile::open(path)->metadata()); });
  if (!status.ok()) return status;
  return tokenizer;
}

}  // namespace legato::importer
