// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Elementwise loops in plain code: the functions and dtypes that the vectorised files leave out,
// and the rules which compute type serves which dtype.
#include <algorithm>
#include <limits>

#include "phi_kernels/cpu/elementwise/elementwise_impl.h"

namespace paddle::cpu {
namespace {

constexpr int at(DType d) { return static_cast<int>(d); }
using P = const Params&;

template <typename T>
T floor_mod(T x, T y) {
  PADDLE_CHECK_VALUE(y != 0,
                     "remainder: y has value 0; integer division by zero is undefined; use a "
                     "divisor other than 0.");
  if (y == T(-1)) return 0;
  const T r = static_cast<T>(x % y);
  return r != 0 && (r < 0) != (y < 0) ? static_cast<T>(r + y) : r;
}

template <typename T>
T floor_divide(T x, T y) {
  PADDLE_CHECK_VALUE(y != 0,
                     "floor_divide: y has value 0; integer division by zero is undefined; use a "
                     "divisor other than 0.");
  using U = std::make_unsigned_t<T>;
  if (y == T(-1)) return static_cast<T>(U(0) - static_cast<U>(x));
  const T q = static_cast<T>(x / y);
  return x % y != 0 && (x < 0) != (y < 0) ? static_cast<T>(q - 1) : q;
}

template <typename T>
T power(T x, T y) {
  using U = std::make_unsigned_t<T>;
  if (y < 0) return x == 1 ? T(1) : x == T(-1) ? (y % 2 ? T(-1) : T(1)) : T(0);
  U base = static_cast<U>(x), result = 1;
  for (T e = y; e > 0; e = static_cast<T>(e >> 1)) {
    if (e & 1) result *= base;
    base *= base;
  }
  return static_cast<T>(result);
}

template <typename T>
void fill_integer(LoopTables& t) {
  fill_arithmetic<T>(t);
  fill_unary_integer<T>(t);
  constexpr DType d = DTypeOf<T>::value;
  using U = std::make_unsigned_t<T>;
  const auto u = [&](int op, Inner fn) { t.unary[op][at(d)] = {fn, d, d}; };
  const auto b = [&](int op, Inner fn) { t.binary[op][at(d)] = {fn, d, d}; };
  b(kFloorDivide, binary<T, T, floor_divide<T>>);
  b(kRemainder, binary<T, T, floor_mod<T>>);
  b(kPow, binary<T, T, power<T>>);
  b(kFmax, binary<T, T, [](T x, T y) { return x < y ? y : x; }>);
  b(kFmin, binary<T, T, [](T x, T y) { return y < x ? y : x; }>);
  b(kHeaviside, binary<T, T, [](T x, T y) { return x == T(0) ? y : static_cast<T>(T(0) < x); }>);
  u(kSign, unary<T, T, [](T x, P) { return static_cast<T>((T(0) < x) - (x < T(0))); }>);
  u(kPowScalar, unary<T, T, [](T x, P p) { return power(x, T(p.i)); }>);
  u(kSquare, unary<T, T, [](T x, P) { return T(U(x) * U(x)); }>);
  u(kRelu, unary<T, T, [](T x, P) { return x < 0 ? T(0) : x; }>);
  u(kRelu6, unary<T, T, [](T x, P) { return x < 0 ? T(0) : (T(6) < x ? T(6) : x); }>);
  for (int op : {kFloor, kCeil, kRound, kTrunc, kConj, kReal})
    u(op, unary<T, T, [](T x, P) { return x; }>);
  // Factors lose their fraction, as the tensor's elements would.
  u(kScale, unary<T, T, [](T x, P p) { return T(U(x) * U(p.i) + U(p.j)); }>);
  u(kScaleFirst, unary<T, T, [](T x, P p) { return T((U(x) + U(p.j)) * U(p.i)); }>);
  u(kBitwiseNot, unary<T, T, [](T x, P) { return T(~x); }>);
  b(kBitwiseAnd, binary<T, T, [](T x, T y) { return T(x & y); }>);
  b(kBitwiseOr, binary<T, T, [](T x, T y) { return T(x | y); }>);
  b(kBitwiseXor, binary<T, T, [](T x, T y) { return T(x ^ y); }>);
  b(kReluGrad, binary<T, T, [](T o, T g) { return T(0) < o ? g : T(0); }>);
}

template <typename T>
void fill_float(LoopTables& t) {
  constexpr DType d = DTypeOf<T>::value;
  const auto flag = [&](int op, Inner fn) { t.unary[op][at(d)] = {fn, d, DType::kBool}; };
  for (int op : {kConj, kReal}) t.unary[op][at(d)] = {unary<T, T, [](T x, P) { return x; }>, d, d};
  flag(kIsNan, unary<bool, T, [](T x, P) { return x != x; }>);
  flag(kIsInf,
       unary<bool, T, [](T x, P) { return std::fabs(x) == std::numeric_limits<T>::infinity(); }>);
  flag(kIsFinite,
       unary<bool, T, [](T x, P) { return std::fabs(x) <= std::numeric_limits<T>::max(); }>);
}

void fill_complex(LoopTables& t) {
  using C = std::complex<double>;
  constexpr DType d = DType::kComplex128;
  const auto u = [&](int op, Inner fn) { t.unary[op][at(d)] = {fn, d, d}; };
  const auto b = [&](int op, Inner fn) { t.binary[op][at(d)] = {fn, d, d}; };
  b(kAdd, binary<C, C, [](C x, C y) { return x + y; }>);
  b(kSubtract, binary<C, C, [](C x, C y) { return x - y; }>);
  b(kMultiply, binary<C, C, [](C x, C y) { return x * y; }>);
  b(kDivide, binary<C, C, [](C x, C y) { return x / y; }>);
  b(kPow, binary<C, C, [](C x, C y) { return std::pow(x, y); }>);
  u(kExp, unary<C, C, [](C x, P) { return std::exp(x); }>);
  u(kExpm1, unary<C, C, [](C x, P) { return std::exp(x) - 1.0; }>);
  u(kLog, unary<C, C, [](C x, P) { return std::log(x); }>);
  u(kLog2, unary<C, C, [](C x, P) { return std::log(x) / std::log(2.0); }>);
  u(kLog10, unary<C, C, [](C x, P) { return std::log10(x); }>);
  u(kLog1p, unary<C, C, [](C x, P) { return std::log(1.0 + x); }>);
  u(kSqrt, unary<C, C, [](C x, P) { return std::sqrt(x); }>);
  u(kRsqrt, unary<C, C, [](C x, P) { return 1.0 / std::sqrt(x); }>);
  u(kSquare, unary<C, C, [](C x, P) { return x * x; }>);
  u(kReciprocal, unary<C, C, [](C x, P) { return 1.0 / x; }>);
  u(kNeg, unary<C, C, [](C x, P) { return -x; }>);
  u(kConj, unary<C, C, [](C x, P) { return std::conj(x); }>);
  u(kSign, unary<C, C, [](C x, P) { return x == 0.0 ? C(0) : x / std::abs(x); }>);
  u(kSin, unary<C, C, [](C x, P) { return std::sin(x); }>);
  u(kCos, unary<C, C, [](C x, P) { return std::cos(x); }>);
  u(kTan, unary<C, C, [](C x, P) { return std::tan(x); }>);
  u(kAsin, unary<C, C, [](C x, P) { return std::asin(x); }>);
  u(kAcos, unary<C, C, [](C x, P) { return std::acos(x); }>);
  u(kAtan, unary<C, C, [](C x, P) { return std::atan(x); }>);
  u(kSinh, unary<C, C, [](C x, P) { return std::sinh(x); }>);
  u(kCosh, unary<C, C, [](C x, P) { return std::cosh(x); }>);
  u(kTanh, unary<C, C, [](C x, P) { return std::tanh(x); }>);
  u(kSigmoid, unary<C, C, [](C x, P) { return 1.0 / (1.0 + std::exp(-x)); }>);
  u(kSilu, unary<C, C, [](C x, P) { return x / (1.0 + std::exp(-x)); }>);
  u(kLogSigmoid, unary<C, C, [](C x, P) { return -std::log(1.0 + std::exp(-x)); }>);
  u(kSoftplus, unary<C, C, [](C x, P p) {
      return p.b < p.a * x.real() ? x : std::log(1.0 + std::exp(p.a * x)) / p.a;
    }>);
  u(kSoftsign, unary<C, C, [](C x, P) { return x / (1.0 + std::abs(x)); }>);
  u(kStanh, unary<C, C, [](C x, P p) { return p.b * std::tanh(p.a * x); }>);
  // The bounds of the ramp are compared with the real part.
  u(kHardswish, unary<C, C, [](C x, P) {
      return x.real() < -3 ? C(0) : x.real() >= 3 ? x : x * (x + 3.0) / 6.0;
    }>);
  u(kRound, unary<C, C, [](C x, P p) {
      const double scale = std::pow(10.0, static_cast<double>(p.i));
      return C(std::nearbyint(x.real() * scale), std::nearbyint(x.imag() * scale)) / scale;
    }>);
  u(kScale, unary<C, C, [](C x, P p) { return x * p.z + p.w; }>);
  u(kScaleFirst, unary<C, C, [](C x, P p) { return (x + p.w) * p.z; }>);
  u(kPowScalar, unary<C, C, [](C x, P p) { return p.z == 2.0 ? x * x : std::pow(x, p.z); }>);
  t.unary[kAbs][at(d)] = {unary<double, C, [](C x, P) { return std::abs(x); }>, d, DType::kFloat64};
  t.unary[kReal][at(d)] = {unary<double, C, [](C x, P) { return x.real(); }>, d, DType::kFloat64};
  t.unary[kImag][at(d)] = {unary<double, C, [](C x, P) { return x.imag(); }>, d, DType::kFloat64};
  const auto flag = [&](int op, Inner fn) { t.unary[op][at(d)] = {fn, d, DType::kBool}; };
  flag(kIsNan, unary<bool, C, [](C x, P) { return x != x; }>);
  flag(kIsInf, unary<bool, C, [](C x, P) { return std::isinf(x.real()) || std::isinf(x.imag()); }>);
  flag(kIsFinite,
       unary<bool, C, [](C x, P) { return std::isfinite(x.real()) && std::isfinite(x.imag()); }>);
  t.binary[kEqual][at(d)] = {binary<bool, C, [](C x, C y) { return x == y; }>, d, DType::kBool};
  t.binary[kNotEqual][at(d)] = {binary<bool, C, [](C x, C y) { return x != y; }>, d, DType::kBool};
}

template <typename T>
void fill_compare(LoopTables& t) {
  constexpr DType d = DTypeOf<T>::value;
  const auto b = [&](int op, Inner fn) { t.binary[op][at(d)] = {fn, d, DType::kBool}; };
  b(kEqual, binary<bool, T, [](T x, T y) { return x == y; }>);
  b(kNotEqual, binary<bool, T, [](T x, T y) { return x != y; }>);
  b(kLess, binary<bool, T, [](T x, T y) { return x < y; }>);
  b(kLessEqual, binary<bool, T, [](T x, T y) { return x <= y; }>);
  b(kGreater, binary<bool, T, [](T x, T y) { return y < x; }>);
  b(kGreaterEqual, binary<bool, T, [](T x, T y) { return y <= x; }>);
}

// The bounds are read once: a byte that is written might be one of theirs.
void clip_bytes(int64_t n, void* out, const void* const* in, const int64_t* stride, P p) {
  const auto least = saturated<uint8_t>(p.i), most = saturated<uint8_t>(p.j);
  const void* bounded[] = {in[0], &least};
  const int64_t steps[] = {stride[0], 0};
  loop_tables.binary[kMaximum][at(DType::kUInt8)].fn(n, out, bounded, steps, p);
  const void* low[] = {out, &most};
  constexpr int64_t kDense[] = {1, 0};
  loop_tables.binary[kMinimum][at(DType::kUInt8)].fn(n, out, low, kDense, p);
}

// Images and truth values, a byte each: widening costs them more than the operation.
void fill_bytes(LoopTables& t) {
  using B = uint8_t;
  fill_arithmetic<B>(t);
  fill_compare<B>(t);
  constexpr DType d = DType::kUInt8, truth = DType::kBool;
  t.unary[kClip][at(d)] = {clip_bytes, d, d};
  t.unary[kScale][at(d)] = {
      unary<B, B, [](B x, P p) { return B(x * unsigned(p.i) + unsigned(p.j)); }>, d, d};
  t.unary[kAbs][at(d)] = {unary<B, B, [](B x, P) { return x; }>, d, d};
  t.unary[kNeg][at(d)] = {unary<B, B, [](B x, P) { return B(0u - x); }>, d, d};
  t.unary[kSign][at(d)] = {unary<B, B, [](B x, P) { return B(x != 0); }>, d, d};
  for (int op : {kEqual, kNotEqual}) {
    t.binary[op][at(truth)] = {t.binary[op][at(d)].fn, truth, truth};
  }
  const auto bits = [&](int op, Inner fn) {
    for (const DType a : {truth, d, DType::kInt8}) t.binary[op][at(a)] = {fn, a, a};
  };
  bits(kBitwiseAnd, binary<B, B, [](B x, B y) { return B(x & y); }>);
  bits(kBitwiseOr, binary<B, B, [](B x, B y) { return B(x | y); }>);
  bits(kBitwiseXor, binary<B, B, [](B x, B y) { return B(x ^ y); }>);
  t.unary[kBitwiseNot][at(d)] = {unary<B, B, [](B x, P) { return B(~x); }>, d, d};
  // Sums that wrap around are the same bits with and without a sign.
  constexpr DType s = DType::kInt8;
  for (int op : {kAdd, kSubtract, kMultiply}) t.binary[op][at(s)] = {t.binary[op][at(d)].fn, s, s};
  for (int op : {kEqual, kNotEqual}) t.binary[op][at(s)] = {t.binary[op][at(d)].fn, s, truth};
  for (int op : {kNeg, kBitwiseNot}) t.unary[op][at(s)] = {t.unary[op][at(d)].fn, s, s};
}

template <typename To, typename From>
To convert_one(From x) {
  constexpr bool from_complex =
      std::is_same_v<From, std::complex<float>> || std::is_same_v<From, std::complex<double>>;
  constexpr bool to_complex =
      std::is_same_v<To, std::complex<float>> || std::is_same_v<To, std::complex<double>>;
  if constexpr (from_complex && to_complex) {
    using R = typename To::value_type;
    return To(static_cast<R>(x.real()), static_cast<R>(x.imag()));
  } else if constexpr (from_complex) {
    if constexpr (std::is_same_v<To, bool>)
      return x != From(0);
    else
      return convert_one<To>(x.real());
  } else if constexpr (to_complex) {
    return To(static_cast<typename To::value_type>(x));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From(0.0f);
  } else if constexpr (std::is_arithmetic_v<To> && std::is_arithmetic_v<From>) {
    return static_cast<To>(x);
  } else if constexpr (std::is_arithmetic_v<To>) {
    return static_cast<To>(static_cast<float>(x));
  } else {
    return To(static_cast<float>(x));
  }
}

template <typename From, typename To>
void convert_general(int64_t n, void* dst, const void* src, int64_t stride) {
  To* o = static_cast<To*>(dst);
  const From* x = static_cast<const From*>(src);
  for (int64_t i = 0; i < n; ++i) o[i] = convert_one<To>(x[i * stride]);
}

template <typename T>
constexpr bool kHalf = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;
template <typename T>
constexpr bool kReal = !requires(T v) {
  v.real();
};

// 16-bit floats and the rest of the real numbers meet in float32, whose conversions are vectorised.
template <typename From, typename To>
void convert_in_two(int64_t n, void* dst, const void* src, int64_t stride) {
  constexpr int64_t kPart = 512;
  float part[kPart];
  for (int64_t i = 0; i < n; i += kPart) {
    const int64_t m = std::min(kPart, n - i);
    loop_tables.convert[at(DTypeOf<From>::value)][at(DType::kFloat32)](
        m, part, static_cast<const From*>(src) + i * stride, stride);
    loop_tables.convert[at(DType::kFloat32)][at(DTypeOf<To>::value)](m, static_cast<To*>(dst) + i,
                                                                     part, 1);
  }
}

template <typename From, typename To>
constexpr Convert conversion() {
  constexpr bool kSingle = std::is_same_v<From, float> || std::is_same_v<To, float>;
  if constexpr ((kHalf<From> || kHalf<To>)&&kReal<From> && kReal<To> && !kSingle &&
                !std::is_same_v<From, To>) {
    return convert_in_two<From, To>;
  } else {
    return convert_general<From, To>;
  }
}

template <typename From>
void fill_converts(LoopTables& t) {
#define PADDLE_SET(T, name) \
  t.convert[at(DTypeOf<From>::value)][at(DType::name)] = conversion<From, T>();
  PADDLE_FOR_ALL_DTYPES(PADDLE_SET)
#undef PADDLE_SET
}

// Dtypes without loops of their own compute in a wider one; results come back by conversion.
void delegate(LoopTables& t, DType d, DType wide) {
  for (auto& row : t.unary) {
    if (!row[at(d)].fn) row[at(d)] = row[at(wide)];
  }
  for (auto& row : t.binary) {
    if (!row[at(d)].fn) row[at(d)] = row[at(wide)];
  }
}

}  // namespace

void fill_general(LoopTables& t) {
  fill_float<float>(t);
  fill_float<double>(t);
  fill_integer<int32_t>(t);
  fill_integer<int64_t>(t);
  fill_complex(t);
  fill_compare<float>(t);
  fill_compare<double>(t);
  fill_compare<int32_t>(t);
  fill_compare<int64_t>(t);
  fill_bytes(t);
#define PADDLE_SET(T, name) fill_converts<T>(t);
  PADDLE_FOR_ALL_DTYPES(PADDLE_SET)
#undef PADDLE_SET
  // Truth values: every dtype is turned into bool first.
  for (int d = 1; d < kNumDTypes; ++d) {
    const DType b = DType::kBool;
    t.binary[kLogicalAnd][d] = {binary<bool, bool, [](bool x, bool y) { return x && y; }>, b, b};
    t.binary[kLogicalOr][d] = {binary<bool, bool, [](bool x, bool y) { return x || y; }>, b, b};
    t.binary[kLogicalXor][d] = {binary<bool, bool, [](bool x, bool y) { return x != y; }>, b, b};
    t.unary[kLogicalNot][d] = {unary<bool, bool, [](bool x, P) { return !x; }>, b, b};
  }
  t.unary[kBitwiseNot][at(DType::kBool)] = t.unary[kLogicalNot][at(DType::kBool)];
}

void finish_tables(LoopTables& t) {
  for (DType d : {DType::kBool, DType::kUInt8, DType::kInt8, DType::kInt16}) {
    delegate(t, d, DType::kInt32);
  }
  // Functions that have no integer form compute in float32, as their result is.
  for (DType d : {DType::kBool, DType::kUInt8, DType::kInt8, DType::kInt16, DType::kInt32,
                  DType::kInt64, DType::kFloat16, DType::kBFloat16}) {
    delegate(t, d, DType::kFloat32);
  }
  delegate(t, DType::kComplex64, DType::kComplex128);
}

}  // namespace paddle::cpu
