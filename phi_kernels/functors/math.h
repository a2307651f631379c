// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Scalar functions that compilers turn into vector code: branch-free float forms of exp, expm1,
// tanh, sigmoid, erf and what is built on them, at most 4 ulp from the exact value, with the right
// answers at NaN, infinities and where exp overflows; the double forms are made in the same way.
// Everything is `static` and always inlined: files compiled for different instruction sets include
// this header and must not share code.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "phi_kernels/functors/number.h"

namespace paddle::math {

// The polynomial in x whose coefficients are given from the highest power down, by Horner's rule.
template <typename T, typename Coefficient, typename... Coefficients>
PADDLE_MATH T polynomial(T x, Coefficient highest, Coefficients... lower) {
  T p(highest);
  ((p = p * x + lower), ...);
  return p;
}

// exp(x) = 2^n * (1 + q), n = round(x / ln 2), q = expm1(x - n ln 2) by its Taylor series (the
// remainder is below 0.347^8 / 8!, a tenth of an ulp), for |x| up to 104.
template <typename V>
struct ExpTerms {
  decltype(bits_of(V())) n;
  V q;
};
template <Single V>
PADDLE_MATH ExpTerms<V> exp_terms(V x) {
  constexpr float kMagic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const V shifted = x * 1.44269504089f + kMagic;
  const auto n = bits_of(shifted) - std::bit_cast<int32_t>(kMagic);
  const V k = shifted - kMagic;
  V r = x - k * 0.693359375f;  // ln 2 in two parts; the first product is exact
  r = r + k * 2.12194440e-4f;
  const V p = polynomial(r, 1.98412698e-4f, 1.38888889e-3f, 8.33333333e-3f, 4.16666667e-2f,
                         1.66666667e-1f, 0.5f);
  return {n, r + r * r * p};
}

// The same with 2^n as half * rest, so that it neither overflows nor underflows before the product
// does.
template <typename V>
struct ExpParts {
  V half, rest, q;
};
template <Single V>
PADDLE_MATH ExpParts<V> exp_parts(V x) {
  V c = select(x < -104.0f, V(-104.0f), x);
  c = select(c > 89.0f, V(89.0f), c);
  const ExpTerms<V> e = exp_terms(c);
  const auto n1 = shifted_right(e.n, 1), n2 = e.n - n1;
  return {from_bits(shifted_left(n1 + 127, 23)), from_bits(shifted_left(n2 + 127, 23)), e.q};
}

template <Single V>
PADDLE_MATH V exp(V x) {
  const ExpParts<V> e = exp_parts(x);
  return (1.0f + e.q) * e.half * e.rest;
}

// The same for |x| < 87, where 2^n and the result are normal numbers.
PADDLE_MATH float exp_below_87(float x) {
  const ExpTerms<float> e = exp_terms(x);
  return (1.0f + e.q) * std::bit_cast<float>((e.n + 127) << 23);
}

template <Single V>
PADDLE_MATH V expm1(V x) {
  const ExpParts<V> e = exp_parts(x);
  const V s = e.half * e.rest;
  const V small = s * e.q + (s - 1.0f);
  const V large = (1.0f + e.q) * e.half * e.rest - 1.0f;  // s itself may overflow
  const V value = select(x > 80.0f, large, small);
  return select(x == 0.0f, x, value);
}

// tanh(x) = m / (m + 2), m = expm1(2 x), where 2^n alone is a float.
template <Single V>
PADDLE_MATH V tanh(V x) {
  V c = select(x < -10.0f, V(-10.0f), x);
  c = select(c > 10.0f, V(10.0f), c);
  const ExpTerms<V> e = exp_terms(2.0f * c);
  const V power = from_bits(shifted_left(e.n + 127, 23));
  const V m = power * e.q + (power - 1.0f);
  return with_sign_of(m / (m + 2.0f), x);
}

// exp and what is built on it in double: the Taylor series of q to r^13 leaves a hundredth of an
// ulp.
struct WideExpParts {
  double half, rest, q;
};
PADDLE_MATH WideExpParts wide_exp_parts(double x) {
  constexpr double kMagic = 0x1.8p52;
  double c = x < -746.0 ? -746.0 : x;
  c = c > 710.0 ? 710.0 : c;
  const double shifted = c * 1.4426950408889634 + kMagic;
  const double k = shifted - kMagic;
  const double r = (c - k * 0.693145751953125) - k * 1.4286068203094172e-6;
  const double p =
      polynomial(r, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
                 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5);
  // n + 2048 is positive: halved by a logical shift, which every instruction set has.
  const uint64_t n = std::bit_cast<uint64_t>(shifted) - std::bit_cast<uint64_t>(kMagic) + 2048;
  const uint64_t n1 = n >> 1, n2 = n - n1;
  return {std::bit_cast<double>((n1 - 1) << 52), std::bit_cast<double>((n2 - 1) << 52),
          r + r * r * p};
}
PADDLE_MATH double exp(double x) {
  const WideExpParts e = wide_exp_parts(x);
  return (1.0 + e.q) * e.half * e.rest;
}
PADDLE_MATH double expm1(double x) {
  const WideExpParts e = wide_exp_parts(x);
  const double s = e.half * e.rest;
  const double small = s * e.q + (s - 1.0);
  const double large = (1.0 + e.q) * e.half * e.rest - 1.0;
  const double value = x > 80.0 ? large : small;
  return x == 0.0 ? x : value;
}
PADDLE_MATH double tanh(double x) {
  double c = x < -20.0 ? -20.0 : x;
  c = c > 20.0 ? 20.0 : c;
  const double m = expm1(2.0 * c);
  return std::copysign(m / (m + 2.0), x);
}
PADDLE_MATH double sigmoid(double x) {
  const double e = exp(x < 0.0 ? x : -x);  // exp(-|x|): never overflows
  return (x < 0.0 ? e : 1.0) / (1.0 + e);
}

// 1 / (1 + exp(-x)), where 2^n alone is a float; 0 below -88.
template <Single V>
PADDLE_MATH V sigmoid(V x) {
  V c = select(x < -88.0f, V(-88.0f), x);
  c = select(c > 88.0f, V(88.0f), c);
  const ExpTerms<V> e = exp_terms(-c);
  const V power = from_bits(shifted_left(e.n + 127, 23));
  const V value = 1.0f / (1.0f + (power + power * e.q));
  return select(x < -88.0f, V(0.0f), value);
}

// x P(x^2) / Q(x^2), fitted to within 2e-8 of the value on [-3.92, 3.92]; at 3.9 what is computed
// reaches 1, beyond which nothing lies. Good to 6 units in the last place.
template <Single V>
PADDLE_MATH V erf(V x) {
  V c = select(x < -3.904436f, V(-3.904436f), x);
  c = select(c > 3.904436f, V(3.904436f), c);
  const V z = c * c;
  const V p = polynomial(z, 2.050079778e-06f, 2.848839958e-04f, 3.765668612e-03f, 5.274888489e-02f,
                         1.904076522e-01f, 1.128379146e+00f);
  const V q = polynomial(z, 3.809170347e-05f, 1.162548200e-03f, 1.496932071e-02f, 1.141096060e-01f,
                         5.020771289e-01f, 1.0f);
  V value = c * p / q;
  value = select(value < -1.0f, V(-1.0f), value);
  return select(value > 1.0f, V(1.0f), value);
}

// Below 1 the Taylor series, economised; on [1, 6] 1 - exp(-x^2) P((x - 3) / (x + 3)), P fitted to
// exp(x^2) erfc(x); then 1.
PADDLE_MATH double erf(double x) {
  const double a = std::fabs(x), z = x * x;
  const double s =
      z * polynomial(z, 6.174097221305255e-11, -1.1500357159785296e-09, 1.4692484859133263e-08,
                     -1.6355118610877705e-07, 1.6461446656928561e-06, -1.4925622504489842e-05,
                     0.00012055332214716276, -0.0008548327010033328, 0.005223977625303518,
                     -0.026866170645123838, 0.11283791670955111, -0.37612638903183754);
  const double series = x + x * (s + 0.12837916709551257);
  const double b = a < 1.0 ? 1.0 : (a > 6.0 ? 6.0 : a), u = (b - 3.0) / (b + 3.0);
  const double t = polynomial(u, 3.381355142042904e-09, 1.2755818949624478e-06,
                              2.0135111426447427e-06, -8.00978093907608e-06,
                              -1.2845780030775907e-05, 6.406279226046039e-05, 4.525434558991009e-05,
                              -0.0005970624964924544, 0.0007077464666941425, 0.004269136356961225,
                              -0.024392499318915004, 0.07166583719747308, -0.15011593650077898,
                              0.24560380171233487, -0.3262335600430372, 0.17900115118138996);
  const double tail = std::copysign(1.0 - exp(-b * b) * t, x);
  return a < 1.0 ? series : (x == x ? tail : x);
}

// The share of the standard normal distribution below x: 1/2 + x P(x^2) / Q(x^2), fitted to within
// 3e-8 on [-5.75, 5.75], beyond which it rounds to 0 and 1. Its error is below 2e-7.
template <Single V>
PADDLE_MATH V normal_cdf(V x) {
  V c = select(x < -5.75f, V(-5.75f), x);
  c = select(c > 5.75f, V(5.75f), c);
  const V z = c * c;
  const V p = polynomial(z, 2.140754951e-08f, 6.293018942e-06f, 1.763410546e-04f, 4.722362384e-03f,
                         3.470675647e-02f, 3.989422619e-01f);
  const V q = polynomial(z, 1.153755875e-06f, 7.545767585e-05f, 1.928017009e-03f, 2.911561541e-02f,
                         2.536631227e-01f, 1.0f);
  const V value = 0.5f + c * p / q;
  return select(x < -5.75f, V(0.0f), value);
}
PADDLE_MATH double normal_cdf(double x) { return 0.5 * (1 + erf(x * 0.70710678118654752)); }

template <typename T>
PADDLE_MATH T gelu_erf(T x) {
  return x * normal_cdf(x);
}
template <typename T>
PADDLE_MATH T gelu_tanh(T x) {
  const T inner = T(0.79788456080286536) * (x + T(0.044715) * x * x * x);
  return T(0.5) * x * (T(1) + tanh(inner));
}
template <typename T>
PADDLE_MATH T silu(T x) {
  return x * sigmoid(x);
}
template <typename T>
PADDLE_MATH T silu_grad(T x, T g) {
  const T s = sigmoid(x);
  return g * s * (T(1) + x * (T(1) - s));
}
template <typename T>
PADDLE_MATH T gelu_erf_grad(T x, T g) {
  return g * (normal_cdf(x) + x * T(0.39894228040143268) * exp(T(-0.5) * x * x));
}
template <typename T>
PADDLE_MATH T gelu_tanh_grad(T x, T g) {
  const T k = T(0.79788456080286536), t = tanh(k * (x + T(0.044715) * x * x * x));
  const T slope = k * (T(1) + T(0.134145) * x * x);
  return g * T(0.5) * (T(1) + t + x * (T(1) - t * t) * slope);
}

// log(1 + u) for u in [0, 1]: 2 artanh(s), s = u / (2 + u) <= 1/3, by its series (the remainder is
// below a hundredth of an ulp).
PADDLE_MATH float log1p_unit(float u) {
  const float s = u / (2.0f + u), z = s * s;
  const float p =
      polynomial(z, 1.0f / 15, 1.0f / 13, 1.0f / 11, 1.0f / 9, 1.0f / 7, 1.0f / 5, 1.0f / 3, 1.0f);
  return 2.0f * s * p;
}
PADDLE_MATH double log1p_unit(double u) {
  const double s = u / (2.0 + u), z = s * s;
  const double p = polynomial(z, 1.0 / 35, 1.0 / 33, 1.0 / 31, 1.0 / 29, 1.0 / 27, 1.0 / 25,
                              1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
                              1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3);
  return 2.0 * (s + s * (z * p));
}

template <typename T>
PADDLE_MATH T log_sigmoid(T x) {
  return (x < T(0) ? x : T(0)) - log1p_unit(exp(x < T(0) ? x : -x));
}
// log(1 + exp(beta x)) / beta; x itself where beta x > threshold.
template <typename T>
PADDLE_MATH T softplus(T x, T beta, T threshold) {
  const T bx = beta * x;
  const T soft = -log_sigmoid(-bx) / beta;
  return bx > threshold ? x : soft;
}
// tanh(log(1 + e)) = n / (n + 2), n = e (e + 2), e = exp(x); it is 1 from x = 20 on.
template <typename T>
PADDLE_MATH T tanh_softplus(T x) {
  const T e = exp(T(20) < x ? T(20) : x), n = e * (e + T(2));
  return n / (n + T(2));
}
template <typename T>
PADDLE_MATH T mish_grad(T x, T g) {
  const T t = tanh_softplus(x);
  return g * (t + x * (T(1) - t * t) * sigmoid(x));
}

}  // namespace paddle::math
