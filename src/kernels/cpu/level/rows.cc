#include "kernels/cpu/level/rows.h"

#include "kernels/cpu/level/norm.h"
#include "kernels/cpu/level/rope.h"
#include "kernels/cpu/level/tables.h"
#include "kernels/cpu/level/tile.h"

namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

void norm(const float* x, int64_t n, const NormSpec& spec, float* out) {
  norm_row(x, n, spec, out, kBlockK);
}

void rope(const RopeSpec& spec, const float* x, const float* table, float* out) {
  for (int64_t head = 0; head < spec.heads; ++head, x += spec.head_dim, out += spec.head_dim) {
    if (out != x)
      for (int64_t i = 0; i < spec.head_dim; ++i) out[i] = x[i];
    rotate_head(out, table, spec.rotary_dim, spec.interleaved);
  }
}

template <typename E>
void embed_row(const void* source, int64_t stride, int64_t n, float scale, float* out) {
  using Type = typename E::Type;
  const auto* in = static_cast<const Type*>(source);
  const Vec factor = vset(scale);
  for (int64_t i = 0; i < n; i += kLanes) {
    const int count = lanes_left(n, i);
    Type elements[kLanes] = {};
    for (int lane = 0; lane < count; ++lane) elements[lane] = in[(i + lane) * stride];
    store_upto(out, n, i, vmul(E::load(elements), factor));
  }
}

void embed(Element element, const void* source, int64_t stride, int64_t n, float scale,
           float* out) {
  if (element == Element::kF16) return embed_row<F16>(source, stride, n, scale, out);
  if (element == Element::kBF16) return embed_row<BF16>(source, stride, n, scale, out);
  embed_row<F32>(source, stride, n, scale, out);
}

void add(const float* a, const float* b, int64_t n, float* out) {
  for (int64_t i = 0; i < n; i += kLanes)
    store_upto(out, n, i, vadd(load_upto(a, n, i), load_upto(b, n, i)));
}

void multiply(const float* a, const float* b, int64_t n, float* out) {
  for (int64_t i = 0; i < n; i += kLanes)
    store_upto(out, n, i, vmul(load_upto(a, n, i), load_upto(b, n, i)));
}

template <typename E>
void narrow_row(const float* source, int64_t n, void* out) {
  using Type = typename E::Type;
  auto* to = static_cast<Type*>(out);
  for (int64_t i = 0; i < n; i += kLanes) {
    Type elements[kLanes];
    E::store(elements, load_upto(source, n, i));
    const int count = lanes_left(n, i);
    for (int lane = 0; lane < count; ++lane) to[i + lane] = elements[lane];
  }
}

void narrow(Element element, const float* source, int64_t n, void* out) {
  if (element == Element::kF16) return narrow_row<F16>(source, n, out);
  if (element == Element::kBF16) return narrow_row<BF16>(source, n, out);
  narrow_row<F32>(source, n, out);
}

constexpr RowKernels kKernels = {norm, rope, embed, add, multiply, narrow};

}  // namespace

const RowKernels& row_kernels() { return kKernels; }

}  // namespace legato::kernels::cpu::LEGATO_CPU_LEVEL
