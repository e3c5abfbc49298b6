#include "tests/conformance/invariants/engines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "tests/support/temporary_folder.h"

namespace legato::invariants {
namespace {

const char* const kModels[] = {"tiny-tales", "nano-llama", "nano-gpt2"};
const char* const kZoo[] = {"gpt2",   "llama", "llama-rope-llama3",  "mistral",   "opt",
                            "pythia", "qwen2", "more-qwen2-windows", "more-qwen3"};

std::filesystem::path folder_of(const std::string& model) {
  const std::filesystem::path root(LEGATO_SOURCE_DIR);
  const std::filesystem::path bundled = root / "models" / model;
  return std::filesystem::exists(bundled) ? bundled : root / "tests/data/zoo" / model;
}

runtime::ContextOptions context_options(const engine::EngineSpec& spec, const RunOptions& options) {
  runtime::ContextOptions out;
  out.threads = options.threads;
  out.cpu_level = options.level;
  out.max_tokens = kMaxStepTokens;
  out.max_logit_rows = kMaxStepTokens;
  out.max_sequences = kMaxSequences;
  out.max_context = std::min(kMaxContext, spec.model.max_context);
  return out;
}

}  // namespace

std::string Variant::name() const {
  std::string text = fmt::format("{}_{}_kv_{}", model, dtype_name(precision), dtype_name(kv));
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

std::ostream& operator<<(std::ostream& out, const Variant& variant) {
  return out << variant.name();
}

std::vector<Variant> all_variants() {
  std::vector<Variant> variants;
  for (const DType type : {DType::kF32, DType::kF16, DType::kBF16}) {
    for (const char* model : kModels) variants.push_back({model, type, type});
    for (const char* model : kZoo) variants.push_back({model, type, type});
  }
  return variants;
}

std::vector<Variant> few_variants() {
  std::vector<Variant> variants = {{"tiny-tales", DType::kF16, DType::kF16},
                                   {"nano-gpt2", DType::kF32, DType::kF32},
                                   {"mistral", DType::kBF16, DType::kBF16},
                                   {"pythia", DType::kF32, DType::kF16}};
  for (const DType precision : {DType::kF32, DType::kF16, DType::kBF16}) {
    for (const DType kv : {DType::kF32, DType::kF16, DType::kBF16})
      variants.push_back({"llama", precision, kv});
  }
  return variants;
}

std::vector<Variant> quantised_variants() {
  std::vector<Variant> variants;
  for (const DType precision : {DType::kW8, DType::kW4})
    for (const char* model : {"tiny-tales", "nano-gpt2", "llama"})
      variants.push_back({model, precision, DType::kF16});
  return variants;
}

importer::ImportedModel import_variant(const Variant& variant) {
  return importer::import_folder(folder_of(variant.model));
}

std::shared_ptr<const engine::Engine> build_engine(const Variant& variant) {
  importer::ImportedModel model = import_variant(variant);
  builder::BuildOptions options;
  options.precision = variant.precision;
  options.kv_dtype = variant.kv;
  return build_engine(std::move(model.graph), std::move(model.info), options);
}

std::shared_ptr<const engine::Engine> build_engine(ir::Graph graph, ModelInfo model,
                                                   const builder::BuildOptions& options) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "model.engine";
  HugeMemory memory;
  builder::build({std::move(graph), std::move(model), ""}, options, path);
  engine::LoadOptions load;
  load.allocator = &memory;
  load.cpu_level = best_cpu_level();
  return value_or_throw(engine::Engine::load(path, load));
}

Runner::Runner(std::shared_ptr<const engine::Engine> loaded, DType kv, const RunOptions& options)
    : engine(std::move(loaded)),
      context(value_or_throw(
          runtime::Context::create(engine, context_options(engine->spec(), options), memory))),
      pool(value_or_throw(kvcache::BlockPool::create(KvLayout(engine->spec().kv.layers, kv),
                                                     options.blocks, memory))),
      index(pool) {}

void Runner::step(std::span<const runtime::SequenceStep> steps) {
  throw_if_failed(context->step(steps));
}

void Runner::step(kvcache::SequenceCache& cache, std::span<const int32_t> tokens) {
  const runtime::SequenceStep one{&cache, tokens, runtime::SequenceStep::Logits::kAll};
  step({&one, 1});
}

}  // namespace legato::invariants
