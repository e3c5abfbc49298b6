#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/console.h"
#include "cli/options.h"
#include "cli/precision_flags.h"
#include "legato/engine.h"
#include "legato/session.h"

namespace legato::cli {

inline constexpr const char* kMaxLenDoc =
    "positions of the longest sequence; default: what the command needs, at most the model's "
    "context";

/// The flags about machine and memory that all commands with an engine share.
class SessionFlags {
 public:
  /// --threads and --cpu-level: what loading needs.
  void declare_machine(OptionSet& options);
  /// Those, --max-seqs, --max-len, --kv-dtype, and those of PrecisionFlags for a model that is not
  /// an engine yet.
  void declare(OptionSet& options, const std::string& max_len_doc = kMaxLenDoc);

  LoadOptions load_options(Console& console) const;
  /// `needed_context`: positions that the command needs at most; the default length is the smaller
  /// of this and the model's context. Throws UsageError when a flag doesn't fit the engine.
  SessionOptions session_options(const EngineInfo& info, int64_t default_sequences,
                                 int64_t needed_context) const;
  /// As given, for a model that is not an engine yet: the whole context by default.
  SessionOptions unresolved_options() const;
  /// Of a model that is not an engine yet.
  const PrecisionFlags& precision() const { return precision_; }
  /// --max-len, or the model's context.
  int64_t longest_context(const EngineInfo& info) const {
    return max_context_.value_or(info.max_context);
  }
  const std::string& cpu_level() const { return cpu_level_name_; }
  int threads() const { return static_cast<int>(threads_.value_or(0)); }

 private:
  std::optional<int64_t> threads_;
  std::optional<int64_t> max_sequences_;
  std::optional<int64_t> max_context_;
  std::optional<DataType> kv_type_;
  PrecisionFlags precision_;
  std::string cpu_level_name_;
};

/// Takes the memory of a session. Throws Error; when there is too little, it says which flags need
/// less.
Session open_session(const Engine& engine, const SessionOptions& options);

/// "f32", "fp32" ... as --kv-dtype takes them. Throws UsageError.
DataType parse_float_type(const std::string& text);

}  // namespace legato::cli
