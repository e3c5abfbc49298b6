#include "tensor/dtype.h"

#include <array>

#include "base/check.h"
#include "base/checked.h"
#include "tensor/quant_format.h"

namespace legato {
namespace {

struct Info {
  std::string_view name;
  size_t bytes;  // 0: quantised
};

constexpr std::array<Info, kNumDTypes> kInfo = {
    {{"f32", 4},  {"f16", 2},  {"bf16", 2}, {"f64", 8},  {"i64", 8},  {"i32", 4},
     {"i16", 2},  {"i8", 1},   {"u64", 8},  {"u32", 4},  {"u16", 2},  {"u8", 1},
     {"bool", 1}, {"q8_0", 0}, {"q4_0", 0}, {"q4_1", 0}, {"q5_0", 0}, {"q5_1", 0},
     {"q4_k", 0}, {"q5_k", 0}, {"q6_k", 0}, {"w8", 0},   {"w4", 0}}};

const Info& info(DType dtype) {
  const auto index = static_cast<size_t>(dtype);
  LEGATO_CHECK(index < kInfo.size());
  return kInfo[index];
}

}  // namespace

size_t dtype_bytes(DType dtype) {
  LEGATO_CHECK(!is_quantised(dtype));
  return info(dtype).bytes;
}

std::optional<uint64_t> dtype_row_bytes(DType dtype, int64_t columns) {
  if (columns < 0) return std::nullopt;
  if (!is_quantised(dtype))
    return checked_mul(static_cast<uint64_t>(columns), uint64_t{dtype_bytes(dtype)});
  const QuantFormat& format = quant_format(dtype);
  if (columns % format.block_elements != 0) return std::nullopt;
  const auto blocks = checked_mul(static_cast<uint64_t>(columns / format.block_elements),
                                  uint64_t{format.block_bytes});
  return blocks ? checked_add(*blocks, uint64_t{format.row_header_bytes}) : std::nullopt;
}

std::string_view dtype_name(DType dtype) { return info(dtype).name; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (size_t i = 0; i < kInfo.size(); ++i)
    if (kInfo[i].name == name) return static_cast<DType>(i);
  return std::nullopt;
}

bool is_float(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16 ||
         dtype == DType::kF64;
}

}  // namespace legato
