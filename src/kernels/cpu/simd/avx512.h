#pragma once

#include <immintrin.h>

#include <cstdint>

#ifndef LEGATO_CPU_LEVEL
#define LEGATO_CPU_LEVEL avx512
#endif
#define LEGATO_SIMD [[gnu::always_inline, gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] inline

namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

inline constexpr int kLanes = 16;
using Vec = __m512;
using Mask = __mmask16;

LEGATO_SIMD Vec vzero() { return _mm512_setzero_ps(); }
LEGATO_SIMD Vec vset(float x) { return _mm512_set1_ps(x); }
LEGATO_SIMD Vec vload(const float* p) { return _mm512_loadu_ps(p); }
LEGATO_SIMD void vstore(float* p, Vec v) { _mm512_storeu_ps(p, v); }
LEGATO_SIMD Mask first_lanes(int n) { return static_cast<Mask>((1u << n) - 1); }
/// The first n lanes from memory, the others zero.
LEGATO_SIMD Vec vload_n(const float* p, int n) { return _mm512_maskz_loadu_ps(first_lanes(n), p); }
LEGATO_SIMD void vstore_n(float* p, Vec v, int n) { _mm512_mask_storeu_ps(p, first_lanes(n), v); }

LEGATO_SIMD Vec vadd(Vec a, Vec b) { return _mm512_add_ps(a, b); }
LEGATO_SIMD Vec vsub(Vec a, Vec b) { return _mm512_sub_ps(a, b); }
LEGATO_SIMD Vec vmul(Vec a, Vec b) { return _mm512_mul_ps(a, b); }
LEGATO_SIMD Vec vdiv(Vec a, Vec b) { return _mm512_div_ps(a, b); }
/// a * b + c, rounded once where the level has fused multiply-add.
LEGATO_SIMD Vec vfma(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }
/// When one is NaN, b.
LEGATO_SIMD Vec vmax(Vec a, Vec b) { return _mm512_max_ps(a, b); }
LEGATO_SIMD Vec vmin(Vec a, Vec b) { return _mm512_min_ps(a, b); }
LEGATO_SIMD Vec vabs(Vec a) { return _mm512_andnot_ps(vset(-0.0f), a); }
LEGATO_SIMD Vec vcopy_sign(Vec magnitude, Vec sign) {
  return _mm512_or_ps(magnitude, _mm512_and_ps(vset(-0.0f), sign));
}
LEGATO_SIMD Mask vless(Vec a, Vec b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
LEGATO_SIMD Vec vselect(Mask m, Vec yes, Vec no) { return _mm512_mask_blend_ps(m, no, yes); }
/// Nearest integer, ties to even.
LEGATO_SIMD Vec vround(Vec a) {
  return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
/// a * 2^n for an integral n such that 2^n is a normal number.
LEGATO_SIMD Vec vscale2(Vec a, Vec n) { return _mm512_scalef_ps(a, n); }
/// The largest lane; with NaN among them any lane or NaN.
LEGATO_SIMD float vmax_across(Vec a) { return _mm512_reduce_max_ps(a); }
/// The sum of all lanes, the upper half added to the lower one until one lane is left.
LEGATO_SIMD float vadd_across(Vec a) {
  const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

LEGATO_SIMD Vec vload_f16(const uint16_t* p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
LEGATO_SIMD Vec vload_bf16(const uint16_t* p) {
  const __m512i wide =
      _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}
LEGATO_SIMD void vstore_f16(uint16_t* p, Vec v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                      _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
LEGATO_SIMD void vstore_bf16(uint16_t* p, Vec v) {
  const __m512i bits = _mm512_castps_si512(v);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
  const __m512i quiet = _mm512_or_si512(bits, _mm512_set1_epi32(0x400000));
  const __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
  const __m512i chosen = _mm512_mask_blend_epi32(nan, rounded, quiet);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                      _mm512_cvtepi32_epi16(_mm512_srli_epi32(chosen, 16)));
}

}  // namespace
}  // namespace legato::kernels::cpu::LEGATO_CPU_LEVEL
