#pragma once

#include <bit>
#include <cstdint>

namespace legato {

/// IEEE 754 binary16 and bfloat16 as bit patterns, converted with round-to-nearest-even. NaN stays
/// NaN, overflow becomes infinity, subnormals are exact. The bits equal those of F16C and
/// AVX512-BF16 conversions.
constexpr float f16_to_f32(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1fu;
  uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0x1f)
    return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13) |
                                (mantissa != 0 ? 0x400000u : 0u));
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  if (mantissa == 0) return std::bit_cast<float>(sign);
  uint32_t shifted_exponent = 113;
  while ((mantissa & 0x400u) == 0) {
    mantissa <<= 1;
    --shifted_exponent;
  }
  return std::bit_cast<float>(sign | (shifted_exponent << 23) | ((mantissa & 0x3ffu) << 13));
}

/// The largest finite binary16 number.
inline constexpr float kLargestF16 = 65504;

constexpr uint16_t f32_to_f16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x33000001u) return sign;
  const uint32_t exponent = magnitude >> 23;
  uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
  // A normal half drops 13 bits; a subnormal one drops more, by how far it lies below 2^-14.
  const uint32_t drop = exponent >= 113 ? 13 : 126 - exponent;
  const uint32_t half_way = 1u << (drop - 1);
  const uint32_t rest = mantissa & ((1u << drop) - 1);
  mantissa >>= drop;
  if (rest > half_way || (rest == half_way && (mantissa & 1u) != 0)) ++mantissa;
  if (exponent >= 113) mantissa += (exponent - 113) << 10;
  return static_cast<uint16_t>(sign | mantissa);
}

constexpr float bf16_to_f32(uint16_t half) {
  return std::bit_cast<float>(static_cast<uint32_t>(half) << 16);
}

constexpr uint16_t f32_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace legato
