#pragma once

#include "kernels/cpu/simd/simd.h"

/// Dot products of 8-bit codes. A vector holds kLanes lanes of four bytes; lane i of a sum gets the
/// four products of lane i of the codes and of the activations. All sums are exact. Weights are
/// unsigned, activations signed.
///
/// - dot_small(): codes below 128. kHasByteProducts: it is no detour over words.
/// - dot_signed(): codes with zero 128, which meet signed instructions where a level has them.
///   kSignedNeedsSum says that it counts codes as unsigned, so that the caller starts with -128
///   times the sum of the activations.
/// - dot_narrow(): codes below 16, added into lanes of 16 bits for at most eight calls, of which
///   widened_sums() makes 32-bit lanes (kHasNarrowSums). Where a level has no use for that, both do
///   what 32-bit lanes do.
/// - dot_words(): words are codes of 16 bits, two columns a lane, whose products are both added.
///   ivlow_words() are a lane's columns 0 and 2, ivhigh_words() its columns 1 and 3;
///   ivstore_words() stores the low words of lanes that are columns in that order, four by four.
/// - pin() keeps an addition where it is written and its sum in a register: left alone, the
///   compiler gathers or copies those of many tokens.
///
/// For making codes: iv_magnitude_bits() is |a| as its bit pattern, which orders as the numbers do
/// with infinities and NaN above all; ivstore_bytes() stores the low byte of each lane.
namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

#if defined(__AVX512VNNI__)

using IVec = __m512i;
inline constexpr bool kSignedNeedsSum = true;
inline constexpr bool kHasNarrowSums = false;
inline constexpr bool kHasByteProducts = true;
#undef LEGATO_SIMD
#define LEGATO_SIMD \
  [[gnu::always_inline, gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]] inline

LEGATO_SIMD IVec ivset(int32_t x) { return _mm512_set1_epi32(x); }
LEGATO_SIMD IVec ivload(const void* p) { return _mm512_loadu_si512(p); }
LEGATO_SIMD void ivstore(void* p, IVec v) { _mm512_storeu_si512(p, v); }
LEGATO_SIMD IVec ivadd(IVec a, IVec b) { return _mm512_add_epi32(a, b); }
LEGATO_SIMD IVec ivsub(IVec a, IVec b) { return _mm512_sub_epi32(a, b); }
LEGATO_SIMD IVec ivand(IVec a, IVec b) { return _mm512_and_si512(a, b); }
LEGATO_SIMD IVec ivor(IVec a, IVec b) { return _mm512_or_si512(a, b); }
LEGATO_SIMD IVec ivshift_right(IVec a, int n) { return _mm512_srl_epi32(a, _mm_cvtsi32_si128(n)); }
LEGATO_SIMD IVec ivshift_left(IVec a, int n) { return _mm512_sll_epi32(a, _mm_cvtsi32_si128(n)); }
LEGATO_SIMD IVec ivshift_right_signed(IVec a, int n) {
  return _mm512_sra_epi32(a, _mm_cvtsi32_si128(n));
}
LEGATO_SIMD Vec iv_to_float(IVec a) { return _mm512_cvtepi32_ps(a); }
LEGATO_SIMD IVec iv_rounded(Vec a) { return _mm512_cvtps_epi32(a); }
LEGATO_SIMD void pin(IVec& sum) { asm volatile("" : "+v"(sum)); }
LEGATO_SIMD IVec iv_magnitude_bits(Vec a) {
  return _mm512_and_si512(_mm512_castps_si512(a), _mm512_set1_epi32(INT32_MAX));
}
LEGATO_SIMD IVec ivmax(IVec a, IVec b) { return _mm512_max_epi32(a, b); }
LEGATO_SIMD int32_t ivmax_across(IVec a) { return _mm512_reduce_max_epi32(a); }
LEGATO_SIMD int32_t ivadd_across(IVec a) { return _mm512_reduce_add_epi32(a); }
LEGATO_SIMD void ivstore_bytes(void* p, IVec a) {
  _mm_storeu_si128(static_cast<__m128i*>(p), _mm512_cvtepi32_epi8(a));
}
LEGATO_SIMD IVec dot_small(IVec sum, IVec codes, IVec x) {
  return _mm512_dpbusd_epi32(sum, codes, x);
}
LEGATO_SIMD IVec dot_signed(IVec sum, IVec codes, IVec x) {
  return _mm512_dpbusd_epi32(sum, codes, x);
}
LEGATO_SIMD IVec dot_narrow(IVec sum, IVec codes, IVec x) { return dot_small(sum, codes, x); }
LEGATO_SIMD IVec widened_sums(IVec sums) { return sums; }
LEGATO_SIMD IVec ivhigh_words(IVec a) { return _mm512_srli_epi16(a, 8); }
LEGATO_SIMD IVec ivsub_words(IVec a, IVec b) { return _mm512_sub_epi16(a, b); }
LEGATO_SIMD IVec dot_words(IVec sum, IVec codes, IVec x) {
  return _mm512_add_epi32(sum, _mm512_madd_epi16(codes, x));
}
LEGATO_SIMD void ivstore_words(void* p, IVec a) {
  _mm256_storeu_si256(static_cast<__m256i*>(p),
                      _mm512_cvtepi32_epi16(_mm512_shuffle_epi32(a, _MM_PERM_DBCA)));
}
LEGATO_SIMD Vec vload_u8(const uint8_t* p) {
  return _mm512_cvtepi32_ps(
      _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}
LEGATO_SIMD Vec vload_s8(const uint8_t* p) {
  return _mm512_cvtepi32_ps(
      _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}

#elif defined(__AVX2__)

using IVec = __m256i;
inline constexpr bool kSignedNeedsSum = false;
inline constexpr bool kHasNarrowSums = true;
inline constexpr bool kHasByteProducts = true;

LEGATO_SIMD IVec ivset(int32_t x) { return _mm256_set1_epi32(x); }
LEGATO_SIMD IVec ivload(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}
LEGATO_SIMD void ivstore(void* p, IVec v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }
LEGATO_SIMD IVec ivadd(IVec a, IVec b) { return _mm256_add_epi32(a, b); }
LEGATO_SIMD IVec ivsub(IVec a, IVec b) { return _mm256_sub_epi32(a, b); }
LEGATO_SIMD IVec ivand(IVec a, IVec b) { return _mm256_and_si256(a, b); }
LEGATO_SIMD IVec ivor(IVec a, IVec b) { return _mm256_or_si256(a, b); }
LEGATO_SIMD IVec ivshift_right(IVec a, int n) { return _mm256_srl_epi32(a, _mm_cvtsi32_si128(n)); }
LEGATO_SIMD IVec ivshift_left(IVec a, int n) { return _mm256_sll_epi32(a, _mm_cvtsi32_si128(n)); }
LEGATO_SIMD IVec ivshift_right_signed(IVec a, int n) {
  return _mm256_sra_epi32(a, _mm_cvtsi32_si128(n));
}
LEGATO_SIMD Vec iv_to_float(IVec a) { return _mm256_cvtepi32_ps(a); }
LEGATO_SIMD IVec iv_rounded(Vec a) { return _mm256_cvtps_epi32(a); }
LEGATO_SIMD void pin(IVec& sum) { asm volatile("" : "+x"(sum)); }
LEGATO_SIMD IVec iv_magnitude_bits(Vec a) {
  return _mm256_and_si256(_mm256_castps_si256(a), _mm256_set1_epi32(INT32_MAX));
}
LEGATO_SIMD IVec ivmax(IVec a, IVec b) { return _mm256_max_epi32(a, b); }
LEGATO_SIMD int32_t ivmax_across(IVec a) {
  const __m128i four = _mm_max_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
  const __m128i two = _mm_max_epi32(four, _mm_unpackhi_epi64(four, four));
  return _mm_cvtsi128_si32(_mm_max_epi32(two, _mm_srli_epi64(two, 32)));
}
LEGATO_SIMD int32_t ivadd_across(IVec a) {
  const __m128i four = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
  const __m128i two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
  return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_srli_epi64(two, 32)));
}
LEGATO_SIMD void ivstore_bytes(void* p, IVec a) {
  const __m256i low_bytes =
      _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12, -1,
                       -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m256i packed = _mm256_shuffle_epi8(a, low_bytes);
  _mm_storel_epi64(
      static_cast<__m128i*>(p),
      _mm_unpacklo_epi32(_mm256_castsi256_si128(packed), _mm256_extracti128_si256(packed, 1)));
}
/// Codes below 128: no pair of products passes 16 bits.
LEGATO_SIMD IVec dot_small(IVec sum, IVec codes, IVec x) {
  const IVec pairs = _mm256_maddubs_epi16(codes, x);
  return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}
LEGATO_SIMD IVec dot_narrow(IVec sum, IVec codes, IVec x) {
  return _mm256_add_epi16(sum, _mm256_maddubs_epi16(codes, x));
}
LEGATO_SIMD IVec widened_sums(IVec sums) { return _mm256_madd_epi16(sums, _mm256_set1_epi16(1)); }
LEGATO_SIMD IVec ivhigh_words(IVec a) { return _mm256_srli_epi16(a, 8); }
LEGATO_SIMD IVec ivsub_words(IVec a, IVec b) { return _mm256_sub_epi16(a, b); }
LEGATO_SIMD IVec dot_words(IVec sum, IVec codes, IVec x) {
  return _mm256_add_epi32(sum, _mm256_madd_epi16(codes, x));
}
LEGATO_SIMD void ivstore_words(void* p, IVec a) {
  const IVec ordered = _mm256_shuffle_epi32(a, _MM_SHUFFLE(3, 1, 2, 0));
  _mm_storeu_si128(static_cast<__m128i*>(p), _mm_packs_epi32(_mm256_castsi256_si128(ordered),
                                                             _mm256_extracti128_si256(ordered, 1)));
}
/// |code| <= 128 and |x| <= 127: the pairs fit once the sign stands on x.
LEGATO_SIMD IVec dot_signed(IVec sum, IVec codes, IVec x) {
  const IVec centred = _mm256_xor_si256(codes, _mm256_set1_epi8(-128));
  const IVec pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(centred), _mm256_sign_epi8(x, centred));
  return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}
LEGATO_SIMD Vec vload_u8(const uint8_t* p) {
  return _mm256_cvtepi32_ps(
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}
LEGATO_SIMD Vec vload_s8(const uint8_t* p) {
  return _mm256_cvtepi32_ps(
      _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}

#elif !defined(__AVX512F__)

using IVec = __m128i;
inline constexpr bool kSignedNeedsSum = false;
inline constexpr bool kHasNarrowSums = false;
inline constexpr bool kHasByteProducts = false;

LEGATO_SIMD IVec ivset(int32_t x) { return _mm_set1_epi32(x); }
LEGATO_SIMD IVec ivload(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
LEGATO_SIMD void ivstore(void* p, IVec v) { _mm_storeu_si128(static_cast<__m128i*>(p), v); }
LEGATO_SIMD IVec ivadd(IVec a, IVec b) { return _mm_add_epi32(a, b); }
LEGATO_SIMD IVec ivsub(IVec a, IVec b) { return _mm_sub_epi32(a, b); }
LEGATO_SIMD IVec ivand(IVec a, IVec b) { return _mm_and_si128(a, b); }
LEGATO_SIMD IVec ivor(IVec a, IVec b) { return _mm_or_si128(a, b); }
LEGATO_SIMD IVec ivshift_right(IVec a, int n) { return _mm_srl_epi32(a, _mm_cvtsi32_si128(n)); }
LEGATO_SIMD IVec ivshift_left(IVec a, int n) { return _mm_sll_epi32(a, _mm_cvtsi32_si128(n)); }
LEGATO_SIMD IVec ivshift_right_signed(IVec a, int n) {
  return _mm_sra_epi32(a, _mm_cvtsi32_si128(n));
}
LEGATO_SIMD Vec iv_to_float(IVec a) { return _mm_cvtepi32_ps(a); }
LEGATO_SIMD IVec iv_rounded(Vec a) { return _mm_cvtps_epi32(a); }
LEGATO_SIMD void pin(IVec&) {}
LEGATO_SIMD IVec iv_magnitude_bits(Vec a) {
  return _mm_and_si128(_mm_castps_si128(a), _mm_set1_epi32(INT32_MAX));
}
LEGATO_SIMD IVec ivmax(IVec a, IVec b) {
  const IVec above = _mm_cmpgt_epi32(a, b);
  return _mm_or_si128(_mm_and_si128(above, a), _mm_andnot_si128(above, b));
}
LEGATO_SIMD int32_t ivmax_across(IVec a) {
  const IVec two = ivmax(a, _mm_unpackhi_epi64(a, a));
  return _mm_cvtsi128_si32(ivmax(two, _mm_srli_epi64(two, 32)));
}
LEGATO_SIMD int32_t ivadd_across(IVec a) {
  const IVec two = _mm_add_epi32(a, _mm_unpackhi_epi64(a, a));
  return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_srli_epi64(two, 32)));
}
LEGATO_SIMD void ivstore_bytes(void* p, IVec a) {
  const IVec words = _mm_and_si128(a, _mm_set1_epi32(255));
  const IVec narrow = _mm_packs_epi32(words, words);
  const int32_t bytes = _mm_cvtsi128_si32(_mm_packus_epi16(narrow, narrow));
  __builtin_memcpy(p, &bytes, sizeof bytes);
}
/// Products of 16-bit numbers: pairs of each row come out side by side and are added across.
LEGATO_SIMD IVec dot_wide(IVec sum, IVec low_codes, IVec high_codes, IVec x) {
  const IVec low = _mm_madd_epi16(low_codes, _mm_srai_epi16(_mm_unpacklo_epi8(x, x), 8));
  const IVec high = _mm_madd_epi16(high_codes, _mm_srai_epi16(_mm_unpackhi_epi8(x, x), 8));
  const Vec a = _mm_castsi128_ps(low), b = _mm_castsi128_ps(high);
  const IVec even = _mm_castps_si128(_mm_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0)));
  const IVec odd = _mm_castps_si128(_mm_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)));
  return _mm_add_epi32(sum, _mm_add_epi32(even, odd));
}
LEGATO_SIMD IVec dot_small(IVec sum, IVec codes, IVec x) {
  const IVec zero = _mm_setzero_si128();
  return dot_wide(sum, _mm_unpacklo_epi8(codes, zero), _mm_unpackhi_epi8(codes, zero), x);
}
LEGATO_SIMD IVec dot_narrow(IVec sum, IVec codes, IVec x) { return dot_small(sum, codes, x); }
LEGATO_SIMD IVec widened_sums(IVec sums) { return sums; }
LEGATO_SIMD IVec ivhigh_words(IVec a) { return _mm_srli_epi16(a, 8); }
LEGATO_SIMD IVec ivsub_words(IVec a, IVec b) { return _mm_sub_epi16(a, b); }
LEGATO_SIMD IVec dot_words(IVec sum, IVec codes, IVec x) {
  return _mm_add_epi32(sum, _mm_madd_epi16(codes, x));
}
LEGATO_SIMD void ivstore_words(void* p, IVec a) {
  const IVec ordered = _mm_shuffle_epi32(a, _MM_SHUFFLE(3, 1, 2, 0));
  _mm_storel_epi64(static_cast<__m128i*>(p), _mm_packs_epi32(ordered, ordered));
}
LEGATO_SIMD IVec dot_signed(IVec sum, IVec codes, IVec x) {
  const IVec centred = _mm_xor_si128(codes, _mm_set1_epi8(-128));
  return dot_wide(sum, _mm_srai_epi16(_mm_unpacklo_epi8(centred, centred), 8),
                  _mm_srai_epi16(_mm_unpackhi_epi8(centred, centred), 8), x);
}
LEGATO_SIMD Vec vload_u8(const uint8_t* p) {
  return _mm_setr_ps(static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2]),
                     static_cast<float>(p[3]));
}
LEGATO_SIMD Vec vload_s8(const uint8_t* p) {
  return _mm_setr_ps(
      static_cast<float>(static_cast<int8_t>(p[0])), static_cast<float>(static_cast<int8_t>(p[1])),
      static_cast<float>(static_cast<int8_t>(p[2])), static_cast<float>(static_cast<int8_t>(p[3])));
}

#endif

LEGATO_SIMD IVec ivlow_words(IVec a) { return ivand(a, ivset(0x00ff00ff)); }

}  // namespace
}  // namespace legato::kernels::cpu::LEGATO_CPU_LEVEL
