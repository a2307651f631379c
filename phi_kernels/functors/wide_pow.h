// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Powers of doubles in the branch-free form of math.h. The base-2 logarithm is held as the sum of
// two doubles, good to about 2^-64: multiplied by an exponent that makes the power overflow it
// still leaves less than an ulp. std::fma must be an instruction; each product whose rounding error
// matters is an explicit one, since the compiler joins others with additions as it likes.
#pragma once

#include <limits>

#include "phi_kernels/functors/math.h"

namespace paddle::math {

struct TwoPartLog {
  double high, low;
};
// log2 of a positive normal number: 2^e m, m between the roots of 1/2 and 2, and
// log m = 2 artanh(s), s = (m - 1) / (m + 1).
PADDLE_MATH TwoPartLog two_part_log2(double x) {
  constexpr uint64_t kRootHalf = 0x3fe6a09e667f3bcd;
  constexpr double kMagic = 0x1.8p52;
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const uint64_t above = ((bits - kRootHalf) >> 52) ^ 0x800;
  const double e =
      std::bit_cast<double>(above + std::bit_cast<uint64_t>(kMagic)) - (kMagic + 2048.0);
  const double m = std::bit_cast<double>(bits - (((bits - kRootHalf) >> 52) << 52));
  const double f = m - 1.0, t = m + 1.0, t_low = m - (t - 1.0);
  const double s = f / t, s_low = (std::fma(-s, t, f) - s * t_low) / t;
  const double z = s * s, z_low = std::fma(s, s, -z) + 2.0 * s * s_low;
  const double q = polynomial(z, 1.0 / 25, 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15,
                              1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5);
  constexpr double kThird = 1.0 / 3, kThirdLow = 1.850371707708594e-17;
  const double w = z * kThird;
  const double w_low = std::fma(z, kThird, -w) + (z * kThirdLow + z_low * kThird + z * z * q);
  const double h = std::fma(s, w, s);
  const double h_low = std::fma(s, w, s - h) + (s * w_low + s_low * w + s_low);
  constexpr double kFactor = 2.8853900817779268, kFactorLow = 4.0710547481862066e-17;  // 2 / ln 2
  const double high = std::fma(h, kFactor, e);
  return {high, std::fma(h, kFactor, e - high) + (h * kFactorLow + h_low * kFactor)};
}

// x^y for |x| normal or zero and |y| below 2^52, with the rules of C.
PADDLE_MATH double power(double x, double y) {
  const double a = std::fabs(x);
  const TwoPartLog l = two_part_log2(a == 0.0 ? 1.0 : a);
  constexpr double kMagic = 0x1.8p52;
  double turns = y * l.high;
  turns = turns < -1080.0 ? -1080.0 : (turns > 1030.0 ? 1030.0 : turns);
  const double shifted = turns + kMagic, n = shifted - kMagic;
  double r = std::fma(y, l.high, -n) + y * l.low;
  r = r < -0.51 ? -0.51 : (r > 0.51 ? 0.51 : r);
  const double g = r * 0.69314718055994531;
  const double p =
      polynomial(g, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
                 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5);
  // 2^n in two factors, as in exp.
  const uint64_t biased = std::bit_cast<uint64_t>(shifted) - std::bit_cast<uint64_t>(kMagic) + 2048;
  const uint64_t n1 = biased >> 1, n2 = biased - n1;
  double v = (1.0 + (g + g * g * p)) * std::bit_cast<double>((n1 - 1) << 52) *
             std::bit_cast<double>((n2 - 1) << 52);
  const double half = 0.5 * y;
  const double above = y > 0.0 ? 0.0 : std::numeric_limits<double>::infinity();
  const double at_zero = y == 0.0 ? 1.0 : above;
  v = a == 0.0 ? at_zero : v;
  // Of a negative x: the sign of an odd power, and NaN for a broken exponent.
  const double turned = std::floor(half) == half ? v : -v;
  const double broken = x < 0.0 ? std::numeric_limits<double>::quiet_NaN() : v;
  const double negative = std::floor(y) == y ? turned : broken;
  return std::copysign(1.0, x) < 0.0 ? negative : v;
}
PADDLE_MATH bool power_fits(double x, double y) {
  const double a = std::fabs(x);
  const bool normal = (a >= 0x1p-1022) & (a <= std::numeric_limits<double>::max());
  return (normal | (a == 0.0)) & (std::fabs(y) < 0x1p52);
}

}  // namespace paddle::math
