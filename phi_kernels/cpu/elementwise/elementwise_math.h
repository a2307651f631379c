// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The inner loops of rounding, comparison of signs, logarithms, circular and special functions,
// integers and complex numbers, per instruction set: the second half of elementwise_impl.h, under
// the same rules.
#pragma once

#include <limits>

#include "phi_kernels/cpu/elementwise/elementwise_impl.h"
#include "phi_kernels/functors/division.h"
#include "phi_kernels/functors/log.h"
#include "phi_kernels/functors/through_double.h"
#include "phi_kernels/functors/trigonometry.h"
#include "phi_kernels/functors/wide_pow.h"

namespace paddle::cpu {
namespace {

// Elements that do not satisfy Fits are done again by Slow: arguments so rare that the fast formula
// does without them.
template <typename T, auto F, auto Fits, auto Slow>
void patched(int64_t n, void* out, const void* const* in, const int64_t* stride, const Params&) {
  const T* x = static_cast<const T*>(in[0]);
  const int64_t s = stride[0];
  T part[kRun];
  for (int64_t begin = 0; begin < n; begin += kRun) {
    const int64_t m = kRun < n - begin ? kRun : n - begin;
    const T* from = s == 1 ? x + begin : gathered(x + begin * s, s, m, part);
    T* o = static_cast<T*>(out) + begin;
    int misses = 0;
    for (int64_t i = 0; i < m; ++i) misses += Fits(from[i]) ? 0 : 1;
    if (misses != 0 && s == 1) from = gathered(from, 1, m, part);  // out may be x
#pragma GCC ivdep
    for (int64_t i = 0; i < m; ++i) o[i] = F(from[i]);
    for (int64_t i = 0; misses != 0 && i < m; ++i) {
      if (!Fits(from[i])) o[i] = Slow(from[i]);
    }
  }
}

template <typename T, auto F, auto Fits, auto Slow>
void patched_pair(int64_t n, void* out, const void* const* in, const int64_t* stride,
                  const Params&) {
  const T* x = static_cast<const T*>(in[0]);
  const T* y = static_cast<const T*>(in[1]);
  const int64_t s = stride[0], t = stride[1];
  T parts[2][kRun];
  for (int64_t begin = 0; begin < n; begin += kRun) {
    const int64_t m = kRun < n - begin ? kRun : n - begin;
    const T* a = s == 1 ? x + begin : gathered(x + begin * s, s, m, parts[0]);
    const T* b = t == 1 ? y + begin : gathered(y + begin * t, t, m, parts[1]);
    T* o = static_cast<T*>(out) + begin;
    int misses = 0;
    for (int64_t i = 0; i < m; ++i) misses += Fits(a[i], b[i]) ? 0 : 1;
    if (misses != 0 && s == 1) a = gathered(a, 1, m, parts[0]);  // out may be one of them
    if (misses != 0 && t == 1) b = gathered(b, 1, m, parts[1]);
#pragma GCC ivdep
    for (int64_t i = 0; i < m; ++i) o[i] = F(a[i], b[i]);
    for (int64_t i = 0; misses != 0 && i < m; ++i) {
      if (!Fits(a[i], b[i])) o[i] = Slow(a[i], b[i]);
    }
  }
}

// -- rounding and signs ---------------------------------------------------------------------------

template <typename T>
void round_loop(int64_t n, void* out, const void* const* in, const int64_t* stride,
                const Params& p) {
  using P = const Params&;
  if (p.i == 0) return unary<T, T, [](T x, P) { return std::nearbyint(x); }>(n, out, in, stride, p);
  Params scaled = p;
  scaled.a = std::pow(10.0, static_cast<double>(p.i));
  unary<T, T, [](T x, P q) { return std::nearbyint(x * T(q.a)) / T(q.a); }>(n, out, in, stride,
                                                                            scaled);
}

PADDLE_MATH float remainder_fast(float x, float y) { return math::remainder_of_few(x, y); }
PADDLE_MATH float remainder_slow(float x, float y) {
  const float r = std::fmod(x, y);
  return r != 0.0f && (r < 0.0f) != (y < 0.0f) ? r + y : r;
}

PADDLE_MATH double remainder_fast(double x, double y) { return math::wide_remainder_of_few(x, y); }
PADDLE_MATH double remainder_slow(double x, double y) {
  const double r = std::fmod(x, y);
  return r != 0.0 && (r < 0.0) != (y < 0.0) ? r + y : r;
}

template <typename T>
void fill_rounding(LoopTables& t) {
  constexpr DType d = DTypeOf<T>::value;
  const auto u = [&](int op, Inner fn) { t.unary[op][static_cast<int>(d)] = {fn, d, d}; };
  const auto b = [&](int op, Inner fn) { t.binary[op][static_cast<int>(d)] = {fn, d, d}; };
  using P = const Params&;
  u(kFloor, unary<T, T, [](T x, P) { return std::floor(x); }>);
  u(kCeil, unary<T, T, [](T x, P) { return std::ceil(x); }>);
  u(kTrunc, unary<T, T, [](T x, P) { return std::trunc(x); }>);
  u(kRound, round_loop<T>);
  u(kSign, unary<T, T, [](T x, P) {
      const T below = x < T(0) ? T(-1) : x;
      return T(0) < x ? T(1) : below;
    }>);
  b(kFloorDivide, binary<T, T, [](T x, T y) { return math::floor_quotient(x, y); }>);
  b(kTruncDivide, binary<T, T, [](T x, T y) { return std::trunc(x / y); }>);
  b(kFmax, binary<T, T, [](T x, T y) {
      const T some = x == x ? x : y;
      return x < y ? y : some;
    }>);
  b(kFmin, binary<T, T, [](T x, T y) {
      const T some = x == x ? x : y;
      return y < x ? y : some;
    }>);
  b(kHeaviside, binary<T, T, [](T x, T y) {
      const T step = T(0) < x ? T(1) : T(0);
      return x == T(0) ? y : step;
    }>);
  b(kCopysign, binary<T, T, [](T x, T y) { return std::copysign(x, y); }>);
  b(kNextafter, binary<T, T, [](T x, T y) { return math::next_towards(x, y); }>);
}

// -- logarithms, circular and special functions
// -----------------------------------------------------

// Exponents that need no logarithm, among them those of the gradients of roots and squares.
template <typename T>
void pow_loop(int64_t n, void* out, const void* const* in, const int64_t* stride, const Params& p) {
  using P = const Params&;
  constexpr int kType = static_cast<int>(DTypeOf<T>::value);
  const auto apply = [&](int op) { loop_tables.unary[op][kType].fn(n, out, in, stride, p); };
  const auto apply_again = [&](int op) {
    const void* own[] = {out};
    constexpr int64_t kDense = 1;
    loop_tables.unary[op][kType].fn(n, out, own, &kDense, p);
  };
  if (p.a == 1) return unary<T, T, [](T x, P) { return x; }>(n, out, in, stride, p);
  if (p.a == 3) return unary<T, T, [](T x, P) { return x * x * x; }>(n, out, in, stride, p);
  if (p.a == 2) return apply(kSquare);
  if (p.a == -1) return apply(kReciprocal);
  if (p.a == -2) {
    apply(kReciprocal);
    return apply_again(kSquare);
  }
  if (p.a == 0.5 || p.a == -0.5) {
    unary<T, T, [](T x, P) {  // 0 and infinity lose their sign
      const T root = std::sqrt(x) + T(0);
      return x == -std::numeric_limits<T>::infinity() ? -x : root;
    }>(n, out, in, stride, p);
    if (p.a < 0) apply_again(kReciprocal);
    return;
  }
  const T exponent = static_cast<T>(p.a);
  const void* both[] = {in[0], &exponent};
  const int64_t strides[] = {stride[0], 0};
  loop_tables.binary[kPow][kType].fn(n, out, both, strides, p);
}

// (-1)^(n + 1) n! zeta(n + 1, x) for x > 0: twelve terms of the sum, then Euler-Maclaurin.
void polygamma_block(int64_t order, const float* x, int64_t stride, float* out, int64_t count) {
  double a[kRun], sum[kRun], power[kRun];
  const double s = static_cast<double>(order + 1);
  for (int64_t i = 0; i < count; ++i) a[i] = static_cast<double>(x[i * stride]), sum[i] = 0;
  const auto raise = [&] {  // power = a^-s
    for (int64_t i = 0; i < count; ++i) power[i] = 1.0 / a[i];
    double inverse[kRun];
    for (int64_t i = 0; i < count; ++i) inverse[i] = power[i];
    for (int64_t k = 0; k < order; ++k) {
      for (int64_t i = 0; i < count; ++i) power[i] *= inverse[i];
    }
  };
  for (int term = 0; term < 12; ++term) {
    raise();
    for (int64_t i = 0; i < count; ++i) sum[i] += power[i], a[i] += 1.0;
  }
  raise();
  // Bernoulli numbers over factorials: B_2k / (2k)!
  constexpr double kEven[] = {1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160};
  double factor[5], rising = s;
  for (int k = 0; k < 5; ++k) {
    factor[k] = kEven[k] * rising;
    rising *= (s + 2 * k + 1) * (s + 2 * k + 2);
  }
  double size = order % 2 ? 1.0 : -1.0;
  for (int64_t k = 2; k <= order; ++k) size *= static_cast<double>(k);
  for (int64_t i = 0; i < count; ++i) {
    const double inverse = 1.0 / a[i], z = inverse * inverse;
    double tail = factor[4];
    for (int k = 3; k >= 0; --k) tail = tail * z + factor[k];
    const double rest = power[i] * (a[i] / (s - 1.0) + 0.5 + tail * inverse);
    out[i] = static_cast<float>(size * (sum[i] + rest));
  }
}

void polygamma_loop(int64_t n, void* out, const void* const* in, const int64_t* stride,
                    const Params& p) {
  float* o = static_cast<float*>(out);
  const float* x = static_cast<const float*>(in[0]);
  for (int64_t i = 0; i < n; i += kRun) {
    polygamma_block(p.i, x + i * stride[0], stride[0], o + i, n - i < kRun ? n - i : kRun);
  }
}

// A logarithm from the parts of a number.
template <auto Of, auto Whole>
constexpr Inner normal_or_not = by_range<[](float x) { return Of(math::normal_log_parts(x)); },
                                         Whole, ~0U, 0x00800000, 0x7F000000>;

// Where remainder_fast is right.
PADDLE_MATH bool few_multiples(float x, float y) { return math::few_multiples(x, y); }
PADDLE_MATH bool few_multiples(double x, double y) { return math::wide_few_multiples(x, y); }

template <typename T>
void fill_two_forms(LoopTables& t) {
  constexpr DType d = DTypeOf<T>::value;
  const auto u = [&](int op, Inner fn) { t.unary[op][static_cast<int>(d)] = {fn, d, d}; };
  using P = const Params&;
  if constexpr (sizeof(T) == 4) {
    u(kLog, normal_or_not<math::log_of<float>, [](float x) { return math::log(x); }>);
    u(kLog2, normal_or_not<math::log2_of<float>, [](float x) { return math::log2(x); }>);
    u(kLog10, normal_or_not<math::log10_of<float>, [](float x) { return math::log10(x); }>);
  } else {
    u(kLog, unary<T, T, [](T x, P) { return math::log(x); }>);
    u(kLog2, unary<T, T, [](T x, P) { return math::log2(x); }>);
    u(kLog10, unary<T, T, [](T x, P) { return math::log10(x); }>);
  }
  u(kLog1p, unary<T, T, [](T x, P) { return math::log1p(x); }>);
  u(kAsin, unary<T, T, [](T x, P) { return math::asin(x); }>);
  u(kAcos, unary<T, T, [](T x, P) { return math::acos(x); }>);
  u(kAtan, unary<T, T, [](T x, P) { return math::atan(x); }>);
  u(kSinh, unary<T, T, [](T x, P) { return math::sinh(x); }>);
  u(kCosh, unary<T, T, [](T x, P) { return math::cosh(x); }>);
  u(kAsinh, unary<T, T, [](T x, P) { return math::asinh(x); }>);
  u(kAcosh, unary<T, T, [](T x, P) { return math::acosh(x); }>);
  u(kAtanh, unary<T, T, [](T x, P) { return math::atanh(x); }>);
  u(kPowScalar, pow_loop<T>);
  t.binary[kAtan2][static_cast<int>(d)] = {binary_of<T, [](T y, T x) { return math::atan2(y, x); }>,
                                           d, d};
  t.binary[kBceLoss][static_cast<int>(d)] = {
      binary_of<T, [](T x, T y) { return math::binary_cross_entropy(x, y); }>, d, d};
  t.binary[kRemainder][static_cast<int>(d)] = {
      patched_pair<T, [](T x, T y) { return remainder_fast(x, y); },
                   [](T x, T y) { return few_multiples(x, y); },
                   [](T x, T y) { return remainder_slow(x, y); }>,
      d, d};
  constexpr auto few = [](T x) { return std::fabs(x) <= T(math::kTurns); };
  u(kSin, patched<T, [](T x) { return math::sin(x); }, few, [](T x) { return std::sin(x); }>);
  u(kCos, patched<T, [](T x) { return math::cos(x); }, few, [](T x) { return std::cos(x); }>);
  u(kTan, patched<T, [](T x) { return math::tan(x); }, few, [](T x) { return std::tan(x); }>);
}

void fill_float_forms(LoopTables& t) {
  constexpr DType d = DType::kFloat32;
  const auto u = [&](int op, Inner fn) { t.unary[op][static_cast<int>(d)] = {fn, d, d}; };
  using P = const Params&;
  u(kLogGamma, unary<float, float, [](float x, P) { return math::log_gamma_positive(x); }>);
  u(kDigamma, unary<float, float, [](float x, P) { return math::digamma_positive(x); }>);
  u(kPolygamma, polygamma_loop);
  u(kErfinv, unary<float, float, [](float x, P) { return math::erfinv(x); }>);
  u(kI0, unary<float, float, [](float x, P) { return math::bessel<0, false>(x); }>);
  u(kI0e, unary<float, float, [](float x, P) { return math::bessel<0, true>(x); }>);
  u(kI1, unary<float, float, [](float x, P) { return math::bessel<1, false>(x); }>);
  u(kI1e, unary<float, float, [](float x, P) { return math::bessel<1, true>(x); }>);
  t.binary[kPow][static_cast<int>(d)] = {
      binary_of<float, [](float x, float y) { return math::pow(x, y); }>, d, d};
}

// -- integers, truth values, complex numbers
// ----------------------------------------------------------

template <typename T>
void fill_bits(LoopTables& t) {
  constexpr DType d = DTypeOf<T>::value;
  using U = std::make_unsigned_t<T>;
  constexpr T kBits = 8 * sizeof(T);
  const auto u = [&](int op, Inner fn) { t.unary[op][static_cast<int>(d)] = {fn, d, d}; };
  const auto b = [&](int op, Inner fn) { t.binary[op][static_cast<int>(d)] = {fn, d, d}; };
  using P = const Params&;
  u(kBitwiseNot, unary<T, T, [](T x, P) { return T(~x); }>);
  b(kBitwiseAnd, binary<T, T, [](T x, T y) { return T(x & y); }>);
  b(kBitwiseOr, binary<T, T, [](T x, T y) { return T(x | y); }>);
  b(kBitwiseXor, binary<T, T, [](T x, T y) { return T(x ^ y); }>);
  // Shifts by as many places as there are bits, or by a negative number, leave the sign alone.
  b(kShiftLeft, binary<T, T, [](T x, T y) {
      const T moved = static_cast<T>(static_cast<U>(x) << (y & (kBits - 1)));
      return U(y) < U(kBits) ? moved : T(0);
    }>);
  b(kShiftRight, binary<T, T, [](T x, T y) {
      const U places = U(y) < U(kBits) ? U(y) : U(kBits - 1);
      return static_cast<T>(x >> places);
    }>);
}

// std::complex has functions of external linkage; a plain pair has none.
template <typename R>
struct Pair {
  R re, im;
};

template <typename R>
void fill_pairs(LoopTables& t, DType d, DType real) {
  using C = Pair<R>;
  const auto u = [&](int op, Inner fn) { t.unary[op][static_cast<int>(d)] = {fn, d, d}; };
  const auto b = [&](int op, Inner fn) { t.binary[op][static_cast<int>(d)] = {fn, d, d}; };
  const auto part = [&](int op, Inner fn) { t.unary[op][static_cast<int>(d)] = {fn, d, real}; };
  using P = const Params&;
  b(kAdd, binary<C, C, [](C x, C y) { return C{x.re + y.re, x.im + y.im}; }>);
  b(kSubtract, binary<C, C, [](C x, C y) { return C{x.re - y.re, x.im - y.im}; }>);
  b(kMultiply, binary<C, C, [](C x, C y) {
      return C{x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
    }>);
  u(kNeg, unary<C, C, [](C x, P) { return C{-x.re, -x.im}; }>);
  u(kConj, unary<C, C, [](C x, P) { return C{x.re, -x.im}; }>);
  u(kSquare, unary<C, C, [](C x, P) {
      return C{x.re * x.re - x.im * x.im, x.re * x.im + x.im * x.re};
    }>);
  u(kScale, unary<C, C, [](C x, P p) {
      Pair<double> factor, bias;
      std::memcpy(&factor, &p.z, sizeof(factor));
      std::memcpy(&bias, &p.w, sizeof(bias));
      const R a = static_cast<R>(factor.re), c = static_cast<R>(factor.im);
      return C{x.re * a - x.im * c + static_cast<R>(bias.re),
               x.re * c + x.im * a + static_cast<R>(bias.im)};
    }>);
  part(kReal, unary<R, C, [](C x, P) { return x.re; }>);
  part(kImag, unary<R, C, [](C x, P) { return x.im; }>);
}

void fill_complex64(LoopTables& t) {
  constexpr DType d = DType::kComplex64;
  using C = Pair<float>;
  fill_pairs<float>(t, d, DType::kFloat32);
  fill_pairs<double>(t, DType::kComplex128, DType::kFloat64);
  // In double, where the squares neither overflow nor vanish.
  t.unary[kAbs][static_cast<int>(d)] = {
      unary<float, C,
            [](C x, const Params&) {
              const double re = static_cast<double>(x.re), im = static_cast<double>(x.im);
              const float size = static_cast<float>(std::sqrt(re * re + im * im));
              return std::isinf(x.re) || std::isinf(x.im) ? math::kInfinity : size;
            }>,
      d, DType::kFloat32};
  t.binary[kDivide][static_cast<int>(d)] = {
      binary<C, C,
             [](C x, C y) {
               double c = static_cast<double>(y.re), s = static_cast<double>(y.im);
               const double a = static_cast<double>(x.re), b = static_cast<double>(x.im);
               const double scale = 1.0 / (c * c + s * s);
               if (scale == 0) {  // y is infinite: only its direction counts
                 c = std::isinf(c) ? std::copysign(1.0, c) : 0.0;
                 s = std::isinf(s) ? std::copysign(1.0, s) : 0.0;
               }
               return C{static_cast<float>((a * c + b * s) * scale),
                        static_cast<float>((b * c - a * s) * scale)};
             }>,
      d, d};
}

[[maybe_unused]] void fill_math(LoopTables& t) {
  fill_rounding<float>(t);
  fill_rounding<double>(t);
  fill_two_forms<float>(t);
  fill_two_forms<double>(t);
  t.binary[kPow][static_cast<int>(DType::kFloat64)] = {
      patched_pair<double, [](double x, double y) { return math::power(x, y); },
                   [](double x, double y) { return math::power_fits(x, y); },
                   [](double x, double y) { return std::pow(x, y); }>,
      DType::kFloat64, DType::kFloat64};
  fill_float_forms(t);
  fill_bits<int32_t>(t);
  fill_bits<int64_t>(t);
  fill_complex64(t);
  using P = const Params&;
  const Loop negation = {unary<uint8_t, uint8_t, [](uint8_t x, P) { return uint8_t(x ^ 1); }>,
                         DType::kBool, DType::kBool};
  for (int d = 1; d < kNumDTypes; ++d) t.unary[kLogicalNot][d] = negation;
  t.unary[kBitwiseNot][static_cast<int>(DType::kBool)] = negation;
}

}  // namespace
}  // namespace paddle::cpu
