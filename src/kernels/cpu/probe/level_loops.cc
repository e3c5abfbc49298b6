#include "kernels/cpu/probe/loops.h"
#include "kernels/cpu/simd/simd.h"

namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

constexpr int kChains = 12;

#if defined(__AVX512F__)
using Ints = __m512i;
Ints load_ints(const void* p) { return _mm512_loadu_si512(p); }
Ints either(Ints a, Ints b) { return _mm512_or_si512(a, b); }
Ints set_bytes(int x) { return _mm512_set1_epi8(static_cast<char>(x)); }
Ints add_ints(Ints a, Ints b) { return _mm512_add_epi32(a, b); }
Ints dot_step(Ints a, Ints b, Ints ones, Ints sum) {
  return add_ints(sum, _mm512_madd_epi16(_mm512_maddubs_epi16(a, b), ones));
}
constexpr int kProducts = 64;
#elif defined(__AVX2__)
using Ints = __m256i;
Ints load_ints(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
Ints either(Ints a, Ints b) { return _mm256_or_si256(a, b); }
Ints set_bytes(int x) { return _mm256_set1_epi8(static_cast<char>(x)); }
Ints add_ints(Ints a, Ints b) { return _mm256_add_epi32(a, b); }
Ints dot_step(Ints a, Ints b, Ints ones, Ints sum) {
  return add_ints(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), ones));
}
constexpr int kProducts = 32;
#else
using Ints = __m128i;
Ints load_ints(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
Ints either(Ints a, Ints b) { return _mm_or_si128(a, b); }
Ints set_bytes(int x) { return _mm_set1_epi8(static_cast<char>(x)); }
Ints add_ints(Ints a, Ints b) { return _mm_add_epi32(a, b); }
Ints dot_step(Ints a, Ints b, Ints, Ints sum) { return add_ints(sum, _mm_madd_epi16(a, b)); }
constexpr int kProducts = 8;
#endif

/// Keeps the compiler from knowing the value, so that it computes every round.
template <typename T>
[[gnu::always_inline]] inline void hide(T& value) {
  asm volatile("" : "+x"(value));
}

int32_t fold(const Ints (&sums)[kChains]) {
  Ints all = sums[0];
  for (int i = 1; i < kChains; ++i) all = either(all, sums[i]);
  int32_t words[sizeof(Ints) / 4];
  __builtin_memcpy(words, &all, sizeof(all));
  int32_t result = 0;
  for (const int32_t word : words) result ^= word;
  return result;
}

/// Four streams at once, 128 KiB apart, as kernels read their panels.
uint64_t read(const void* data, size_t bytes) {
  Ints sums[8];
  for (Ints& sum : sums) sum = set_bytes(0);
  constexpr size_t kStream = 128 << 10;
  const char* p = static_cast<const char*>(data);
  for (const char* end = p + bytes; p + 4 * kStream <= end; p += 4 * kStream)
    for (size_t at = 0; at < kStream; at += 2 * sizeof(Ints))
      for (size_t i = 0; i < 8; ++i)
        sums[i] = either(sums[i], load_ints(p + i / 2 * kStream + at + i % 2 * sizeof(Ints)));
  Ints folded[kChains];
  for (size_t i = 0; i < kChains; ++i) folded[i] = sums[i % 8];
  return static_cast<uint64_t>(fold(folded));
}

float multiply_add(int64_t rounds) {
  Vec sums[kChains];
  for (Vec& sum : sums) sum = vset(1.0f);
  Vec factor = vset(0.999999f);
  Vec add = vset(1e-6f);
  hide(factor);
  hide(add);
  for (int64_t i = 0; i < rounds; ++i)
    for (Vec& sum : sums) sum = vfma(sum, factor, add);
  Vec all = sums[0];
  for (const Vec& sum : sums) all = vmax(all, sum);
  float lanes[kLanes];
  vstore(lanes, all);
  return lanes[0];
}

int32_t dot8(int64_t rounds) {
  Ints sums[kChains];
  for (Ints& sum : sums) sum = set_bytes(0);
  Ints ones = set_bytes(1);
  for (int64_t i = 0; i < rounds; ++i) {
    Ints a = set_bytes(3);
    Ints b = set_bytes(2);
    for (Ints& sum : sums) {
      hide(a);
      sum = dot_step(a, b, ones, sum);
    }
  }
  return fold(sums);
}

constexpr ProbeLoops kLoops = {read, multiply_add, kChains* kLanes, dot8, kChains* kProducts};

}  // namespace

const ProbeLoops& probe_loops() { return kLoops; }

}  // namespace legato::kernels::cpu::LEGATO_CPU_LEVEL
