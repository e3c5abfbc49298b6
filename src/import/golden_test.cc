#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "base/status.h"
#include "import/gguf/gguf_importer.h"
#include "import/importer.h"
#include "import/safetensors/file.h"
#include "passes/evaluator.h"

namespace legato::importer {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = LEGATO_SOURCE_DIR;

/// The project's golden format: P.input_ids and P.last_logits, optionally P.all_logits.
class GoldenFile {
 public:
  explicit GoldenFile(const fs::path& path) : file_(SafetensorsFile::open(path, path.string())) {}

  std::vector<std::string> prompts() const {
    std::vector<std::string> names;
    constexpr std::string_view kSuffix = ".input_ids";
    for (const auto& [name, entry] : file_->header().tensors)
      if (name.ends_with(kSuffix)) names.push_back(name.substr(0, name.size() - kSuffix.size()));
    return names;
  }
  std::vector<int32_t> ids(const std::string& prompt) const {
    const auto bytes = file_->bytes(*file_->find(prompt + ".input_ids"));
    std::vector<int64_t> wide(bytes.size() / sizeof(int64_t));
    std::memcpy(wide.data(), bytes.data(), bytes.size());
    return {wide.begin(), wide.end()};
  }
  /// Empty when absent.
  std::vector<float> floats(const std::string& name) const {
    const SafetensorsEntry* entry = file_->find(name);
    if (entry == nullptr) return {};
    std::vector<float> values(file_->bytes(*entry).size() / sizeof(float));
    std::memcpy(values.data(), file_->bytes(*entry).data(), file_->bytes(*entry).size());
    return values;
  }

 private:
  std::shared_ptr<const SafetensorsFile> file_;
};

Tensor int_tensor(const std::vector<int32_t>& values) {
  Tensor tensor(DType::kI32, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.data<int32_t>());
  return tensor;
}

/// Logits of every position, row by row.
std::vector<float> logits_of(const ir::Graph& graph, const std::vector<int32_t>& ids,
                             const std::vector<int32_t>& rows) {
  std::vector<int32_t> positions(ids.size());
  std::iota(positions.begin(), positions.end(), 0);
  const std::vector<Tensor> outputs = passes::evaluate(graph, {{"input_ids", int_tensor(ids)},
                                                               {"positions", int_tensor(positions)},
                                                               {"logit_rows", int_tensor(rows)}});
  const float* data = outputs.at(0).data<float>();
  return {data, data + outputs.at(0).shape().elements()};
}

/// Largest difference over the largest golden value.
double relative_difference(const std::vector<float>& found, const std::vector<float>& golden) {
  if (found.size() != golden.size()) return INFINITY;
  double difference = 0, largest = 0;
  for (size_t i = 0; i < golden.size(); ++i) {
    if (!std::isfinite(found[i])) return INFINITY;
    difference = std::max(difference, std::abs(double{found[i]} - double{golden[i]}));
    largest = std::max(largest, std::abs(double{golden[i]}));
  }
  return difference / largest;
}

/// PyTorch's fp32 logits within 1e-4 of the largest, the bound of the golden format.
void expect_golden(const ImportedModel& model, const fs::path& golden_path, size_t max_tokens) {
  const GoldenFile golden(golden_path);
  size_t compared = 0;
  for (const std::string& prompt : golden.prompts()) {
    const std::vector<int32_t> ids = golden.ids(prompt);
    if (ids.size() > max_tokens) continue;
    std::vector<int32_t> rows(ids.size());
    std::iota(rows.begin(), rows.end(), 0);
    const std::vector<float> all = golden.floats(prompt + ".all_logits");
    const std::vector<float> last = golden.floats(prompt + ".last_logits");
    if (all.empty()) rows = {rows.back()};
    std::vector<float> found = logits_of(model.graph, ids, rows);
    if (!all.empty()) {
      EXPECT_LT(relative_difference(found, all), 1e-4) << prompt;
    }
    found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(last.size()));
    EXPECT_LT(relative_difference(found, last), 1e-4) << prompt;
    ++compared;
  }
  EXPECT_GT(compared, 0u);
}

TEST(ImportGolden, EveryTinyModelGivesTheLogitsOfPyTorch) {
  size_t models = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kSource / "tests/data/zoo")) {
    if (!entry.is_directory()) continue;
    SCOPED_TRACE(entry.path().string());
    expect_golden(import_folder(entry.path()), entry.path() / "golden.safetensors", 200);
    ++models;
  }
  EXPECT_GE(models, 18u);
}

TEST(ImportGolden, TrainedModelsGiveTheLogitsOfPyTorch) {
  for (const char* name : {"tiny-tales", "nano-llama", "nano-gpt2"}) {
    const fs::path model = kSource / "models" / name;
    ASSERT_TRUE(fs::exists(model / "model.safetensors")) << model;
    SCOPED_TRACE(name);
    expect_golden(import_folder(model), kSource / "tests/data/golden" / name / "verify.safetensors",
                  64);
  }
}

TEST(ImportGolden, GgufFilesOfTheTinyModelsGiveTheLogitsOfPyTorch) {
  const std::pair<const char*, const char*> models[] = {{"llama-00001-of-00002.gguf", "llama"},
                                                        {"mistral.gguf", "mistral"},
                                                        {"llama3.gguf", "llama-rope-llama3"},
                                                        {"llama-yarn.gguf", "more-llama-yarn"},
                                                        {"qwen2.gguf", "qwen2"},
                                                        {"qwen3.gguf", "more-qwen3"},
                                                        {"gpt2.gguf", "gpt2"}};
  for (const auto& [file, folder] : models) {
    SCOPED_TRACE(file);
    expect_golden(import_gguf(kSource / "tests/data/gguf" / file),
                  kSource / "tests/data/zoo" / folder / "golden.safetensors", 200);
  }
}

}  // namespace
}  // namespace legato::importer
