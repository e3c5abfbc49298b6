#pragma once

#include "kernels/cpu/simd/simd.h"

/// Transcendental functions of vectors. The polynomials are our own fits (weighted least squares,
/// Lawson iteration); bounds are those of the fit plus the roundings of the evaluation.
namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

/// e^x for x in [-87.33, 88.02]; beyond it, any value.
LEGATO_SIMD Vec vexp_within(Vec x) {
  const Vec n = vround(vmul(x, vset(1.44269504f)));
  // ln 2 in two parts, the first with so few bits that n times it is exact.
  Vec r = vfma(n, vset(-0.693359375f), x);
  r = vfma(n, vset(2.12194440e-4f), r);
  Vec p = vset(1.381446230e-3f);
  p = vfma(p, r, vset(8.368781157e-3f));
  p = vfma(p, r, vset(4.166839433e-2f));
  p = vfma(p, r, vset(1.666652010e-1f));
  p = vfma(p, r, vset(4.999999341e-1f));
  p = vfma(p, vmul(r, r), r);
  return vscale2(vadd(p, vset(1.0f)), n);
}

/// e^x for x <= 0, otherwise as vexp(): the same bits for less.
LEGATO_SIMD Vec vexp_not_positive(Vec x) {
  return vselect(vless(x, vset(-87.33f)), vzero(), vexp_within(x));
}

/// e^x within 2 ulp. Exactly 0 below -87.33 (where the result stops being normal); saturates at
/// 1.7e38 from 88.02 on; NaN stays NaN.
LEGATO_SIMD Vec vexp(Vec x) {
  const Vec clamped = vmax(vset(-87.33f), vmin(vset(88.02f), x));
  return vselect(vless(x, vset(-87.33f)), vzero(), vexp_within(clamped));
}

/// tanh x within 3 ulp.
LEGATO_SIMD Vec vtanh(Vec x) {
  const Vec magnitude = vabs(x);
  const Vec u = vmul(x, x);
  Vec p = vset(-5.905845885e-3f);
  p = vfma(p, u, vset(2.080536481e-2f));
  p = vfma(p, u, vset(-5.378667752e-2f));
  p = vfma(p, u, vset(1.333195817e-1f));
  p = vfma(p, u, vset(-3.333329927e-1f));
  const Vec small = vfma(vmul(p, u), x, x);
  const Vec e = vexp(vadd(magnitude, magnitude));
  const Vec large = vsub(vset(1.0f), vdiv(vset(2.0f), vadd(e, vset(1.0f))));
  return vselect(vless(magnitude, vset(0.6f)), small, vcopy_sign(large, x));
}

/// erfc(z) for z >= 0, relative error 3e-7 * (1 + z^2) (that of exp's rounded argument).
LEGATO_SIMD Vec verfc_positive(Vec z) {
  const Vec t = vdiv(vset(1.0f), vfma(z, vset(0.5f), vset(1.0f)));
  const Vec s = vfma(t, vset(2.0f), vset(-1.2f));
  Vec p = vset(-2.307401694e-4f);
  p = vfma(p, s, vset(8.155888652e-6f));
  p = vfma(p, s, vset(1.759375230e-3f));
  p = vfma(p, s, vset(-1.217621706e-3f));
  p = vfma(p, s, vset(-1.298690888e-2f));
  p = vfma(p, s, vset(8.592023519e-3f));
  p = vfma(p, s, vset(1.478677214e-1f));
  p = vfma(p, s, vset(4.012940430e-1f));
  p = vfma(p, s, vset(5.852244849e-1f));
  return vmul(vmul(p, t), vexp(vsub(vzero(), vmul(z, z))));
}

/// x / (1 + e^-x).
LEGATO_SIMD Vec vsilu(Vec x) { return vdiv(x, vadd(vset(1.0f), vexp(vsub(vzero(), x)))); }

/// x Phi(x), from the complement on either side so that small results keep their digits.
LEGATO_SIMD Vec vgelu(Vec x) {
  const Vec half_tail = vmul(vset(0.5f), verfc_positive(vmul(vabs(x), vset(0.707106781f))));
  const Vec phi = vselect(vless(x, vzero()), half_tail, vsub(vset(1.0f), half_tail));
  return vmul(x, phi);
}

/// x (1 + tanh u) / 2 = x / (1 + e^-2u) with u = sqrt(2/pi) (x + 0.044715 x^3).
LEGATO_SIMD Vec vgelu_tanh(Vec x) {
  const Vec cubic = vfma(vmul(vmul(x, x), x), vset(0.044715f), x);
  return vdiv(x, vadd(vset(1.0f), vexp(vmul(cubic, vset(-1.595769122f)))));
}

}  // namespace
}  // namespace legato::kernels::cpu::LEGATO_CPU_LEVEL
