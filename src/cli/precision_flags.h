#pragma once

#include "cli/options.h"
#include "legato/build.h"

namespace legato::cli {

/// --precision, --embed-precision, --head-precision and --group, which `build` and `plan` share.
class PrecisionFlags {
 public:
  void declare(OptionSet& options);
  /// The same as --precision; refuses a second, different one.
  void set_precision(DataType type);
  bool given() const;
  void apply(BuildOptions& build) const;

 private:
  std::optional<DataType> precision_, embed_, head_;
  std::optional<int64_t> group_;
};

}  // namespace legato::cli
