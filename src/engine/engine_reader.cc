#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/checked.h"
#include "base/counted.h"
#include "engine/engine.h"
#include "engine/file_layout.h"
#include "engine/section_hash.h"
#include "engine/spec_codec.h"
#include "engine/validate.h"
#include "engine/weight_loader.h"

namespace legato::engine {

/// Fills an Engine from a file, judging each part before the next is looked at.
class EngineReader {
 public:
  Status open(const std::filesystem::path& path) {
    // Opened once: what is judged now is what is read later, even when another takes its name.
    LEGATO_ASSIGN_OR_RETURN(file_, InputFile::open(path));
    LEGATO_ASSIGN_OR_RETURN(engine_->file_, MappedFile::map(*file_));
    engine_->path_ = path.string();
    const std::span<const std::byte> bytes = engine_->file_.bytes();
    const auto head = bytes.first(std::min(bytes.size(), kHeaderBytes));
    LEGATO_ASSIGN_OR_RETURN(header_, decode_header(head, bytes.size(), engine_->path_));
    engine_->format_version_ = header_.version;
    engine_->file_bytes_ = header_.file_bytes;
    engine_->sections_ = header_.sections;
    engine_->fingerprint_ = fingerprint_of(head);
    LEGATO_RETURN_IF_ERROR(find_sections());
    LEGATO_RETURN_IF_ERROR(check_small_section(*spec_));
    LEGATO_RETURN_IF_ERROR(check_small_section(*tokenizer_));
    engine_->tokenizer_ = bytes.subspan(tokenizer_->offset, tokenizer_->bytes);
    return read_spec();
  }

  Status load(const LoadOptions& options) {
    const CpuLevel needed = engine_->spec_.required_level;
    if (needed > options.cpu_level)
      return fail(Code::kDeviceMismatch, engine_->path_,
                  fmt::format("needs CPU level {}, this machine runs at {}", cpu_level_name(needed),
                              cpu_level_name(options.cpu_level)));
    SectionRead read;
    read.file = &*file_;
    read.offset = weights_->offset;
    read.bytes = weights_->bytes;
    read.padded_bytes = padded_end(*weights_) - weights_->offset;
    if (options.allocator != nullptr) {
      LEGATO_ASSIGN_OR_RETURN(engine_->weights_buffer_,
                              options.allocator->allocate(weights_->bytes));
      read.target = engine_->weights_buffer_.data();
    } else {
      LEGATO_ASSIGN_OR_RETURN(engine_->weights_file_,
                              HugeFile::map(*file_, read.offset, read.padded_bytes));
      read.mapped = {engine_->weights_file_->data(), read.padded_bytes};
    }
    LEGATO_ASSIGN_OR_RETURN(const uint64_t computed,
                            read_section(read, options.threads, options.progress));
    LEGATO_RETURN_IF_ERROR(compare_checksum(*weights_, computed));
    LEGATO_RETURN_IF_ERROR(check_padding(*weights_));
    engine_->weights_ = read.target != nullptr ? read.target : engine_->weights_file_->data();
    LEGATO_RETURN_IF_ERROR(check_gaps_of_weights());
    // What was read once to be judged need not stay resident.
    engine_->file_.release(0, weights_->offset);
    if (engine_->weights_file_) engine_->weights_file_->start_moving();
    return {};
  }

  std::shared_ptr<const Engine> take() { return std::move(engine_); }

 private:
  Status find_sections() {
    for (const auto& [name, section] :
         {std::pair(kSpecSection, &spec_), std::pair(kTokenizerSection, &tokenizer_),
          std::pair(kWeightsSection, &weights_)}) {
      *section = header_.find(name);
      if (*section == nullptr)
        return fail(Code::kMalformed, engine_->path_,
                    fmt::format("has no section {}, expected spec, tokenizer and weights", name));
    }
    if (header_.sections.size() != 3 || header_.sections.back().name != kWeightsSection)
      return fail(Code::kMalformed, engine_->path_,
                  fmt::format("has {} sections, the last {}, expected spec, tokenizer and weights",
                              header_.sections.size(), header_.sections.back().name));
    return {};
  }

  Status check_small_section(const SectionInfo& section) const {
    const auto bytes =
        engine_->file_.bytes().subspan(section.offset, padded_end(section) - section.offset);
    LEGATO_RETURN_IF_ERROR(compare_checksum(section, section_checksum(bytes)));
    return check_padding(section);
  }

  /// One content has one file: what fills up a section is zero, whatever its checksum covers.
  Status check_padding(const SectionInfo& section) const {
    const uint64_t end = section.offset + section.bytes;
    return check_zeros(section, section.bytes,
                       engine_->file_.bytes().subspan(end, padded_end(section) - end));
  }

  /// The same for what lies between one weight and the next.
  Status check_gaps_of_weights() const {
    for (const WeightSpec& weight : engine_->spec_.weights) {
      const uint64_t end = weight.offset + weight.bytes;
      const std::span gap(engine_->weights_ + end, round_up(end, kWeightAlignment) - end);
      LEGATO_RETURN_IF_ERROR(check_zeros(*weights_, end, gap));
    }
    return {};
  }

  /// `begin`: where `bytes` begin in the section.
  Status check_zeros(const SectionInfo& section, uint64_t begin,
                     std::span<const std::byte> bytes) const {
    const auto found = std::find_if(bytes.begin(), bytes.end(),
                                    [](std::byte byte) { return byte != std::byte{0}; });
    if (found == bytes.end()) return {};
    return fail(Code::kMalformed, engine_->path_,
                fmt::format("section {} has {:02x} at byte {}, expected 00, since it is padding",
                            section.name, std::to_integer<unsigned>(*found),
                            begin + static_cast<uint64_t>(found - bytes.begin())));
  }

  Status compare_checksum(const SectionInfo& section, uint64_t computed) const {
    if (computed == section.checksum) return {};
    return fail(Code::kCorrupt, engine_->path_,
                fmt::format("section {} has checksum {:016x}, its bytes give {:016x}", section.name,
                            section.checksum, computed));
  }

  Status read_spec() {
    const auto bytes = engine_->file_.bytes().subspan(spec_->offset, spec_->bytes);
    LEGATO_ASSIGN_OR_RETURN(engine_->spec_, decode_spec(bytes, engine_->path_ + ": spec"));
    engine_->spec_.backend = header_.backend;
    engine_->spec_.required_level = header_.required_level;
    if (engine_->spec_.weights_bytes != weights_->bytes)
      return fail(Code::kMalformed, engine_->path_,
                  fmt::format("section weights is {}, expected the {} that the spec records",
                              counted(weights_->bytes, "byte"), engine_->spec_.weights_bytes));
    return validate_spec(engine_->spec_, engine_->path_ + ": spec");
  }

  std::shared_ptr<Engine> engine_{new Engine};
  std::optional<InputFile> file_;
  FileHeader header_;
  const SectionInfo* spec_ = nullptr;
  const SectionInfo* tokenizer_ = nullptr;
  const SectionInfo* weights_ = nullptr;
};

Status Engine::wait_until_settled() const {
  return weights_file_ ? weights_file_->wait_until_moved() : Status();
}

std::span<const std::byte> Engine::tokenizer() const { return tokenizer_; }

Result<std::shared_ptr<const Engine>> Engine::open(const std::filesystem::path& path) {
  EngineReader reader;
  LEGATO_RETURN_IF_ERROR(reader.open(path));
  return reader.take();
}

Result<std::shared_ptr<const Engine>> Engine::load(const std::filesystem::path& path,
                                                   const LoadOptions& options) {
  EngineReader reader;
  LEGATO_RETURN_IF_ERROR(reader.open(path));
  LEGATO_RETURN_IF_ERROR(reader.load(options));
  return reader.take();
}

}  // namespace legato::engine
