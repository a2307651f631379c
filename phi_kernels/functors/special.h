// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Scalar special functions: the gamma family, modified Bessel functions, the inverse error
// function. All compute in double and are accurate to a few ulp of float64 unless a comment says
// less. The formulas are those of Abramowitz and Stegun, "Handbook of Mathematical Functions"
// (A&S).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace paddle::math {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// log |gamma(x)|, without the global sign that std::lgamma writes.
inline double log_gamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}

// psi(x): recurrence up to 10, then A&S 6.3.18; below 0 the reflection A&S 6.3.7.
inline double digamma(double x) {
  if (x == 0) return std::copysign(kInf, -x);
  double value = 0;
  if (x < 0) {
    const double whole = std::nearbyint(x);
    if (whole == x) return kNan;
    value = -std::numbers::pi / std::tan(std::numbers::pi * (x - whole));
    x = 1 - x;
  }
  for (; x < 10; x += 1) value -= 1 / x;
  const double z = 1 / (x * x);
  double s = 1.0 / 12;
  s = 691.0 / 32760 - z * s;
  s = 1.0 / 132 - z * s;
  s = 1.0 / 240 - z * s;
  s = 1.0 / 252 - z * s;
  s = 1.0 / 120 - z * s;
  s = 1.0 / 12 - z * s;
  return value + std::log(x) - 0.5 / x - z * s;
}

// a^-s for a whole number s > 0: small powers by squaring.
inline double inverse_power(double a, double s) {
  if (s > 16) return std::pow(a, -s);
  double power = 1, square = 1 / a;
  for (auto n = static_cast<unsigned>(s); n != 0; n >>= 1, square *= square) {
    if (n & 1) power *= square;
  }
  return power;
}

// zeta(s, q) = sum over k >= 0 of (q + k)^-s for an integer s >= 2, by Euler-Maclaurin summation.
inline double hurwitz_zeta(double s, double q) {
  if (q <= 0 && std::floor(q) == q) return kInf;
  double sum = 0, a = q;
  while (a < 12) {
    sum += inverse_power(a, s);
    a += 1;
  }
  if (a == kInf) return sum;
  const double tail = inverse_power(a, s);
  sum += a * tail / (s - 1) + 0.5 * tail;
  // B_2k / (2k)! * s (s + 1) ... (s + 2k - 2) * a^(-s - 2k + 1)
  constexpr double kBernoulli[] = {1.0 / 6,       -1.0 / 30,      1.0 / 42, -1.0 / 30,
                                   5.0 / 66,      -691.0 / 2730,  7.0 / 6,  -3617.0 / 510,
                                   43867.0 / 798, -174611.0 / 330};
  double factor = s / 2, power = tail / a;
  for (int k = 0; k < 10; ++k) {
    const double term = kBernoulli[k] * factor * power;
    sum += term;
    if (std::fabs(term) <= 1e-17 * std::fabs(sum)) break;
    const double n = 2 * (k + 1);
    factor *= (s + n - 1) * (s + n) / ((n + 1) * (n + 2));
    power /= a * a;
  }
  return sum;
}

// The n-th derivative of digamma: (-1)^(n + 1) n! zeta(n + 1, x).
inline double polygamma(int64_t n, double x) {
  if (n == 0) return digamma(x);
  const double size =
      std::exp(log_gamma(static_cast<double>(n) + 1)) * hurwitz_zeta(static_cast<double>(n) + 1, x);
  return n % 2 ? size : -size;
}

// exp(-|x|) I_n(x) for n in {0, 1}: the power series A&S 9.6.10, whose terms are all positive, up
// to 20; then the asymptotic series A&S 9.7.1.
inline double bessel_ie(int n, double x) {
  const double a = std::fabs(x);
  if (a != a) return a;
  if (a == kInf) return 0;
  double value;
  if (a <= 20) {
    const double q = a * a / 4;
    double term = n ? a / 2 : 1, sum = term;
    for (int k = 1; k < 80; ++k) {
      term *= q / (k * static_cast<double>(k + n));
      sum += term;
      if (term <= 1e-17 * sum) break;
    }
    value = sum * std::exp(-a);
  } else {
    const double mu = 4.0 * n;
    double term = 1, sum = 1;
    for (int k = 1; k < 60; ++k) {
      const double odd = 2 * k - 1;
      const double next = -term * (mu - odd * odd) / (k * 8 * a);
      if (std::fabs(next) >= std::fabs(term) || std::fabs(next) <= 1e-18) break;
      term = next;
      sum += term;
    }
    value = sum / std::sqrt(2 * std::numbers::pi * a);
  }
  return n && x < 0 ? -value : value;
}
inline double bessel_i(int n, double x) {
  const double scaled = bessel_ie(n, x), a = std::fabs(x);
  if (a == kInf) return n && x < 0 ? -kInf : kInf;
  return a > 700 ? scaled * std::exp(a / 2) * std::exp(a / 2) : scaled * std::exp(a);
}

// The y with erf(y) = x: Winitzki's closed form, which is good to 2e-3, then Halley steps. Next to
// 1 the difference is taken with erfc, where erf would cancel.
inline double erf_inverse(double x) {
  const double a = std::fabs(x);
  if (!(a < 1)) return a == 1 ? std::copysign(kInf, x) : kNan;
  if (a < 1e-8) return x * (0.5 * std::sqrt(std::numbers::pi));
  constexpr double kShape = 0.147;
  const double l = std::log1p(-a * a), h = 2 / (std::numbers::pi * kShape) + l / 2;
  double y = std::sqrt(std::sqrt(h * h - l / kShape) - h);
  for (int step = 0; step < 3; ++step) {
    const double gap = a > 0.5 ? (1 - a) - std::erfc(y) : std::erf(y) - a;
    const double u = gap / (2 * std::numbers::inv_sqrtpi * std::exp(-y * y));
    y -= u / (1 + y * u);
  }
  return std::copysign(y, x);
}

// Q(a, x) = Gamma(a, x) / Gamma(a): A&S 6.5.29 below a + 1, else the continued fraction A&S 6.5.31
// by Lentz's method. Relative error about 1e-14 for a below 1e4.
inline double gamma_q(double a, double x) {
  if (!(x >= 0) || !(a >= 0)) return kNan;
  if (a == 0) return x > 0 ? 0 : kNan;
  if (x == 0) return 1;
  if (a == kInf) return x == kInf ? kNan : 1;
  if (x == kInf) return 0;
  const double front = std::exp(a * std::log(x) - x - log_gamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (double n = a + 1; term > 1e-17 * sum && n < a + 1e6; n += 1) {
      term *= x / n;
      sum += term;
    }
    return 1 - front * sum;
  }
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, h = d;
  for (int i = 1; i < 1000000; ++i) {
    const double an = -i * (i - a);
    b += 2;
    d = an * d + b;
    if (std::fabs(d) < kTiny) d = kTiny;
    c = b + an / c;
    if (std::fabs(c) < kTiny) c = kTiny;
    d = 1 / d;
    const double step = d * c;
    h *= step;
    if (std::fabs(step - 1) < 1e-16) break;
  }
  return front * h;
}

}  // namespace paddle::math
