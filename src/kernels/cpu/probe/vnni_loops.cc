#include <immintrin.h>

#include "kernels/cpu/probe/loops.h"

namespace legato::kernels::cpu::avx512vnni {
namespace {
constexpr int kChains = 12;
}

int32_t dot8(int64_t rounds) {
  __m512i sums[kChains];
  for (__m512i& sum : sums) sum = _mm512_setzero_si512();
  __m512i a = _mm512_set1_epi8(3);
  const __m512i b = _mm512_set1_epi8(2);
  for (int64_t i = 0; i < rounds; ++i) {
    for (__m512i& sum : sums) {
      asm volatile("" : "+x"(a));
      sum = _mm512_dpbusd_epi32(sum, a, b);
    }
  }
  __m512i all = sums[0];
  for (const __m512i& sum : sums) all = _mm512_add_epi32(all, sum);
  int32_t words[16];
  _mm512_storeu_si512(words, all);
  return words[0];
}

double dot8_products_a_round() { return kChains * 64; }

}  // namespace legato::kernels::cpu::avx512vnni
