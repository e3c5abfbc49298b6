#pragma once

#include <emmintrin.h>

#include <cstdint>

#ifndef LEGATO_CPU_LEVEL
#define LEGATO_CPU_LEVEL sse2
#endif
#define LEGATO_SIMD [[gnu::always_inline]] inline

namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

inline constexpr int kLanes = 4;
using Vec = __m128;
using Mask = __m128;

LEGATO_SIMD Vec vzero() { return _mm_setzero_ps(); }
LEGATO_SIMD Vec vset(float x) { return _mm_set1_ps(x); }
LEGATO_SIMD Vec vload(const float* p) { return _mm_loadu_ps(p); }
LEGATO_SIMD void vstore(float* p, Vec v) { _mm_storeu_ps(p, v); }
/// The first n lanes from memory, the others zero.
LEGATO_SIMD Vec vload_n(const float* p, int n) {
  float lanes[4] = {0, 0, 0, 0};
  for (int i = 0; i < n; ++i) lanes[i] = p[i];
  return _mm_loadu_ps(lanes);
}
LEGATO_SIMD void vstore_n(float* p, Vec v, int n) {
  float lanes[4];
  _mm_storeu_ps(lanes, v);
  for (int i = 0; i < n; ++i) p[i] = lanes[i];
}

LEGATO_SIMD Vec vadd(Vec a, Vec b) { return _mm_add_ps(a, b); }
LEGATO_SIMD Vec vsub(Vec a, Vec b) { return _mm_sub_ps(a, b); }
LEGATO_SIMD Vec vmul(Vec a, Vec b) { return _mm_mul_ps(a, b); }
LEGATO_SIMD Vec vdiv(Vec a, Vec b) { return _mm_div_ps(a, b); }
/// a * b + c; this level rounds the product too.
LEGATO_SIMD Vec vfma(Vec a, Vec b, Vec c) { return _mm_add_ps(_mm_mul_ps(a, b), c); }
/// When one is NaN, b.
LEGATO_SIMD Vec vmax(Vec a, Vec b) { return _mm_max_ps(a, b); }
LEGATO_SIMD Vec vmin(Vec a, Vec b) { return _mm_min_ps(a, b); }
LEGATO_SIMD Vec vabs(Vec a) { return _mm_andnot_ps(vset(-0.0f), a); }
LEGATO_SIMD Vec vcopy_sign(Vec magnitude, Vec sign) {
  return _mm_or_ps(magnitude, _mm_and_ps(vset(-0.0f), sign));
}
LEGATO_SIMD Mask vless(Vec a, Vec b) { return _mm_cmplt_ps(a, b); }
LEGATO_SIMD Vec vselect(Mask m, Vec yes, Vec no) {
  return _mm_or_ps(_mm_and_ps(m, yes), _mm_andnot_ps(m, no));
}
LEGATO_SIMD __m128i iselect(__m128i m, __m128i yes, __m128i no) {
  return _mm_or_si128(_mm_and_si128(m, yes), _mm_andnot_si128(m, no));
}
/// Nearest integer, ties to even.
LEGATO_SIMD Vec vround(Vec a) { return _mm_cvtepi32_ps(_mm_cvtps_epi32(a)); }
/// a * 2^n for an integral n such that 2^n is a normal number.
LEGATO_SIMD Vec vscale2(Vec a, Vec n) {
  const __m128i bits = _mm_slli_epi32(_mm_add_epi32(_mm_cvtps_epi32(n), _mm_set1_epi32(127)), 23);
  return _mm_mul_ps(a, _mm_castsi128_ps(bits));
}
/// The largest lane; with NaN among them any lane or NaN.
LEGATO_SIMD float vmax_across(Vec a) {
  const __m128 two = _mm_max_ps(a, _mm_movehl_ps(a, a));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps(two, two, 1)));
}
/// The sum of all lanes, the upper half added to the lower one until one lane is left.
LEGATO_SIMD float vadd_across(Vec a) {
  const __m128 two = _mm_add_ps(a, _mm_movehl_ps(a, a));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

/// The low 16 bits of each lane; packs_epi32 saturates signed values, so the sign is extended.
LEGATO_SIMD void store_low_halves(uint16_t* p, __m128i lanes) {
  const __m128i extended = _mm_srai_epi32(_mm_slli_epi32(lanes, 16), 16);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packs_epi32(extended, extended));
}

LEGATO_SIMD __m128i load_halves(const uint16_t* p) {
  return _mm_unpacklo_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)),
                            _mm_setzero_si128());
}
/// The bits of a half's exponent and mantissa, moved into a float's place, mean 2^-112 times its
/// value, subnormals included; infinity and NaN need their exponent filled.
LEGATO_SIMD Vec vload_f16(const uint16_t* p) {
  const __m128i half = load_halves(p);
  const __m128i sign = _mm_slli_epi32(_mm_and_si128(half, _mm_set1_epi32(0x8000)), 16);
  const __m128i magnitude = _mm_and_si128(half, _mm_set1_epi32(0x7fff));
  const Vec scaled = _mm_mul_ps(_mm_castsi128_ps(_mm_slli_epi32(magnitude, 13)), vset(0x1p112f));
  const __m128i special =
      _mm_and_si128(_mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x7bff)), _mm_set1_epi32(0x7f800000));
  const __m128i quiet =
      _mm_and_si128(_mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x7c00)), _mm_set1_epi32(0x400000));
  return _mm_castsi128_ps(
      _mm_or_si128(_mm_or_si128(_mm_castps_si128(scaled), sign), _mm_or_si128(special, quiet)));
}
LEGATO_SIMD Vec vload_bf16(const uint16_t* p) {
  return _mm_castsi128_ps(_mm_slli_epi32(load_halves(p), 16));
}
LEGATO_SIMD void vstore_f16(uint16_t* p, Vec v) {
  const __m128i bits = _mm_castps_si128(v);
  const __m128i sign = _mm_and_si128(_mm_srli_epi32(bits, 16), _mm_set1_epi32(0x8000));
  const __m128i magnitude = _mm_and_si128(bits, _mm_set1_epi32(0x7fffffff));
  // Normal: rebias the exponent and round the 13 bits that go.
  const __m128i odd = _mm_and_si128(_mm_srli_epi32(magnitude, 13), _mm_set1_epi32(1));
  const __m128i normal = _mm_srli_epi32(
      _mm_add_epi32(_mm_add_epi32(magnitude, odd), _mm_set1_epi32(0x0fff - (112 << 23))), 13);
  // Subnormal: adding 0.5 leaves the value's multiple of 2^-24 in the low bits, rounded by the add.
  const Vec shifted = _mm_add_ps(_mm_castsi128_ps(magnitude), vset(0.5f));
  const __m128i small = _mm_sub_epi32(_mm_castps_si128(shifted), _mm_castps_si128(vset(0.5f)));
  const __m128i payload = _mm_or_si128(
      _mm_and_si128(_mm_srli_epi32(magnitude, 13), _mm_set1_epi32(0x3ff)), _mm_set1_epi32(0x7e00));
  __m128i half = iselect(_mm_cmplt_epi32(magnitude, _mm_set1_epi32(0x38800000)), small, normal);
  half =
      iselect(_mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x477fefff)), _mm_set1_epi32(0x7c00), half);
  half = iselect(_mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x7f800000)), payload, half);
  store_low_halves(p, _mm_or_si128(half, sign));
}
LEGATO_SIMD void vstore_bf16(uint16_t* p, Vec v) {
  const __m128i bits = _mm_castps_si128(v);
  const __m128i odd = _mm_and_si128(_mm_srli_epi32(bits, 16), _mm_set1_epi32(1));
  const __m128i rounded = _mm_add_epi32(bits, _mm_add_epi32(odd, _mm_set1_epi32(0x7fff)));
  const __m128i quiet = _mm_or_si128(bits, _mm_set1_epi32(0x400000));
  const __m128i nan = _mm_castps_si128(_mm_cmpunord_ps(v, v));
  store_low_halves(p, _mm_srli_epi32(iselect(nan, quiet, rounded), 16));
}

}  // namespace
}  // namespace legato::kernels::cpu::LEGATO_CPU_LEVEL
