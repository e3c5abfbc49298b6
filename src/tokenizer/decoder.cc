#include "tokenizer/decoder.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tokenizer/fields.h"

namespace legato::tokenizer {
namespace {

constexpr size_t kMaxDecoders = 64;

/// The end of a pipeline.
class Sink : public DecodeStage {
 public:
  explicit Sink(std::string& out) : DecodeStage(nullptr), out_(out) {}
  void push(std::string_view piece) override { out_ += piece; }
  void finish() override {}

 private:
  std::string& out_;
};

Result<DecoderPtr> make_decoder(const std::string& type, const Json& json, const std::string& where,
                                const std::string& place) {
  if (type == "ByteLevel") return make_byte_level_decoder();
  if (type == "ByteFallback") return make_byte_fallback_decoder();
  if (type == "Fuse") return make_fuse_decoder();
  if (type == "Strip") return make_strip_decoder(json, where, place);
  if (type == "Replace") return make_replace_decoder(json, where, place);
  if (type == "Metaspace") return make_metaspace_decoder(json, where, place);
  if (type == "WordPiece" || type == "BPEDecoder" || type == "CTC")
    return make_word_decoder(type, json, where, place);
  return fail(Code::kUnsupported, where,
              fmt::format("{} has type \"{}\", which is not supported", place, type.substr(0, 80)));
}

Status append_decoders(const Json& json, const std::string& where, const std::string& place,
                       std::vector<DecoderPtr>& out) {
  const auto type = component_type(json, where, place);
  if (!type.ok()) return type.status();
  if (*type != "Sequence") {
    if (out.size() >= kMaxDecoders)
      return fail(Code::kUnsupported, where,
                  fmt::format("decoder has more than {} steps", kMaxDecoders));
    LEGATO_ASSIGN_OR_RETURN(DecoderPtr decoder, make_decoder(*type, json, where, place));
    out.push_back(std::move(decoder));
    return {};
  }
  Fields fields(json, where, place);
  const Json& list = fields.child("decoders");
  if (!list.is_array()) fields.wrong("decoders", "a list");
  if (!fields.status().ok()) return fields.status();
  for (size_t i = 0; i < list.size(); ++i)
    LEGATO_RETURN_IF_ERROR(
        append_decoders(list[i], where, fmt::format("{}.decoders[{}]", place, i), out));
  return {};
}

}  // namespace

Result<std::vector<DecoderPtr>> make_decoders(const Json& json, const std::string& where) {
  std::vector<DecoderPtr> decoders;
  if (json.is_null()) {
    decoders.push_back(make_joining_decoder());
    return decoders;
  }
  LEGATO_RETURN_IF_ERROR(append_decoders(json, where, "decoder", decoders));
  return decoders;
}

DecodePipeline::DecodePipeline(const std::vector<DecoderPtr>& decoders, std::string& out) {
  std::vector<bool> fused{false};
  for (const DecoderPtr& decoder : decoders) fused.push_back(fused.back() || decoder->fuses());
  stages_.push_back(std::make_unique<Sink>(out));
  for (size_t i = decoders.size(); i-- > 0;)
    stages_.push_back(decoders[i]->start(fused[i], stages_.back().get()));
  first_ = stages_.back().get();
}

}  // namespace legato::tokenizer
