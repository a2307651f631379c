// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Circular functions and their inverses, and the hyperbolic sine and cosine, in the branch-free
// float form of math.h: at most 3 ulp from the exact value, tan 4. sin, cos and tan are for
// arguments within kTurns; std::fma must be an instruction. The double forms are made in the same
// way.
#pragma once

#include "phi_kernels/functors/math.h"

namespace paddle::math {

inline constexpr float kTurns = 65536.0f;  // the reduction below is exact so far

// x = quarter * pi / 2 + r, |r| <= pi / 4 up to rounding; pi / 2 in three parts.
template <typename V>
struct Angle {
  decltype(bits_of(V())) quarter;
  V r;
};
template <Single V>
PADDLE_MATH Angle<V> reduce_angle(V x) {
  constexpr float kMagic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const V shifted = x * 0.636619772f + kMagic;
  const V k = shifted - kMagic;
  V r = fused(k, V(-1.57079637f), x);
  r = fused(k, V(4.37113883e-08f), r);
  r = fused(k, V(1.71512451e-15f), r);
  return {bits_of(shifted), r};
}
// The Taylor polynomials leave less than a twentieth of an ulp at pi / 4.
template <Single V>
PADDLE_MATH V sine_part(V r) {
  const V z = r * r;
  const V p = polynomial(z, 2.75573192e-6f, -1.98412698e-4f, 8.33333333e-3f, -1.66666667e-1f);
  return r + r * z * p;
}
template <Single V>
PADDLE_MATH V cosine_part(V r) {
  const V z = r * r;
  const V p = polynomial(z, -2.75573192e-7f, 2.48015873e-5f, -1.38888889e-3f, 4.16666667e-2f);
  return (1.0f - 0.5f * z) + z * z * p;
}
template <typename V>
PADDLE_MATH V sine_of(Angle<V> a) {
  const V s = sine_part(a.r), c = cosine_part(a.r);
  const V v = select((a.quarter & 1) != 0, c, s);
  return select((a.quarter & 2) != 0, -v, v);
}

// The double forms, for arguments within kTurns too: pi / 2 in three parts, Taylor polynomials that
// leave a third of an ulp at pi / 4.
struct WideAngle {
  uint64_t quarter;
  double r;
};
PADDLE_MATH WideAngle reduce_wide_angle(double x) {
  constexpr double kMagic = 0x1.8p52;
  const double shifted = std::fma(x, 0.63661977236758134, kMagic);
  const double k = shifted - kMagic;
  double r = std::fma(k, -1.5707963267948966, x);
  r = std::fma(k, -6.123233995736766e-17, r);
  r = std::fma(k, 1.4973849048591833e-33, r);
  return {std::bit_cast<uint64_t>(shifted), r};
}
struct SineAndCosine {
  double sine, cosine;
};
PADDLE_MATH SineAndCosine wide_parts(double r) {
  const double z = r * r;
  const double s = polynomial(z, 1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800,
                              -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6);
  const double c = polynomial(z, 1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600,
                              -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24);
  const double half = 0.5 * z, rest = 1.0 - half;
  return {r + r * (z * s), rest + (((1.0 - rest) - half) + z * z * c)};
}
// yes where the lowest bit of `odd` is set
PADDLE_MATH uint64_t bits_where(uint64_t odd, double yes, double no) {
  const uint64_t mask = 0 - (odd & 1);
  return (std::bit_cast<uint64_t>(yes) & mask) | (std::bit_cast<uint64_t>(no) & ~mask);
}
PADDLE_MATH double wide_sine_of(WideAngle a) {
  const SineAndCosine p = wide_parts(a.r);
  const uint64_t bits = bits_where(a.quarter, p.cosine, p.sine);
  return std::bit_cast<double>(bits ^ ((a.quarter & 2) << 62));
}
PADDLE_MATH double sin(double x) {
  const double value = wide_sine_of(reduce_wide_angle(x));
  return x == 0.0 ? x : value;
}
PADDLE_MATH double cos(double x) {
  const WideAngle a = reduce_wide_angle(x);
  return wide_sine_of({a.quarter + 1, a.r});
}
PADDLE_MATH double tan(double x) {
  const WideAngle a = reduce_wide_angle(x);
  const SineAndCosine p = wide_parts(a.r);
  const double above = std::bit_cast<double>(bits_where(a.quarter, -p.cosine, p.sine));
  const double value = above / std::bit_cast<double>(bits_where(a.quarter, p.sine, p.cosine));
  return x == 0.0 ? x : value;
}

template <Single V>
PADDLE_MATH V sin(V x) {
  const V value = sine_of(reduce_angle(x));
  return select(x == 0.0f, x, value);
}
template <Single V>
PADDLE_MATH V cos(V x) {
  const Angle<V> a = reduce_angle(x);
  return sine_of(Angle<V>{a.quarter + 1, a.r});
}
template <Single V>
PADDLE_MATH V tan(V x) {
  const Angle<V> a = reduce_angle(x);
  const V s = sine_part(a.r), c = cosine_part(a.r);
  const auto turned = (a.quarter & 1) != 0;
  const V value = select(turned, -c, s) / select(turned, s, c);
  return select(x == 0.0f, x, value);
}

// atan(t) / t - 1 over t^2 on [0, 1], fitted.
template <Single V>
PADDLE_MATH V arctangent_part(V t) {
  const V z = t * t;
  const V p = polynomial(z, -2.42353617e-03f, 1.36558150e-02f, -3.61157325e-02f, 6.27119958e-02f,
                         -8.66694887e-02f, 1.10363940e-01f, -1.42789083e-01f, 1.99997562e-01f,
                         -3.33333319e-01f);
  return t + t * z * p;
}
inline constexpr float kHalfPi = 1.57079637f, kHalfPiLow = -4.37113883e-08f;
inline constexpr float kPi = 3.14159274f, kPiLow = -8.74227766e-08f;

template <Single V>
PADDLE_MATH V atan(V x) {
  const V a = absolute(x);
  const auto steep = a > 1.0f;
  const V p = arctangent_part(select(steep, 1.0f / a, a));
  return with_sign_of(select(steep, kHalfPi - (p - kHalfPiLow), p), x);
}

PADDLE_MATH double arctangent_part(double t) {
  const double z = t * t;
  const double p = polynomial(z, 1.806195461861215e-05, -0.00019996189377901382,
                              0.0010496035084968515, -0.0034958859739163094, 0.008368931178450162,
                              -0.015535152475414177, 0.023696731580048622, -0.031277189066996385,
                              0.03749486812535247, -0.04260356632601652, 0.04737749579527779,
                              -0.052579733342841106, 0.05881506877793656, -0.06666564699289104,
                              0.07692298971033217, -0.09090908590891934, 0.11111111093490827,
                              -0.14285714285384132, 0.1999999999999753, -0.3333333333333333);
  return t + t * (z * p);
}
inline constexpr double kWideHalfPi = 1.5707963267948966, kWideHalfPiLow = 6.123233995736766e-17;
PADDLE_MATH double atan(double x) {
  const double a = std::fabs(x);
  const bool steep = a > 1.0;
  const double p = arctangent_part(steep ? 1.0 / a : a);
  const double turned = kWideHalfPi - (p - kWideHalfPiLow);
  return std::copysign(steep ? turned : p, x);
}

template <Single V>
PADDLE_MATH V atan2(V y, V x) {
  const V ax = absolute(x), ay = absolute(y);
  const auto steep = ay > ax;
  const V low = select(steep, ax, ay), high = select(steep, ay, ax);
  V t = low / high;
  t = select(high == 0.0f, V(0.0f), t);
  t = select(low > 3.4e38f, V(1.0f), t);  // both infinite
  V p = arctangent_part(t);
  p = select(steep, kHalfPi - (p - kHalfPiLow), p);
  p = select(bits_of(x) < 0, kPi - (p - kPiLow), p);
  const V value = with_sign_of(p, y);
  return select((x == x) & (y == y), value, x + y);
}
PADDLE_MATH double atan2(double y, double x) {
  const double ax = std::fabs(x), ay = std::fabs(y);
  const bool steep = ay > ax;
  const double low = steep ? ax : ay, high = steep ? ay : ax;
  double t = low / high;
  t = high == 0.0 ? 0.0 : t;
  t = low > 1.79e308 ? 1.0 : t;  // both infinite
  double p = arctangent_part(t);
  const double turned = kWideHalfPi - (p - kWideHalfPiLow);
  p = steep ? turned : p;
  const double behind = 2.0 * kWideHalfPi - (p - 2.0 * kWideHalfPiLow);
  p = std::copysign(1.0, x) < 0.0 ? behind : p;
  const double value = std::copysign(p, y);
  return x == x && y == y ? value : x + y;
}

// asin(|x|) up to 1/2; beyond it (`fold`) asin(sqrt((1 - |x|) / 2)), whose double is missing from
// pi / 2.
template <Single V, typename Condition>
PADDLE_MATH V arcsine_part(V a, Condition fold) {
  const V outer = 0.5f * (1.0f - a), inner = a * a;
  const V z = select(fold, outer, inner);
  const V root = square_root(z);
  const V s = select(fold, root, a);
  const V p = polynomial(z, 3.81962909e-02f, 2.64993707e-02f, 4.50099013e-02f, 7.49881319e-02f,
                         1.66666727e-01f);
  return s + s * z * p;
}
template <Single V>
PADDLE_MATH V asin(V x) {
  const V a = absolute(x);
  const auto fold = a > 0.5f;
  const V p = arcsine_part(a, fold), folded = kHalfPi - (2.0f * p - kHalfPiLow);
  return with_sign_of(select(fold, folded, p), x);
}

PADDLE_MATH double arcsine_part(double a, bool fold) {
  const double outer = 0.5 * (1.0 - a), inner = a * a;
  const double z = fold ? outer : inner;
  const double root = std::sqrt(z);
  const double s = fold ? root : a;
  const double p = polynomial(z, 0.028757851367421566, -0.014851887071247204, 0.01740087944269402,
                              0.005457506718640358, 0.01032281435018578, 0.011479177415184906,
                              0.013971212973552933, 0.017352392720869973, 0.02237217294214989,
                              0.030381944138531247, 0.04464285714635543, 0.07499999999998433,
                              0.16666666666666669);
  return s + s * (z * p);
}
PADDLE_MATH double asin(double x) {
  const double a = std::fabs(x);
  const bool fold = a > 0.5;
  const double p = arcsine_part(a, fold), folded = kWideHalfPi - (2.0 * p - kWideHalfPiLow);
  return std::copysign(fold ? folded : p, x);
}
template <Single V>
PADDLE_MATH V acos(V x) {
  const V a = absolute(x);
  const auto fold = a > 0.5f;
  const V p = arcsine_part(a, fold);
  const V inner = kHalfPi - (with_sign_of(p, x) - kHalfPiLow);
  const V twice = 2.0f * p, beyond = kPi - (twice - kPiLow);
  const V outer = select(x < 0.0f, beyond, twice);
  return select(fold, outer, inner);
}
PADDLE_MATH double acos(double x) {
  const double a = std::fabs(x);
  const bool fold = a > 0.5;
  const double p = arcsine_part(a, fold);
  const double inner = kWideHalfPi - (std::copysign(p, x) - kWideHalfPiLow);
  const double twice = 2.0 * p, beyond = 2.0 * kWideHalfPi - (twice - 2.0 * kWideHalfPiLow);
  const double outer = x < 0.0 ? beyond : twice;
  return fold ? outer : inner;
}

// From m = expm1(|x|); large results are a product of two halves, which overflows where it must.
template <Single V>
PADDLE_MATH V sinh(V x) {
  const V a = absolute(x);
  const V m = expm1(select(a < 20.0f, a, V(20.0f))), h = exp(0.5f * a);
  const V inner = 0.5f * (m + m / (m + 1.0f)), outer = (0.5f * h) * h;
  return with_sign_of(select(a < 9.0f, inner, outer), x);
}
PADDLE_MATH double sinh(double x) {
  const double a = std::fabs(x);
  const double m = expm1(a < 40.0 ? a : 40.0), h = exp(0.5 * a);
  const double inner = 0.5 * (m + m / (m + 1.0)), outer = (0.5 * h) * h;
  return std::copysign(a < 20.0 ? inner : outer, x);
}
template <Single V>
PADDLE_MATH V cosh(V x) {
  const V a = absolute(x);
  const V e = exp(select(a < 20.0f, a, V(20.0f))), h = exp(0.5f * a);
  const V inner = 0.5f * (e + 1.0f / e), outer = (0.5f * h) * h;
  return select(a < 9.0f, inner, outer);
}
PADDLE_MATH double cosh(double x) {
  const double a = std::fabs(x);
  const double e = exp(a < 40.0 ? a : 40.0), h = exp(0.5 * a);
  const double inner = 0.5 * (e + 1.0 / e), outer = (0.5 * h) * h;
  return a < 20.0 ? inner : outer;
}

}  // namespace paddle::math
