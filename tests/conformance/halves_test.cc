#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <vector>

#include "kernels/cpu/level/levels.h"
#include "tensor/half.h"

namespace legato::kernels::cpu {
namespace {

/// All patterns of a half, widened as weights and cache entries are.
std::vector<float> widened(const RowKernels& kernels, Element element) {
  std::vector<uint16_t> halves(1 << 16);
  for (size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<uint16_t>(i);
  std::vector<float> out(halves.size());
  kernels.embed(element, halves.data(), 1, static_cast<int64_t>(out.size()), 1.0f, out.data());
  return out;
}

/// Bits after any arithmetic: a signalling NaN becomes quiet.
uint32_t quiet_bits(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return (bits & 0x7fffffffu) > 0x7f800000u ? bits | 0x400000u : bits;
}

/// Floats around every rounding border of both half types, and the special ones.
std::vector<float> border_cases() {
  std::vector<float> values;
  for (uint32_t high = 0; high < 0x10000; ++high)
    for (const uint32_t low : {0x0000u, 0x0001u, 0x1000u, 0x7fffu, 0x8000u, 0x8001u, 0xf000u})
      values.push_back(std::bit_cast<float>((high << 16) | low));
  for (uint32_t half = 0; half < 0x7c00; ++half) {
    const float a = f16_to_f32(static_cast<uint16_t>(half));
    const float b = f16_to_f32(static_cast<uint16_t>(half + 1));
    if (half + 1 == 0x7c00) break;
    const float middle = a + (b - a) / 2;
    for (const uint32_t step : {0xffffffffu, 0u, 1u})
      values.push_back(std::bit_cast<float>(std::bit_cast<uint32_t>(middle) + step));
  }
  return values;
}

TEST(Halves, EveryLevelWidensLikeTheHostFunctions) {
  for (const CpuLevel level : available_cpu_levels()) {
    const std::vector<float> f16 = widened(row_kernels(level), Element::kF16);
    const std::vector<float> bf16 = widened(row_kernels(level), Element::kBF16);
    for (size_t i = 0; i < f16.size(); ++i) {
      const auto half = static_cast<uint16_t>(i);
      ASSERT_EQ(quiet_bits(f16[i]), quiet_bits(f16_to_f32(half)))
          << cpu_level_name(level) << " f16 " << i;
      ASSERT_EQ(quiet_bits(bf16[i]), quiet_bits(bf16_to_f32(half)))
          << cpu_level_name(level) << " bf16 " << i;
    }
  }
}

TEST(Halves, EveryLevelRoundsLikeTheHostFunctions) {
  const std::vector<float> values = border_cases();
  const auto count = static_cast<int64_t>(values.size());
  std::vector<uint16_t> out(values.size());
  for (const CpuLevel level : available_cpu_levels()) {
    row_kernels(level).narrow(Element::kF16, values.data(), count, out.data());
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(out[i], f32_to_f16(values[i]))
          << cpu_level_name(level) << " f16 of bits " << std::bit_cast<uint32_t>(values[i]);
    row_kernels(level).narrow(Element::kBF16, values.data(), count, out.data());
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(out[i], f32_to_bf16(values[i]))
          << cpu_level_name(level) << " bf16 of bits " << std::bit_cast<uint32_t>(values[i]);
  }
}

}  // namespace
}  // namespace legato::kernels::cpu
