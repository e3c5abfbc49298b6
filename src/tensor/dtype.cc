#include "tensor/dtype.h"

#include <array>

#include "base/check.h"

namespace legato {
namespace {

struct Info {
  std::string_view name;
  size_t bytes;
};

constexpr std::array<Info, kNumDTypes> kInfo = {{{"f32", 4},
                                                 {"f16", 2},
                                                 {"bf16", 2},
                                                 {"f64", 8},
                                                 {"i64", 8},
                                                 {"i32", 4},
                                                 {"i16", 2},
                                                 {"i8", 1},
                                                 {"u64", 8},
                                                 {"u32", 4},
                                                 {"u16", 2},
                                                 {"u8", 1},
                                                 {"bool", 1}}};

const Info& info(DType dtype) {
  const auto index = static_cast<size_t>(dtype);
  LEGATO_CHECK(index < kInfo.size());
  return kInfo[index];
}

}  // namespace

size_t dtype_bytes(DType dtype) { return info(dtype).bytes; }
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
