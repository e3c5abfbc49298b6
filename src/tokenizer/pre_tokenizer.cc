#include "tokenizer/pre_tokenizer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tokenizer/fields.h"

namespace legato::tokenizer {
namespace {

constexpr size_t kMaxSteps = 64;

class SequencePreTokenizer : public PreTokenizer {
 public:
  explicit SequencePreTokenizer(std::vector<PreTokenizerPtr> steps) : steps_(std::move(steps)) {}

  Status apply(Pieces& text) const override {
    for (const PreTokenizerPtr& step : steps_) LEGATO_RETURN_IF_ERROR(step->apply(text));
    return {};
  }

 private:
  std::vector<PreTokenizerPtr> steps_;
};

Result<PreTokenizerPtr> make_sequence(const Json& json, const std::string& where,
                                      const std::string& place) {
  Fields fields(json, where, place);
  const Json& list = fields.child("pretokenizers");
  if (!list.is_array() || list.size() > kMaxSteps) fields.wrong("pretokenizers", "a short list");
  if (!fields.status().ok()) return fields.status();
  std::vector<PreTokenizerPtr> steps;
  for (size_t i = 0; i < list.size(); ++i) {
    LEGATO_ASSIGN_OR_RETURN(
        PreTokenizerPtr step,
        make_pre_tokenizer(list[i], where, fmt::format("{}.pretokenizers[{}]", place, i)));
    steps.push_back(std::move(step));
  }
  return PreTokenizerPtr(std::make_unique<SequencePreTokenizer>(std::move(steps)));
}

}  // namespace

Result<PreTokenizerPtr> make_pre_tokenizer(const Json& json, const std::string& where,
                                           const std::string& place) {
  LEGATO_ASSIGN_OR_RETURN(const std::string type, component_type(json, where, place));
  if (type == "Sequence") return make_sequence(json, where, place);
  if (type == "ByteLevel") return make_byte_level(json, where, place);
  if (type == "Metaspace") return make_metaspace(json, where, place);
  if (type == "Split") return make_pattern_split(json, where, place);
  if (type == "Whitespace" || type == "WhitespaceSplit" || type == "BertPreTokenizer" ||
      type == "Digits" || type == "Punctuation" || type == "CharDelimiterSplit")
    return make_character_split(type, json, where, place);
  return fail(Code::kUnsupported, where,
              fmt::format("{} has type \"{}\", which is not supported", place, type.substr(0, 80)));
}

}  // namespace legato::tokenizer
