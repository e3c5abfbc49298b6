#include "tokenizer/normalizer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "tokenizer/fields.h"

namespace legato::tokenizer {
namespace {

constexpr size_t kMaxSteps = 64;

class SequenceNormalizer : public Normalizer {
 public:
  explicit SequenceNormalizer(std::vector<NormalizerPtr> steps) : steps_(std::move(steps)) {}

  Status apply(TrackedText& text) const override {
    for (const NormalizerPtr& step : steps_) LEGATO_RETURN_IF_ERROR(step->apply(text));
    return {};
  }

 private:
  std::vector<NormalizerPtr> steps_;
};

Result<NormalizerPtr> make_sequence(const Json& json, const std::string& where,
                                    const std::string& place) {
  Fields fields(json, where, place);
  const Json& list = fields.child("normalizers");
  if (!list.is_array() || list.size() > kMaxSteps) fields.wrong("normalizers", "a short list");
  if (!fields.status().ok()) return fields.status();
  std::vector<NormalizerPtr> steps;
  for (size_t i = 0; i < list.size(); ++i) {
    LEGATO_ASSIGN_OR_RETURN(
        NormalizerPtr step,
        make_normalizer(list[i], where, fmt::format("{}.normalizers[{}]", place, i)));
    steps.push_back(std::move(step));
  }
  return NormalizerPtr(std::make_unique<SequenceNormalizer>(std::move(steps)));
}

}  // namespace

Result<NormalizerPtr> make_normalizer(const Json& json, const std::string& where,
                                      const std::string& place) {
  LEGATO_ASSIGN_OR_RETURN(const std::string type, component_type(json, where, place));
  if (type == "Sequence") return make_sequence(json, where, place);
  if (type == "NFC" || type == "NFD" || type == "NFKC" || type == "NFKD")
    return make_unicode_form(type);
  if (type == "Lowercase") return make_lowercase();
  if (type == "Strip") return make_strip(json, where, place);
  if (type == "StripAccents") return make_strip_accents();
  if (type == "Prepend") return make_prepend(json, where, place);
  if (type == "Replace") return make_replace(json, where, place);
  if (type == "BertNormalizer") return make_bert(json, where, place);
  if (type == "Nmt") return make_nmt();
  if (type == "Precompiled") return make_precompiled(json, where, place);
  if (type == "ByteLevel") return make_byte_characters();
  return fail(Code::kUnsupported, where,
              fmt::format("{} has type \"{}\", which is not supported", place, type.substr(0, 80)));
}

}  // namespace legato::tokenizer
