#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/constant.h"

namespace legato::importer {

/// Where an architecture takes its weights from, by the names that Hugging Face gives them. Throws
/// Error. One thread.
class WeightSource {
 public:
  virtual ~WeightSource() = default;
  virtual bool has(const std::string& name) const = 0;
  /// Whether a layer has a bias wherever its tensor is present, each by itself. Otherwise the
  /// configuration says it, and a missing tensor is an error.
  virtual bool tells_biases() const { return false; }
  /// The tensor in its own dtype (f32, f16 or bf16; matrices may be quantised). Refuses an absent
  /// one, another shape or dtype by name.
  virtual ir::ConstantPtr get(const std::string& name, const Shape& expected) = 0;
  /// A matrix that Hugging Face stores as [in, out] (Conv1D), turned to `expected`, [out, in].
  virtual ir::ConstantPtr get_turned(const std::string& name, const Shape& expected) {
    return ir::transposed(get(name, {expected[1], expected[0]}));
  }
  /// A tensor that is present and meant to stay unread.
  virtual void ignore(const std::string& name) = 0;

  /// The first of `prefixes` under which `probe` exists; the first of all when none has it, so that
  /// the error names the usual spelling.
  std::string choose_prefix(std::initializer_list<std::string_view> prefixes,
                            std::string_view probe) const {
    for (const std::string_view prefix : prefixes)
      if (has(std::string(prefix).append(probe))) return std::string(prefix);
    return std::string(*prefixes.begin());
  }
};

}  // namespace legato::importer
