#include "legato/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "api/adapted_memory.h"
#include "api/convert.h"
#include "api/engine_impl.h"
#include "api/layers.h"
#include "api/text_impl.h"
#include "builder/precision.h"
#include "runtime/binding.h"

namespace legato {
namespace {

SamplingParams generation_params(const ModelInfo& model) {
  const GenerationDefaults& defaults = model.generation;
  SamplingParams params;
  // A model whose authors don't sample is greedy; its other numbers are then without effect.
  params.temperature = defaults.do_sample ? defaults.temperature : 0.0;
  params.top_k = defaults.top_k;
  params.top_p = defaults.top_p;
  params.min_p = defaults.min_p;
  params.repetition_penalty = defaults.repetition_penalty;
  params.stop_ids = model.eos_ids;
  return params;
}

std::vector<TensorInfo> describe_values(const engine::EngineSpec& spec,
                                        const std::vector<int32_t>& indices) {
  std::vector<TensorInfo> tensors;
  for (const int32_t index : indices) {
    const engine::ValueSpec& value = spec.values[static_cast<size_t>(index)];
    tensors.push_back(api::describe(value.name, value.dtype, value.shape));
  }
  return tensors;
}

int64_t longest_reduction(const engine::EngineSpec& spec) {
  int64_t longest = 1;
  for (const engine::WeightSpec& weight : spec.weights) {
    if (weight.shape.rank() == 2) longest = std::max(longest, weight.shape[1]);
  }
  return longest;
}

/// Norms and biases count too.
std::vector<EngineWeights> weights_by_type(const engine::EngineSpec& spec) {
  std::map<DType, EngineWeights> types;
  for (const engine::WeightSpec& weight : spec.weights) {
    EngineWeights& type = types[weight.dtype];
    type.precision = builder::precision_name(weight.dtype);
    ++type.tensors;
    type.bytes += weight.bytes;
  }
  std::vector<EngineWeights> list;
  list.reserve(types.size());
  for (const auto& [dtype, type] : types) list.push_back(type);
  std::stable_sort(list.begin(), list.end(), [](const EngineWeights& a, const EngineWeights& b) {
    return a.bytes > b.bytes;
  });
  return list;
}

/// The facts that only a file has.
void describe_file(const engine::Engine& file, EngineInfo& info) {
  info.path = file.path();
  info.format_version = file.format_version();
  info.fingerprint = file.fingerprint();
  info.file_bytes = file.file_bytes();
  for (const engine::SectionInfo& section : file.sections()) {
    info.sections.push_back({section.name, section.bytes, section.checksum});
  }
  info.has_tokenizer = !file.tokenizer().empty();
}

Status finish(Engine::Impl& impl) {
  impl.info = api::describe_spec(impl.engine->spec());
  describe_file(*impl.engine, impl.info);
  if (!impl.info.has_tokenizer) return {};
  LEGATO_ASSIGN_OR_RETURN(Tokenizer tokenizer,
                          api::deserialize_tokenizer(impl.engine->tokenizer(), impl.info.path));
  impl.tokenizer = std::move(tokenizer);
  return {};
}

}  // namespace

namespace api {

EngineInfo describe_spec(const engine::EngineSpec& spec) {
  EngineInfo info;
  info.device = "cpu";
  info.required_cpu_level = cpu_level_name(spec.required_level);
  info.precision = spec.precision;
  info.build_options = spec.build_options;
  for (const engine::ProfileDim& dim : spec.profile) {
    info.profiles.push_back({dim.symbol, dim.min, dim.opt, dim.max});
  }
  info.weights_bytes = spec.weights_bytes;
  info.weights = weights_by_type(spec);
  info.longest_reduction = longest_reduction(spec);
  info.architecture = spec.model.architecture;
  info.vocab_size = spec.model.vocab_size;
  info.max_context = spec.model.max_context;
  info.eos_ids = spec.model.eos_ids;
  info.bos_id = spec.model.bos_id;
  info.pad_id = spec.model.pad_id;
  info.generation = generation_params(spec.model);
  info.inputs = describe_values(spec, spec.inputs);
  info.outputs = describe_values(spec, spec.outputs);
  info.kv_layers = static_cast<int64_t>(spec.kv.layers.size());
  info.kv_type = to_public(spec.kv.default_dtype);
  return info;
}

Result<KvLayout> kv_layout(const engine::KvSpec& kv, std::optional<DataType> type) {
  const DType dtype = type ? to_internal(*type) : kv.default_dtype;
  if (dtype != DType::kF32 && dtype != DType::kF16 && dtype != DType::kBF16) {
    return fail(Code::kInvalidArgument, "kv_type",
                fmt::format("expected f32, f16 or bf16, got {}", dtype_name(dtype)));
  }
  return KvLayout(kv.layers, dtype);
}

}  // namespace api

inline namespace v1 {

Engine::Engine(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<Engine> Engine::open(const std::string& path) {
  auto impl = std::make_shared<Impl>();
  LEGATO_ASSIGN_OR_RETURN(impl->engine, engine::Engine::open(path));
  LEGATO_RETURN_IF_ERROR(finish(*impl));
  return Engine(std::move(impl));
}

Result<Engine> Engine::load(const std::string& path, const LoadOptions& options) {
  auto impl = std::make_shared<Impl>();
  engine::LoadOptions load;
  if (options.memory != nullptr) {
    impl->allocator = api::make_allocator(options.memory);
    load.allocator = impl->allocator.get();
  }
  load.progress = options.progress;
  LEGATO_ASSIGN_OR_RETURN(load.threads, api::choose_threads(options.threads));
  LEGATO_ASSIGN_OR_RETURN(load.cpu_level, api::choose_cpu_level(options.cpu_level));
  LEGATO_ASSIGN_OR_RETURN(impl->engine, engine::Engine::load(path, load));
  LEGATO_RETURN_IF_ERROR(finish(*impl));
  impl->loaded = true;
  return Engine(std::move(impl));
}

const EngineInfo& Engine::info() const { return impl_->info; }
bool Engine::loaded() const { return impl_->loaded; }
Status Engine::wait_until_settled() const { return impl_->engine->wait_until_settled(); }

uint64_t Engine::kv_bytes_per_token(std::optional<DataType> type) const {
  const Result<KvLayout> layout = api::kv_layout(impl_->engine->spec().kv, type);
  return layout.ok() ? layout->token_bytes() : 0;
}

std::vector<KvBinding> Engine::kv_bindings(std::optional<DataType> type) const {
  std::vector<KvBinding> bindings;
  const Result<KvLayout> layout = api::kv_layout(impl_->engine->spec().kv, type);
  if (!layout.ok()) return bindings;
  for (size_t i = 0; i < layout->layers().size(); ++i) {
    const KvLayerSpec& spec = layout->layers()[i];
    const auto layer = static_cast<int>(i);
    KvBinding binding;
    binding.layer = layer;
    binding.type = api::to_public(layout->dtype());
    binding.heads = spec.kv_heads;
    binding.head_dim = spec.head_dim;
    binding.window = spec.window;
    binding.sinks = spec.sinks;
    binding.block_tokens = kBlockTokens;
    binding.block_bytes = layout->block_bytes();
    binding.head_bytes = static_cast<uint64_t>(spec.head_dim) *
                         static_cast<uint64_t>(kBlockTokens) * dtype_bytes(layout->dtype());
    binding.kind = KvBinding::Kind::kKey;
    binding.offset = layout->key_offset(layer, 0);
    bindings.push_back(binding);
    binding.kind = KvBinding::Kind::kValue;
    binding.offset = layout->value_offset(layer, 0);
    bindings.push_back(binding);
  }
  return bindings;
}

Result<std::vector<EngineLayer>> Engine::layers(int64_t context) const {
  const engine::EngineSpec& spec = impl_->engine->spec();
  kernels::Limits limits;
  limits.max_context = std::max<int64_t>(context + 1, 1);
  LEGATO_ASSIGN_OR_RETURN(const runtime::Binding binding,
                          runtime::bind_engine(spec, limits, best_cpu_level()));
  std::vector<EngineLayer> layers = api::describe_steps(spec);
  for (size_t i = 0; i < layers.size(); ++i) {
    const kernels::Cost cost =
        binding.steps[i].kernel->cost({.tokens = 1, .logit_rows = 1, .context = context});
    layers[i].bytes = cost.bytes;
    layers[i].operations = cost.operations;
  }
  return layers;
}

Result<Tokenizer> Engine::tokenizer() const {
  if (impl_->tokenizer) return *impl_->tokenizer;
  return fail(Code::kNotFound, impl_->info.path, "the engine has no tokenizer inside");
}

}  // namespace v1
}  // namespace legato
