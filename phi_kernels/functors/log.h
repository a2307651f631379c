// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Logarithms and what is built on them, in the branch-free float form of math.h: at most 3 ulp from
// the exact value, with the right answers at zero, infinities, NaN and subnormal numbers. Of the
// double forms log10, asinh and acosh use the C library.
#pragma once

#include <limits>

#include "phi_kernels/functors/math.h"

namespace paddle::math {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;  // the first is exact

// x = 2^e (1 + f) with 1 + f between the roots of 1/2 and 2.
template <typename V>
struct LogParts {
  V e, f;
};
template <Single V>
PADDLE_MATH LogParts<V> normal_log_parts(V x) {
  constexpr int32_t kRootHalf = 0x3f3504f3;
  const auto bits = bits_of(x);
  const auto e = shifted_right(difference(bits, kRootHalf), 23);
  const V m = from_bits(difference(bits, shifted_left(e, 23)));
  return {to_float(e), m - 1.0f};
}
template <Single V>
PADDLE_MATH LogParts<V> log_parts(V x) {
  const auto subnormal = x < 0x1p-126f;
  const LogParts<V> p = normal_log_parts(select(subnormal, x * 0x1p23f, x));
  return {p.e - select(subnormal, V(23.0f), V(0.0f)), p.f};
}
// log(1 + f) = f - f^2 / 2 + f^3 p: a minimax polynomial leaves a tenth of an ulp.
template <Single V>
PADDLE_MATH V log_one_plus(V f) {
  const V p = polynomial(f, -0.0763449636f, 0.127615769f, -0.131601824f, 0.14201758f, -0.166233573f,
                         0.200012269f, -0.25000821f, 0.333333317f);
  return f + f * f * (f * p - 0.5f);
}
// The factor that turns the natural logarithm into another is held in two parts; of two products
// one must be rounded, and always the same.
template <Single V>
PADDLE_MATH V log_of(LogParts<V> p) {
  return p.e * kLn2High + (p.e * kLn2Low + log_one_plus(p.f));
}
template <Single V>
PADDLE_MATH V log2_of(LogParts<V> p) {
  const V r = log_one_plus(p.f);
  return p.e + fused(r, V(1.92596303e-8f), r * 1.44269502f);
}
template <Single V>
PADDLE_MATH V log10_of(LogParts<V> p) {
  const V r = log_one_plus(p.f);
  const V tail = p.e * 4.60503898e-6f + fused(r, V(-1.01030500e-8f), r * 0.434294492f);
  return p.e * 0.301025390625f + tail;
}
template <Single V>
PADDLE_MATH V log_at_ends(V x, V inside) {
  const V low = select(x < 0.0f, V(kNotANumber), inside);
  const V zero = select(x == 0.0f, V(-kInfinity), low);
  return select(x < kInfinity, zero, x);
}

template <Single V>
PADDLE_MATH V log(V x) {
  return log_at_ends(x, log_of(log_parts(x)));
}
template <Single V>
PADDLE_MATH V log2(V x) {
  return log_at_ends(x, log2_of(log_parts(x)));
}
template <Single V>
PADDLE_MATH V log10(V x) {
  return log_at_ends(x, log10_of(log_parts(x)));
}

// log(1 + f) = 2 artanh(s), s = f / (2 + f): the series to s^21 leaves a fraction of an ulp. x is
// 2^e (1 + f), log(1 + f) = f - less.
struct WideLogParts {
  double e, f, less;
};
PADDLE_MATH WideLogParts wide_log_parts(double x) {
  constexpr uint64_t kRootHalf = 0x3fe6a09e667f3bcd;
  constexpr double kMagic = 0x1.8p52;
  const bool subnormal = x < 0x1p-1022;
  const uint64_t bits = std::bit_cast<uint64_t>(subnormal ? x * 0x1p54 : x);
  // The exponent as a whole number: shifted without its sign, which not every instruction set does.
  const uint64_t above = ((bits - kRootHalf) >> 52) ^ 0x800;
  const double e = std::bit_cast<double>(above + std::bit_cast<uint64_t>(kMagic)) -
                   (kMagic + 2048.0 + (subnormal ? 54.0 : 0.0));
  const double f = std::bit_cast<double>(bits - (((bits - kRootHalf) >> 52) << 52)) - 1.0;
  const double s = f / (2.0 + f), z = s * s;
  const double p = polynomial(z, 2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11,
                              2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3);
  const double half = 0.5 * f * f;
  return {e, f, half - s * (half + z * p)};
}
PADDLE_MATH double wide_log_at_ends(double x, double inside) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double low = x < 0.0 ? std::numeric_limits<double>::quiet_NaN() : inside;
  const double zero = x == 0.0 ? -kInf : low;
  return x < kInf ? zero : x;
}
PADDLE_MATH double log(double x) {
  const WideLogParts p = wide_log_parts(x);
  const double tail = p.e * 1.9082149292705877e-10 - p.less;
  return wide_log_at_ends(x, p.e * 0.6931471803691238 + (p.f + tail));
}

PADDLE_MATH double log2(double x) {
  const WideLogParts p = wide_log_parts(x);
  const double r = p.f - p.less;
  return wide_log_at_ends(x, p.e + (r * 2.0355273740931033e-17 + r * 1.4426950408889634));
}
PADDLE_MATH double log10(double x) { return std::log10(x); }

// log of u = 1 + x, and of what rounding took from u, relative to the power of two in it.
template <Single V>
PADDLE_MATH V log1p(V x) {
  const V u = 1.0f + x;
  const V lost = select(x < 1.0f, x - (u - 1.0f), 1.0f - (u - x));
  const LogParts<V> p = log_parts(u);
  const V unit = from_bits(shifted_left(127 - to_int(p.e), 23));
  const V f = select(u < 0x1p30f, p.f + lost * unit, p.f);
  const V value = log_at_ends(u, log_of(LogParts<V>{p.e, f}));
  return select(x == 0.0f, x, value);
}
// The difference between x and u - 1, exact without regard to which of 1 and x is larger (Knuth,
// "The Art of Computer Programming", 4.2.2), changes the logarithm by its quotient by u.
PADDLE_MATH double log1p(double x) {
  const double u = 1.0 + x, back = u - 1.0;
  const double share = ((1.0 - (u - back)) + (x - back)) / u;
  const WideLogParts p = wide_log_parts(u);
  const double small = u < 0x1p60 ? share : 0.0;
  const double tail = p.e * 1.9082149292705877e-10 + (small - p.less);
  const double value = wide_log_at_ends(u, p.e * 0.6931471803691238 + (p.f + tail));
  return x == 0.0 ? x : value;
}

template <Single V>
PADDLE_MATH V atanh(V x) {
  const V a = absolute(x);
  return with_sign_of(0.5f * log1p(2.0f * a / (1.0f - a)), x);
}
PADDLE_MATH double atanh(double x) {
  const double a = std::fabs(x);
  return std::copysign(0.5 * log1p(2.0 * a / (1.0 - a)), x);
}

// asinh(a) = log1p(a + a^2 / (1 + sqrt(a^2 + 1))); for large a it is log(a) + ln 2.
template <Single V>
PADDLE_MATH V asinh(V x) {
  const V a = absolute(x), z = a * a;
  const auto large = a > 1e8f;
  const V t = select(large, a, a + z / (1.0f + square_root(z + 1.0f)));
  return with_sign_of(log1p(t) + select(large, V(0.693147181f), V(0.0f)), x);
}
PADDLE_MATH double asinh(double x) { return std::asinh(x); }

// acosh(1 + d) = log1p(d + sqrt(2 d + d^2)).
template <Single V>
PADDLE_MATH V acosh(V x) {
  const V d = x - 1.0f;
  const auto large = x > 1e8f;
  const V t = select(large, x, d + square_root(d * (2.0f + d)));
  const V value = log1p(t) + select(large, V(0.693147181f), V(0.0f));
  return select(x < 1.0f, V(kNotANumber), value);
}
PADDLE_MATH double acosh(double x) { return std::acosh(x); }

// erfinv(x) / x as a function of w = -log(1 - x^2): polynomials fitted to w in [0, 5], and to
// sqrt(w) beyond.
template <Single V>
PADDLE_MATH V erfinv(V x) {
  const V w = -log((1.0f - x) * (1.0f + x));
  const V u = w - 2.5f;
  const V p = polynomial(u, -8.79105218e-09f, 2.32326383e-08f, 4.66170612e-07f, -3.46270469e-06f,
                         -4.96334765e-06f, 2.18344439e-04f, -1.25274188e-03f, -4.17738678e-03f,
                         2.46640286e-01f, 1.50140936e+00f);
  const V v = square_root(w) - 3.2f;
  const V q = polynomial(v, 1.02782561e-04f, -1.11343761e-04f, -3.64735918e-04f, 1.15163136e-03f,
                         -1.98903879e-03f, 2.92786282e-03f, -4.29524327e-03f, 5.97572703e-03f,
                         1.00469252e+00f, 3.03363653e+00f);
  const V value = x * select(w < 5.0f, p, q);
  return select(absolute(x) == 1.0f, with_sign_of(V(kInfinity), x), value);
}

// Of (probability, label), each logarithm kept above -100.
template <typename T>
PADDLE_MATH T binary_cross_entropy(T x, T y) {
  const T hit = log(x), miss = log1p(-x);
  return (y - T(1)) * (miss < T(-100) ? T(-100) : miss) - y * (hit < T(-100) ? T(-100) : hit);
}

}  // namespace paddle::math
