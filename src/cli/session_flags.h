#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/console.h"
#include "cli/options.h"
#include "legato/engine.h"
#include "legato/session.h"

namespace legato::cli {

/// The flags about machine and memory that all commands with an engine share.
class SessionFlags {
 public:
  /// --threads and --cpu-level: what loading needs.
  void declare_machine(OptionSet& options);
  /// Those and --max-seqs, --max-len, --kv-dtype.
  void declare(OptionSet& options);

  LoadOptions load_options(Console& console) const;
  /// `needed_context`: positions that the command needs at most; the default length is the smaller
  /// of this and the model's context. Throws UsageError when a flag doesn't fit the engine.
  SessionOptions session_options(const EngineInfo& info, int64_t default_sequences,
                                 int64_t needed_context) const;
  /// As given, for a model that is not an engine yet: the whole context by default.
  SessionOptions unresolved_options() const;
  const std::string& cpu_level() const { return cpu_level_name_; }
  int threads() const { return static_cast<int>(threads_.value_or(0)); }

 private:
  std::optional<int64_t> threads_;
  std::optional<int64_t> max_sequences_;
  std::optional<int64_t> max_context_;
  std::optional<DataType> kv_type_;
  std::string cpu_level_name_;
};

/// "f32", "fp32" ... as --kv-dtype takes them. Throws UsageError.
DataType parse_float_type(const std::string& text);

}  // namespace legato::cli
