#include "cli/precision_flags.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "tensor/quant_format.h"

namespace legato::cli {
namespace {

/// The spelling of the help, another one that is understood, and the type.
struct Precision {
  std::string_view name;
  std::string_view other;
  DataType type;
};
constexpr Precision kPrecisions[] = {{"fp32", "f32", DataType::kF32},
                                     {"fp16", "f16", DataType::kF16},
                                     {"bf16", "bf16", DataType::kBF16},
                                     {"w8", "w8", DataType::kW8},
                                     {"w4", "w4", DataType::kW4}};

std::string precision_names() {
  std::string names;
  for (const Precision& precision : kPrecisions)
    names.append(names.empty() ? "" : "|").append(precision.name);
  return names;
}

DataType parse_weight_type(const std::string& text) {
  for (const Precision& precision : kPrecisions)
    if (text == precision.name || text == precision.other) return precision.type;
  for (const char* later : {"fp8", "f8"}) {
    if (text == later) throw UsageError(text + " is not supported yet; use w8");
  }
  for (const char* integer : {"int8", "i8", "int4"}) {
    if (text == integer) throw UsageError(text + " is not known; use w8 or w4");
  }
  if (const std::optional<DType> dtype = dtype_from_name(text); dtype && is_quantised(*dtype))
    throw UsageError(text + " is kept where a file has it, without this flag; use w8 or w4");
  throw UsageError(fmt::format("expected one of {}, got \"{}\"", precision_names(), text));
}

}  // namespace

void PrecisionFlags::set_precision(DataType type) {
  if (precision_ && *precision_ != type) throw UsageError("two different precisions are given");
  precision_ = type;
}

void PrecisionFlags::declare(OptionSet& options) {
  OptionSpec precision{.name = "--precision", .value = precision_names()};
  precision.doc = "of the weights; default: as the model has them";
  precision.assign = [this](const std::string& text) { set_precision(parse_weight_type(text)); };
  options.add(precision);
  const auto part = [&](const char* name, std::optional<DataType>* target, const char* doc) {
    OptionSpec spec{.name = name, .value = precision_names(), .doc = doc};
    spec.assign = [target](const std::string& text) { *target = parse_weight_type(text); };
    options.add(spec);
  };
  part("--embed-precision", &embed_, "of the embedding; default: --precision, w8 for w4");
  part("--head-precision", &head_,
       "of the matrix that gives the logits; default: --precision, w8 for w4");
  OptionSpec group{.name = "--group", .value = fmt::to_string(kQuantGroup)};
  group.doc = "columns that share a scale in w4; the only number on the CPU";
  group.assign = [this](const std::string& text) {
    if (text != fmt::to_string(kQuantGroup))
      throw UsageError(
          fmt::format("expected {}, the only one of w4 on the CPU, got \"{}\"", kQuantGroup, text));
    group_ = kQuantGroup;
  };
  options.add(group);
}

bool PrecisionFlags::given() const { return precision_ || embed_ || head_ || group_; }

void PrecisionFlags::apply(BuildOptions& build) const {
  build.precision = precision_;
  build.embed_precision = embed_;
  build.head_precision = head_;
  build.group = group_;
}

}  // namespace legato::cli
