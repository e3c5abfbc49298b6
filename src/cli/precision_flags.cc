#include "cli/precision_flags.h"

#include <fmt/format.h>

#include <array>

namespace legato::cli {
namespace {

constexpr const char* kNames = "fp32|fp16|bf16|w8|w4";

DataType parse_weight_type(const std::string& text) {
  if (text == "fp32" || text == "f32") return DataType::kF32;
  if (text == "fp16" || text == "f16") return DataType::kF16;
  if (text == "bf16") return DataType::kBF16;
  if (text == "w8") return DataType::kW8;
  if (text == "w4") return DataType::kW4;
  for (const char* later : {"fp8", "f8"}) {
    if (text == later) throw UsageError(text + " is not supported yet; use w8");
  }
  for (const char* integer : {"int8", "i8", "int4"}) {
    if (text == integer) throw UsageError(text + " is not known; use w8 or w4");
  }
  for (const char* file : {"q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "q4_k", "q5_k", "q6_k"}) {
    if (text == file)
      throw UsageError(text + " is kept where a file has it, without this flag; use w8 or w4");
  }
  throw UsageError(fmt::format("expected one of {}, got \"{}\"", kNames, text));
}

}  // namespace

void PrecisionFlags::set_precision(DataType type) {
  if (precision_ && *precision_ != type) throw UsageError("two different precisions are given");
  precision_ = type;
}

void PrecisionFlags::declare(OptionSet& options) {
  OptionSpec precision{.name = "--precision", .value = kNames};
  precision.doc = "of the weights; default: as the model has them";
  precision.assign = [this](const std::string& text) { set_precision(parse_weight_type(text)); };
  options.add(precision);
  const auto part = [&](const char* name, std::optional<DataType>* target, const char* doc) {
    OptionSpec spec{.name = name, .value = kNames, .doc = doc};
    spec.assign = [target](const std::string& text) { *target = parse_weight_type(text); };
    options.add(spec);
  };
  part("--embed-precision", &embed_, "of the embedding; default: --precision, w8 for w4");
  part("--head-precision", &head_,
       "of the matrix that gives the logits; default: --precision, w8 for w4");
  options.integer("--group", "G", &group_, kCount,
                  "columns that share a scale in w4; 32, the only one on the CPU");
}

bool PrecisionFlags::given() const { return precision_ || embed_ || head_ || group_; }

void PrecisionFlags::apply(BuildOptions& build) const {
  build.precision = precision_;
  build.embed_precision = embed_;
  build.head_precision = head_;
  build.group = group_;
}

}  // namespace legato::cli
