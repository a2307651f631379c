// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Float functions whose steps need more digits than a float has: powers, the gamma family, modified
// Bessel functions. They compute in double, branch-free as in math.h, and round once. The formulas
// are those of Abramowitz and Stegun (A&S) as in special.h.
#pragma once

#include <limits>

#include "phi_kernels/functors/math.h"

namespace paddle::math {

// yes or no, as bits: the compiler would make branches where one of them is long or constant.
PADDLE_MATH double blend(bool condition, double yes, double no) {
  const int64_t mask = -static_cast<int64_t>(condition);
  return std::bit_cast<double>((std::bit_cast<int64_t>(yes) & mask) |
                               (std::bit_cast<int64_t>(no) & ~mask));
}

// log2 of a positive normal double, to about 1e-14: the exponent, and (2 / ln 2) artanh(s).
template <typename W>
PADDLE_MATH W log2_wide(W x) {
  constexpr int64_t kRootHalf = 0x3fe6a09e667f3bcd;
  constexpr double kMagic = 0x1.8p52;  // adding it turns a small integer into its bits
  const auto bits = bits_of(x);
  const auto e = shifted_right(difference(bits, kRootHalf), 52);
  const W whole = from_bits(e + std::bit_cast<int64_t>(kMagic)) - kMagic;
  const W f = from_bits(difference(bits, shifted_left(e, 52))) - 1.0;
  const W s = f / (2.0 + f), z = s * s;
  const W p = polynomial(z, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0);
  return whole + 2.8853900817779268 * s * p;
}
template <typename W>
PADDLE_MATH W log_wide(W x) {
  return 0.69314718055994531 * log2_wide(x);
}

// 2^t within the exponents of a double, to about 1e-11: the Taylor series of degree 9.
template <typename W>
PADDLE_MATH W exp2_wide(W t) {
  constexpr double kMagic = 0x1.8p52;
  W c = blend(t < -1000.0, W(-1000.0), t);
  c = blend(c > 1000.0, W(1000.0), c);
  const W shifted = c + kMagic;
  const auto n = difference(bits_of(shifted), std::bit_cast<int64_t>(kMagic));
  const W r = 0.69314718055994531 * (c - (shifted - kMagic));
  const W p = polynomial(r, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24,
                         1.0 / 6, 0.5, 1.0, 1.0);
  return p * from_bits(shifted_left(n + 1023, 52));
}

// x^y with the rules of C: 1 for y = 0 or x = 1, NaN for a negative x and a broken y.
template <Single V>
PADDLE_MATH V pow(V base, V exponent) {
  const auto x = widened(base), y = widened(exponent);
  using W = std::remove_const_t<decltype(x)>;
  const W a = absolute(x);
  constexpr double kHuge = 1e300;
  W l = log2_wide(a);
  l = select(a == 0.0, W(-kHuge), l);
  l = select(a > 3.5e38, W(kHuge), l);
  l = select(a == 1.0, W(0.0), l);
  const W bounded = select(absolute(y) > 3.5e38, with_sign_of(W(4e38), y), y);
  W v = exp2_wide(l * bounded);
  const W half = 0.5 * y;
  const auto broken = rounded_down(y) != y;
  const auto odd = (!broken) & (rounded_down(half) != half);
  const auto negative = with_sign_of(W(1.0), x) < 0.0;
  v = select(negative & odd, -v, v);
  v = select((x < 0.0) & broken & (a < 3.5e38), W(std::numeric_limits<double>::quiet_NaN()), v);
  v = select((x == x) & (y == y), v, x + y);
  v = select((y == 0.0) | (x == 1.0), W(1.0), v);
  return narrowed(v);
}

// For 0 < x < kGammaEnd: Stirling's series (A&S 6.1.40) at x + 8, less the logarithm of
// x (x + 1) ... (x + 7). These cancel next to 1 and 2, where the result is 0: on [0.9, 2.1] it is
// (x - 1) (x - 2) times an interpolant in x - 1.5, which is good to 2e-9.
inline constexpr float kGammaEnd = 1e30f;
template <Single V>
PADDLE_MATH V log_gamma_positive(V arg) {
  const auto x = widened(arg);
  using W = std::remove_const_t<decltype(x)>;
  const W z = x + 8.0, i = 1.0 / z, w = i * i;
  W product = x;
  for (int k = 1; k < 8; ++k) product = product * (x + static_cast<double>(k));
  const W s = polynomial(w, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12);
  const W stirling = (z - 0.5) * log_wide(z) - z + 0.91893853320467274 + s * i;
  const W away = stirling - log_wide(product);
  const W near =
      polynomial(x - 1.5, -0.00068168163421531076, 0.0011019515005539968, -0.0010567767833963538,
                 0.0017505779854405923, -0.0032329965380567824, 0.0054799462828441078,
                 -0.009423819221281356, 0.016794212858832362, -0.031308543717555405,
                 0.062911491032964048, -0.14595989563266706, 0.48312895009030554);
  const W value =
      blend(absolute(x - 1.5) <= 0.6, (x - 1.0) * (x - 2.0) * near + 0.0, away);  // no -0
  return narrowed(value);
}
// The derivative of the above: A&S 6.3.18, less the logarithmic derivative of the product.
template <Single V>
PADDLE_MATH V digamma_positive(V arg) {
  const auto x = widened(arg);
  using W = std::remove_const_t<decltype(x)>;
  const W z = x + 8.0, i = 1.0 / z, w = i * i;
  W product = x, slope = 1.0;
  for (int k = 1; k < 8; ++k) {
    const W next = x + static_cast<double>(k);
    slope = slope * next + product;
    product = product * next;
  }
  const W s = polynomial(w, 1.0 / 240, -1.0 / 252, 1.0 / 120, -1.0 / 12);
  return narrowed(log_wide(z) - 0.5 * i + s * w - slope / product);
}

// 1 + q / (1 (1 + n)) (1 + q / (2 (2 + n)) (1 + ...)): Horner's rule, spelled out for the
// vectoriser.
template <int kOrder, int kTerm, typename W>
PADDLE_MATH W bessel_series(W q, W p) {
  if constexpr (kTerm == 0) {
    return p;
  } else {
    constexpr double kFactor = 1.0 / (kTerm * (kTerm + kOrder));
    return bessel_series<kOrder, kTerm - 1>(q, p * (q * kFactor) + 1.0);
  }
}

// I_n(x), n 0 or 1, or exp(-|x|) I_n(x): up to 8 the power series A&S 9.6.10 in
// x^2 / 4, beyond it a polynomial in 16 / |x| - 1 fitted to sqrt(|x|) exp(-|x|) I_n(|x|).
template <int kOrder, bool kScaled, Single V>
PADDLE_MATH V bessel(V arg) {
  const auto wide = widened(arg);
  using W = std::remove_const_t<decltype(wide)>;
  const W a = absolute(wide), q = 0.25 * a * a;
  const W near = blend(q > 16.0, W(16.0), q);
  W p = bessel_series<kOrder, 19>(near, W(1.0));
  if (kOrder) p = p * (0.5 * a);
  const W at_least = blend(a > 8.0, a, W(8.0)), u = 16.0 / at_least - 1.0;
  W f;
  if constexpr (kOrder == 0) {
    f = polynomial(u, 1.08941736e-07, 3.62155154e-07, 1.47562637e-06, 1.11127747e-05,
                   1.36217406e-04, 3.36055555e-03, 4.02176509e-01);
  } else {
    f = polynomial(u, -1.23748540e-07, -4.20484827e-07, -1.82407571e-06, -1.50046416e-05,
                   -2.19237786e-04, -9.74958121e-03, 3.89398459e-01);
  }
  // Infinity over infinity would be NaN.
  f = f / square_root(kScaled ? at_least : blend(a > 1e30, W(1e30), at_least));
  const W turn = 1.4426950408889634 * a;
  const W factor = exp2_wide(kScaled ? -turn : turn);
  const W series = kScaled ? p * factor : p, tail = kScaled ? f : f * factor;
  W v = blend(a > 8.0, tail, series);
  v = blend(a == a, v, a);
  return narrowed(kOrder ? with_sign_of(v, wide) : v);
}

}  // namespace paddle::math
