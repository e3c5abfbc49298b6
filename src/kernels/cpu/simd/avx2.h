#pragma once

#include <immintrin.h>

#include <cstdint>

#ifndef LEGATO_CPU_LEVEL
#define LEGATO_CPU_LEVEL avx2
#endif
#define LEGATO_SIMD [[gnu::always_inline, gnu::target("avx2,fma,f16c")]] inline

namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

inline constexpr int kLanes = 8;
using Vec = __m256;
using Mask = __m256;

LEGATO_SIMD Vec vzero() { return _mm256_setzero_ps(); }
LEGATO_SIMD Vec vset(float x) { return _mm256_set1_ps(x); }
LEGATO_SIMD Vec vload(const float* p) { return _mm256_loadu_ps(p); }
LEGATO_SIMD void vstore(float* p, Vec v) { _mm256_storeu_ps(p, v); }
LEGATO_SIMD __m256i first_lanes(int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
/// The first n lanes from memory, the others zero.
LEGATO_SIMD Vec vload_n(const float* p, int n) { return _mm256_maskload_ps(p, first_lanes(n)); }
LEGATO_SIMD void vstore_n(float* p, Vec v, int n) { _mm256_maskstore_ps(p, first_lanes(n), v); }

LEGATO_SIMD Vec vadd(Vec a, Vec b) { return _mm256_add_ps(a, b); }
LEGATO_SIMD Vec vsub(Vec a, Vec b) { return _mm256_sub_ps(a, b); }
LEGATO_SIMD Vec vmul(Vec a, Vec b) { return _mm256_mul_ps(a, b); }
LEGATO_SIMD Vec vdiv(Vec a, Vec b) { return _mm256_div_ps(a, b); }
/// a * b + c, rounded once where the level has fused multiply-add.
LEGATO_SIMD Vec vfma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }
/// When one is NaN, b.
LEGATO_SIMD Vec vmax(Vec a, Vec b) { return _mm256_max_ps(a, b); }
LEGATO_SIMD Vec vmin(Vec a, Vec b) { return _mm256_min_ps(a, b); }
LEGATO_SIMD Vec vabs(Vec a) { return _mm256_andnot_ps(vset(-0.0f), a); }
LEGATO_SIMD Vec vcopy_sign(Vec magnitude, Vec sign) {
  return _mm256_or_ps(magnitude, _mm256_and_ps(vset(-0.0f), sign));
}
LEGATO_SIMD Mask vless(Vec a, Vec b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
LEGATO_SIMD Vec vselect(Mask m, Vec yes, Vec no) { return _mm256_blendv_ps(no, yes, m); }
/// Nearest integer, ties to even.
LEGATO_SIMD Vec vround(Vec a) {
  return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
/// a * 2^n for an integral n such that 2^n is a normal number.
LEGATO_SIMD Vec vscale2(Vec a, Vec n) {
  const __m256i bits =
      _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
  return _mm256_mul_ps(a, _mm256_castsi256_ps(bits));
}
/// The largest lane; with NaN among them any lane or NaN.
LEGATO_SIMD float vmax_across(Vec a) {
  const __m128 four = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}
/// The sum of all lanes, the upper half added to the lower one until one lane is left.
LEGATO_SIMD float vadd_across(Vec a) {
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

LEGATO_SIMD Vec vload_f16(const uint16_t* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
LEGATO_SIMD Vec vload_bf16(const uint16_t* p) {
  const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}
LEGATO_SIMD void vstore_f16(uint16_t* p, Vec v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                   _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
LEGATO_SIMD void vstore_bf16(uint16_t* p, Vec v) {
  const __m256i bits = _mm256_castps_si256(v);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
  const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
  const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
  const __m256i high = _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, nan), 16);
  _mm_storeu_si128(
      reinterpret_cast<__m128i*>(p),
      _mm_packus_epi32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1)));
}

}  // namespace
}  // namespace legato::kernels::cpu::LEGATO_CPU_LEVEL
