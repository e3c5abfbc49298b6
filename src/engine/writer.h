#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "base/file.h"
#include "base/status.h"
#include "engine/engine.h"
#include "engine/schema.h"
#include "engine/section_hash.h"

namespace legato::engine {

/// Writes an engine file from front to back in bounded memory. Nothing is seen under the final name
/// before finish(). Order of calls: weights in the order and sizes of spec.weights, then finish().
/// One thread.
class EngineWriter {
 public:
  /// `spec.weights` must have offsets and bytes; `tokenizer` is the serialised tokenizer or empty.
  /// A spec that a reader would refuse is refused here, as kInvalidArgument.
  static Result<EngineWriter> create(const std::filesystem::path& path, EngineSpec spec,
                                     std::string tokenizer);

  /// Appends bytes of the weights section; gaps between weights are filled by the writer.
  Status write_weight_bytes(std::span<const std::byte> bytes);
  /// Completes the section, checks that every weight came whole, writes header and table, flushes
  /// and renames.
  Status finish();
  /// Size of the finished file.
  uint64_t bytes() const { return total_bytes_; }

 private:
  EngineWriter(AtomicFile file, EngineSpec spec) : file_(std::move(file)), spec_(std::move(spec)) {}
  Status append_section(std::string_view name, std::string_view bytes);
  Status append_weights(std::span<const std::byte> bytes);
  Status fill_gap_after_weight();

  AtomicFile file_;
  EngineSpec spec_;
  std::vector<SectionInfo> sections_;  ///< the weights last
  SectionHasher weights_hash_;
  size_t current_weight_ = 0;
  uint64_t written_of_weight_ = 0;
  uint64_t written_of_section_ = 0;
  uint64_t total_bytes_ = 0;
};

}  // namespace legato::engine
