#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/log.h"
#include "base/status.h"
#include "builder/builder.h"
#include "builder/kv_binding.h"
#include "builder/lowering.h"
#include "builder/precision.h"
#include "builder/weight_stream.h"
#include "engine/writer.h"
#include "passes/pass.h"
#include "tensor/kv_layout.h"
#include "tensor/quant_format.h"

namespace legato::builder {
namespace {

void check_cache_option(const char* name, const std::optional<DType>& dtype) {
  if (!dtype || *dtype == DType::kF32 || *dtype == DType::kF16 || *dtype == DType::kBF16) return;
  throw Error(Code::kInvalidArgument, name,
              fmt::format("is {}, expected f32, f16 or bf16", dtype_name(*dtype)));
}

void check_group(const BuildOptions& options) {
  if (!options.group) return;
  const bool used = options.precision == DType::kW4 || options.embed_precision == DType::kW4 ||
                    options.head_precision == DType::kW4;
  if (!used)
    throw Error(Code::kInvalidArgument, "group",
                fmt::format("is {}, expected none: no weights are w4", *options.group));
  if (*options.group != kQuantGroup)
    throw Error(Code::kUnsupported, "group",
                fmt::format("is {}, expected {}, the only one of w4 on the CPU", *options.group,
                            kQuantGroup));
}

std::vector<PassRecord> run_passes(ir::Graph& graph, const BuildOptions& options) {
  passes::PassOptions pass_options;
  pass_options.disabled.insert(options.disabled_passes.begin(), options.disabled_passes.end());
  pass_options.precision = options.precision;
  pass_options.embed_precision = options.embed_precision;
  pass_options.head_precision = options.head_precision;
  if (!options.precision && !options.embed_precision && !options.head_precision)
    pass_options.disabled.insert("cast-weights");
  std::vector<PassRecord> records;
  for (passes::PassRecord& record : passes::run_passes(graph, pass_options))
    records.push_back({std::move(record.name), record.rewrites, record.ms});
  return records;
}

/// Ids as an engine holds them: sorted, each once, inside the vocabulary.
ModelInfo clean_model(ModelInfo model) {
  const auto outside = [&model](const char* name, int32_t id) {
    if (id >= 0 && id < model.vocab_size) return false;
    log_warning(fmt::format("{} {} lies outside the vocabulary of {} and is left out", name, id,
                            model.vocab_size));
    return true;
  };
  std::sort(model.eos_ids.begin(), model.eos_ids.end());
  model.eos_ids.erase(std::unique(model.eos_ids.begin(), model.eos_ids.end()), model.eos_ids.end());
  std::erase_if(model.eos_ids, [&outside](int32_t id) { return outside("eos id", id); });
  if (model.bos_id && outside("bos id", *model.bos_id)) model.bos_id.reset();
  if (model.pad_id && outside("pad id", *model.pad_id)) model.pad_id.reset();
  return model;
}

DType default_kv_dtype(DType precision) {
  return precision == DType::kF32 || precision == DType::kBF16 ? precision : DType::kF16;
}

/// Everything up to the point where weight data is read.
Program compile(BuildInput& input, const BuildOptions& options, BuildReport& report) {
  passes::check_weight_precision("precision", options.precision);
  passes::check_weight_precision("embed_precision", options.embed_precision);
  passes::check_weight_precision("head_precision", options.head_precision);
  check_group(options);
  check_cache_option("kv_dtype", options.kv_dtype);
  ir::verify(input.graph);
  report.passes = run_passes(input.graph, options);
  KvBinding binding = bind_kv_cache(input.graph, options.require_kv_cache);

  Program program;
  engine::EngineSpec& spec = program.spec;
  spec.required_level = options.required_level.value_or(CpuLevel::kSse2);
  spec.model = clean_model(std::move(input.model));
  spec.kv = std::move(binding.kv);
  spec.build_options = options_text(options);
  lower(input.graph, options, kernels::tactics(), program);
  const DType precision = weight_precision(program, options);
  spec.precision = precision_name(precision);
  spec.kv.default_dtype = options.kv_dtype.value_or(default_kv_dtype(precision));

  report.kv_bound = binding.bound;
  report.kv_reason = binding.reason;
  report.kv_layers = static_cast<int64_t>(spec.kv.layers.size());
  report.kv_bytes_per_token = KvLayout(spec.kv.layers, spec.kv.default_dtype).token_bytes();
  report.precision = spec.precision;
  return program;
}

}  // namespace

BuildReport build(BuildInput input, const BuildOptions& options,
                  const std::filesystem::path& output) {
  const auto begin = std::chrono::steady_clock::now();
  BuildReport report;
  const Program program = compile(input, options, report);
  engine::EngineWriter writer = value_or_throw(
      engine::EngineWriter::create(output, program.spec, std::move(input.tokenizer)));
  stream_weights(program, writer, options.progress);
  if (input.check_source) input.check_source();
  report.bytes = writer.bytes();
  throw_if_failed(writer.finish());
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

engine::EngineSpec plan_spec(BuildInput input, const BuildOptions& options) {
  BuildReport report;
  return compile(input, options, report).spec;
}

}  // namespace legato::builder
