#include "cli/session_flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "base/status.h"
#include "device/cpu/cpu_level.h"

namespace legato::cli {
namespace {

constexpr Range<int64_t> kThreads{1, 1024};

std::string parse_cpu_level(const std::string& text) {
  const std::optional<CpuLevel> level = cpu_level_from_name(text);
  if (!level) {
    throw UsageError(fmt::format("expected one of sse2|avx2|avx512|avx512vnni, got \"{}\"", text));
  }
  if (*level > best_cpu_level()) {
    throw UsageError(
        fmt::format("this machine has {} at most, got {}", cpu_level_name(best_cpu_level()), text));
  }
  return text;
}

}  // namespace

DataType parse_float_type(const std::string& text) {
  if (text == "fp32" || text == "f32") return DataType::kF32;
  if (text == "fp16" || text == "f16") return DataType::kF16;
  if (text == "bf16") return DataType::kBF16;
  for (const char* later : {"fp8", "f8", "int8", "i8", "int4"}) {
    if (text == later) throw UsageError(text + " is not supported yet; use fp32, fp16 or bf16");
  }
  throw UsageError(fmt::format("expected fp32, fp16 or bf16, got \"{}\"", text));
}

void SessionFlags::declare_machine(OptionSet& options) {
  options.integer("--threads", "N", &threads_, kThreads,
                  "threads that compute; default: the cores that this process may use");
  OptionSpec level{.name = "--cpu-level", .value = "sse2|avx2|avx512|avx512vnni"};
  level.doc = "use kernels of this instruction level; default: the machine's best";
  level.assign = [this](const std::string& text) { cpu_level_name_ = parse_cpu_level(text); };
  options.add(level);
}

void SessionFlags::declare(OptionSet& options, const std::string& max_len_doc) {
  declare_machine(options);
  options.integer("--max-seqs", "N", &max_sequences_, {1, 65536},
                  "sequences that the cache has room for");
  options.integer("--max-len", "N", &max_context_, kCount, max_len_doc);
  OptionSpec kv{.name = "--kv-dtype", .value = "f32|f16|bf16"};
  kv.doc = "type of the cache; default: the engine's";
  kv.assign = [this](const std::string& text) { kv_type_ = parse_float_type(text); };
  options.add(kv);
  precision_.declare(options);
}

LoadOptions SessionFlags::load_options(Console& console) const {
  LoadOptions options;
  options.threads = threads();
  options.cpu_level = cpu_level_name_;
  options.progress = console.progress();
  return options;
}

SessionOptions SessionFlags::session_options(const EngineInfo& info, int64_t default_sequences,
                                             int64_t needed_context) const {
  if (max_context_ && *max_context_ > info.max_context) {
    throw UsageError(fmt::format("--max-len: {} is above the model's context of {}", *max_context_,
                                 info.max_context));
  }
  SessionOptions options = unresolved_options();
  options.max_sequences = max_sequences_.value_or(default_sequences);
  if (!max_context_) {
    options.max_context =
        std::clamp<int64_t>(needed_context, 1, std::max<int64_t>(info.max_context, 1));
  }
  return options;
}

SessionOptions SessionFlags::unresolved_options() const {
  SessionOptions options;
  options.threads = threads();
  options.cpu_level = cpu_level_name_;
  options.max_sequences = max_sequences_.value_or(1);
  options.max_context = max_context_.value_or(0);
  options.kv_type = kv_type_;
  return options;
}

Session open_session(const Engine& engine, const SessionOptions& options) {
  Result<Session> session = Session::create(engine, options);
  const auto is_too_large = [](const Status& status) {
    const bool exhausted = status.code == Code::kResourceExhausted && status.where != "threads";
    return exhausted || status.where == "kv_blocks";
  };
  const bool too_large = !session.ok() && is_too_large(session.status());
  if (!too_large) return value_or_throw(std::move(session));
  throw Error(
      Code::kResourceExhausted, "cache",
      fmt::format("{} for {} of {}; a smaller --max-len{} needs less", session.status().message,
                  counted(options.max_sequences, "sequence"), counted(options.max_context, "token"),
                  options.max_sequences == 1 ? "" : " or --max-seqs"));
}

}  // namespace legato::cli
