#include "engine/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/checked.h"
#include "engine/file_layout.h"
#include "engine/spec_codec.h"
#include "engine/validate.h"

namespace legato::engine {

Result<EngineWriter> EngineWriter::create(const std::filesystem::path& path, EngineSpec spec,
                                          std::string tokenizer) {
  const auto refuse = [&path](const std::string& why) {
    return fail(Code::kInvalidArgument, path.string(), "cannot be written: " + why);
  };
  const Status judged = validate_spec(spec, "");
  if (!judged.ok()) return refuse(judged.message);
  const std::string spec_bytes = encode_spec(spec);
  // Names and list lengths have bounds of their own, which only the decoder knows.
  const auto decoded = decode_spec(std::as_bytes(std::span(spec_bytes)), "spec");
  if (!decoded.ok()) return refuse(decoded.status().to_string());

  LEGATO_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  EngineWriter writer(std::move(file), std::move(spec));
  // The first page is written last, when all checksums are known.
  LEGATO_RETURN_IF_ERROR(writer.file_.write(std::vector<std::byte>(kHeaderBytes)));
  LEGATO_RETURN_IF_ERROR(writer.append_section(kSpecSection, spec_bytes));
  LEGATO_RETURN_IF_ERROR(writer.append_section(kTokenizerSection, tokenizer));
  SectionInfo weights{std::string(kWeightsSection), writer.file_.size(), writer.spec_.weights_bytes,
                      0};
  writer.total_bytes_ = padded_end(weights);
  writer.sections_.push_back(std::move(weights));
  LEGATO_RETURN_IF_ERROR(writer.fill_gap_after_weight());
  return writer;
}

Status EngineWriter::append_section(std::string_view name, std::string_view bytes) {
  SectionInfo section{std::string(name), file_.size(), bytes.size(), 0};
  std::string padded(bytes);
  padded.resize(padded_end(section) - section.offset);
  section.checksum = section_checksum(std::as_bytes(std::span(padded)));
  sections_.push_back(std::move(section));
  return file_.write(std::as_bytes(std::span(padded)));
}

Status EngineWriter::append_weights(std::span<const std::byte> bytes) {
  weights_hash_.update(bytes);
  written_of_section_ += bytes.size();
  return file_.write(bytes);
}

/// Steps over weights that are complete, with the zeros up to where the next one begins.
Status EngineWriter::fill_gap_after_weight() {
  while (current_weight_ < spec_.weights.size() &&
         written_of_weight_ == spec_.weights[current_weight_].bytes) {
    ++current_weight_;
    written_of_weight_ = 0;
    const uint64_t next = round_up(written_of_section_, kWeightAlignment);
    LEGATO_RETURN_IF_ERROR(append_weights(std::vector<std::byte>(next - written_of_section_)));
  }
  return {};
}

Status EngineWriter::write_weight_bytes(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (current_weight_ == spec_.weights.size())
      return fail(Code::kInternal, "engine writer",
                  fmt::format("got {} bytes after the last weight, expected none", bytes.size()));
    const uint64_t missing = spec_.weights[current_weight_].bytes - written_of_weight_;
    const size_t take = static_cast<size_t>(std::min<uint64_t>(bytes.size(), missing));
    LEGATO_RETURN_IF_ERROR(append_weights(bytes.first(take)));
    written_of_weight_ += take;
    bytes = bytes.subspan(take);
    LEGATO_RETURN_IF_ERROR(fill_gap_after_weight());
  }
  return {};
}

Status EngineWriter::finish() {
  if (current_weight_ != spec_.weights.size()) {
    const WeightSpec& weight = spec_.weights[current_weight_];
    return fail(Code::kInternal, "engine writer",
                fmt::format("weight {} got {} bytes, expected {}", weight.name, written_of_weight_,
                            weight.bytes));
  }
  LEGATO_RETURN_IF_ERROR(append_weights(std::vector<std::byte>(total_bytes_ - file_.size())));
  sections_.back().checksum = weights_hash_.digest();
  FileHeader header;
  header.backend = spec_.backend;
  header.required_level = spec_.required_level;
  header.file_bytes = total_bytes_;
  header.sections = sections_;
  LEGATO_RETURN_IF_ERROR(file_.write_at(0, encode_header(header)));
  return file_.commit();
}

}  // namespace legato::engine
