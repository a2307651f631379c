// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The inner loops that are worth an instruction set of their own. Included by one file per
// instruction set; everything is in an anonymous namespace, so that no code compiled for one
// processor is ever linked into another's path.
#pragma once

#include <immintrin.h>

#include <cstring>
#include <limits>

#include "phi_kernels/cpu/loops/loops.h"
#include "phi_kernels/functors/math.h"

namespace paddle::cpu {
namespace {

// Loops have one body where operands are dense: others are laid side by side first, a run at a
// time.
constexpr int64_t kRun = 256;

template <typename A>
__attribute__((noinline)) const A* gathered(const A* x, int64_t stride, int64_t n, A* part) {
  for (int64_t i = 0; i < n; ++i) part[i] = x[i * stride];
  return part;
}

template <typename R, typename A, auto F>
void unary(int64_t n, void* out, const void* const* in, const int64_t* stride, const Params& p) {
  const A* x = static_cast<const A*>(in[0]);
  const int64_t s = stride[0], run = s == 1 ? n : kRun;
  A part[kRun];
  for (int64_t begin = 0; begin < n; begin += run) {
    const int64_t m = run < n - begin ? run : n - begin;
    const A* from = s == 1 ? x : gathered(x + begin * s, s, m, part);
    R* o = static_cast<R*>(out) + begin;
#pragma GCC ivdep
    for (int64_t i = 0; i < m; ++i) o[i] = F(from[i], p);
  }
}

// Usual is right, and as Whole, where the bits of all arguments of a run, under Mask, are Count
// values from First on; it spares what zeros, infinities and subnormal numbers need.
template <auto Usual, auto Whole, uint32_t Mask, uint32_t First, uint32_t Count>
void by_range(int64_t n, void* out, const void* const* in, const int64_t* stride, const Params&) {
  const float* x = static_cast<const float*>(in[0]);
  const int64_t s = stride[0];
  float part[kRun];
  for (int64_t begin = 0; begin < n; begin += kRun) {
    const int64_t m = kRun < n - begin ? kRun : n - begin;
    const float* from = s == 1 ? x + begin : gathered(x + begin * s, s, m, part);
    float* o = static_cast<float*>(out) + begin;
    uint32_t most = 0;
    for (int64_t i = 0; i < m; ++i) {
      const uint32_t above = (std::bit_cast<uint32_t>(from[i]) & Mask) - First;
      most = most < above ? above : most;
    }
    if (most < Count) {
#pragma GCC ivdep
      for (int64_t i = 0; i < m; ++i) o[i] = Usual(from[i]);
    } else {
#pragma GCC ivdep
      for (int64_t i = 0; i < m; ++i) o[i] = Whole(from[i]);
    }
  }
}

// Cheap functions have bodies of their own for an operand that is one number.
template <typename R, typename A, auto F>
void binary(int64_t n, void* out, const void* const* in, const int64_t* stride, const Params&) {
  const A* x = static_cast<const A*>(in[0]);
  const A* y = static_cast<const A*>(in[1]);
  const int64_t s = stride[0], t = stride[1];
  const bool one_y = t == 0, one_x = s == 0 && !one_y;
  const int64_t run = (s == 1 || one_x) && (t == 1 || one_y) ? n : kRun;
  A parts[2][kRun];
  for (int64_t begin = 0; begin < n; begin += run) {
    const int64_t m = run < n - begin ? run : n - begin;
    const A* a = s == 1 || one_x ? x + begin * s : gathered(x + begin * s, s, m, parts[0]);
    const A* b = t == 1 || one_y ? y + begin * t : gathered(y + begin * t, t, m, parts[1]);
    R* o = static_cast<R*>(out) + begin;
    if (one_y) {
      const A v = *b;
#pragma GCC ivdep
      for (int64_t i = 0; i < m; ++i) o[i] = F(a[i], v);
    } else if (one_x) {
      const A v = *a;
#pragma GCC ivdep
      for (int64_t i = 0; i < m; ++i) o[i] = F(v, b[i]);
    } else {
#pragma GCC ivdep
      for (int64_t i = 0; i < m; ++i) o[i] = F(a[i], b[i]);
    }
  }
}

// Long functions, and those with parameters.
template <typename T, auto F>
void binary_with(int64_t n, void* out, const void* const* in, const int64_t* stride,
                 const Params& p) {
  const T* x = static_cast<const T*>(in[0]);
  const T* y = static_cast<const T*>(in[1]);
  const int64_t s = stride[0], t = stride[1], run = s == 1 && t == 1 ? n : kRun;
  T parts[2][kRun];
  for (int64_t begin = 0; begin < n; begin += run) {
    const int64_t m = run < n - begin ? run : n - begin;
    const T* a = s == 1 ? x + begin : gathered(x + begin * s, s, m, parts[0]);
    const T* b = t == 1 ? y + begin : gathered(y + begin * t, t, m, parts[1]);
    T* o = static_cast<T*>(out) + begin;
#pragma GCC ivdep
    for (int64_t i = 0; i < m; ++i) o[i] = F(a[i], b[i], p);
  }
}
template <typename T, auto F>
constexpr Inner binary_of = binary_with<T, [](T x, T y, const Params&) { return F(x, y); }>;

template <typename T>
void fill_arithmetic(LoopTables& t) {
  constexpr DType d = DTypeOf<T>::value;
  const auto set = [&](int op, Inner fn) { t.binary[op][static_cast<int>(d)] = {fn, d, d}; };
  // Integers wrap around: the sums are taken unsigned.
  using U =
      std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
  set(kAdd, binary<T, T, [](T x, T y) { return T(U(x) + U(y)); }>);
  set(kSubtract, binary<T, T, [](T x, T y) { return T(U(x) - U(y)); }>);
  set(kMultiply, binary<T, T, [](T x, T y) { return T(U(x) * U(y)); }>);
  set(kMaximum, binary<T, T, [](T x, T y) { return y < x || x != x ? x : y; }>);
  set(kMinimum, binary<T, T, [](T x, T y) { return x < y || x != x ? x : y; }>);
  if constexpr (std::is_floating_point_v<T>) {
    set(kDivide, binary<T, T, [](T x, T y) { return x / y; }>);
    set(kSiluGrad, binary_of<T, [](T x, T g) { return math::silu_grad(x, g); }>);
    set(kReluGrad, binary<T, T, [](T out, T g) { return T(0) < out ? g : T(0); }>);
  }
}

template <typename T>
inline T saturated(int64_t v) {
  constexpr int64_t least = int64_t(std::numeric_limits<T>::min()),
                    most = int64_t(std::numeric_limits<T>::max());
  return T(v < least ? least : (most < v ? most : v));
}

template <typename T>
void fill_unary_integer(LoopTables& t) {
  constexpr DType d = DTypeOf<T>::value;
  using U = std::make_unsigned_t<T>;
  using P = const Params&;
  const auto set = [&](int op, Inner fn) { t.unary[op][static_cast<int>(d)] = {fn, d, d}; };
  set(kAbs, unary<T, T, [](T x, P) { return x < 0 ? T(U(0) - U(x)) : x; }>);
  set(kNeg, unary<T, T, [](T x, P) { return T(U(0) - U(x)); }>);
  set(kClip, unary<T, T, [](T x, P p) {
        const T least = saturated<T>(p.i), most = saturated<T>(p.j);
        const T low = x < least ? least : x;
        return most < low ? most : low;
      }>);
}

// The sign of a 16-bit float is its top bit.
[[maybe_unused]] void fill_half_signs(LoopTables& t) {
  using B = uint16_t;
  using P = const Params&;
  for (const DType d : {DType::kFloat16, DType::kBFloat16}) {
    const auto set = [&](int op, Inner fn) { t.unary[op][static_cast<int>(d)] = {fn, d, d}; };
    set(kNeg, unary<B, B, [](B x, P) { return B(x ^ 0x8000); }>);
    set(kAbs, unary<B, B, [](B x, P) { return B(x & 0x7FFF); }>);
  }
}

// Two 16-bit operands are widened in registers; what takes longer per element goes through blocks
// of float32 (finish_tables).
void fill_bfloat16(LoopTables& t) {
  constexpr DType d = DType::kBFloat16;
  using B = bfloat16;
  const auto set = [&](int op, Inner fn) { t.binary[op][static_cast<int>(d)] = {fn, d, d}; };
  set(kAdd, binary<B, B, [](B x, B y) { return B(float(x) + float(y)); }>);
  set(kSubtract, binary<B, B, [](B x, B y) { return B(float(x) - float(y)); }>);
  set(kMultiply, binary<B, B, [](B x, B y) { return B(float(x) * float(y)); }>);
  set(kDivide, binary<B, B, [](B x, B y) { return B(float(x) / float(y)); }>);
}

template <typename T>
void fill_unary_float(LoopTables& t) {
  constexpr DType d = DTypeOf<T>::value;
  const auto set = [&](int op, Inner fn) { t.unary[op][static_cast<int>(d)] = {fn, d, d}; };
  using P = const Params&;
  if constexpr (sizeof(T) == 4) {
    constexpr uint32_t kSize = 0x7FFFFFFF, kMost = std::bit_cast<uint32_t>(87.0f);
    set(kExp, by_range<[](float x) { return math::exp_below_87(x); },
                       [](float x) { return math::exp(x); }, kSize, 0, kMost>);
  } else {
    set(kExp, unary<T, T, [](T x, P) { return math::exp(x); }>);
  }
  set(kExpm1, unary<T, T, [](T x, P) { return math::expm1(x); }>);
  set(kSqrt, unary<T, T, [](T x, P) { return std::sqrt(x); }>);
  set(kRsqrt, unary<T, T, [](T x, P) { return T(1) / std::sqrt(x); }>);
  set(kSquare, unary<T, T, [](T x, P) { return x * x; }>);
  set(kReciprocal, unary<T, T, [](T x, P) { return T(1) / x; }>);
  set(kAbs, unary<T, T, [](T x, P) { return std::fabs(x); }>);
  set(kNeg, unary<T, T, [](T x, P) { return -x; }>);
  set(kTanh, unary<T, T, [](T x, P) { return math::tanh(x); }>);
  set(kErf, unary<T, T, [](T x, P) { return math::erf(x); }>);
  set(kSigmoid, unary<T, T, [](T x, P) { return math::sigmoid(x); }>);
  set(kRelu, unary<T, T, [](T x, P) { return x < T(0) ? T(0) : x; }>);
  set(kSilu, unary<T, T, [](T x, P) { return math::silu(x); }>);
  set(kGelu, unary<T, T, [](T x, P) { return math::gelu_erf(x); }>);
  set(kGeluTanh, unary<T, T, [](T x, P) { return math::gelu_tanh(x); }>);
  set(kLeakyRelu, unary<T, T, [](T x, P p) {
        const T low = x * T(p.a);
        return T(0) < x ? x : low;
      }>);
  set(kScale, unary<T, T, [](T x, P p) { return x * T(p.a) + T(p.b); }>);
  set(kScaleFirst, unary<T, T, [](T x, P p) { return (x + T(p.b)) * T(p.a); }>);
  set(kNanToNum, unary<T, T, [](T x, P p) {
        constexpr T kMost = std::numeric_limits<T>::max();
        const T none = T(p.a), highest = T(p.b), lowest = T(p.c);  // read in any case: no branches
        const T high = kMost < x ? highest : x, low = x < -kMost ? lowest : high;
        return x == x ? low : none;
      }>);
  set(kClip, unary<T, T, [](T x, P p) {
        const T low = x < T(p.a) ? T(p.a) : x;
        return T(p.b) < low ? T(p.b) : low;
      }>);
}

// An infinite leg outweighs one that is NaN.
inline float hypotenuse(float x, float y) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const double a = static_cast<double>(x), b = static_cast<double>(y);
  const float length = static_cast<float>(std::sqrt(a * a + b * b));
  return std::fabs(x) == kInf || std::fabs(y) == kInf ? kInf : length;
}
// The square of the quotient neither overflows nor vanishes against 1.
inline double hypotenuse(double x, double y) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double a = std::fabs(x), b = std::fabs(y);
  const double high = a < b ? b : a, low = a < b ? a : b, r = low / high;
  const double inside = high == 0.0 ? low : high * std::sqrt(1.0 + r * r);
  return a == kInf || b == kInf ? kInf : inside;
}

template <typename T>
T between(T x, T low, T high) {
  return x < low ? low : (high < x ? high : x);
}

template <typename T>
void fill_activation(LoopTables& t) {
  constexpr DType d = DTypeOf<T>::value;
  const auto set = [&](int op, Inner fn) { t.unary[op][static_cast<int>(d)] = {fn, d, d}; };
  using P = const Params&;
  set(kLogSigmoid, unary<T, T, [](T x, P) { return math::log_sigmoid(x); }>);
  set(kSoftplus, unary<T, T, [](T x, P p) { return math::softplus(x, T(p.a), T(p.b)); }>);
  set(kMish, unary<T, T, [](T x, P) { return x * math::tanh_softplus(x); }>);
  set(kTanhShrink, unary<T, T, [](T x, P) { return x - math::tanh(x); }>);
  set(kRelu6, unary<T, T, [](T x, P) { return between(x, T(0), T(6)); }>);
  set(kElu, unary<T, T, [](T x, P p) {
        const T low = T(p.a) * math::expm1(x);
        return T(0) < x ? x : low;
      }>);
  set(kCelu, unary<T, T, [](T x, P p) {
        const T low = T(p.a) * math::expm1(x / T(p.a));
        return T(0) < x ? x : low;
      }>);
  set(kSelu, unary<T, T, [](T x, P p) {
        const T low = T(p.b) * math::expm1(x);
        return T(p.a) * (T(0) < x ? x : low);
      }>);
  set(kSoftsign, unary<T, T, [](T x, P) { return x / (T(1) + std::fabs(x)); }>);
  set(kStanh, unary<T, T, [](T x, P p) { return T(p.b) * math::tanh(T(p.a) * x); }>);
  set(kHardswish,
      unary<T, T, [](T x, P) { return x * between(x + T(3), T(0), T(6)) * T(1.0 / 6); }>);
  set(kHardsigmoid, unary<T, T, [](T x, P p) { return between(x * T(p.a) + T(p.b), T(0), T(1)); }>);
  set(kHardshrink, unary<T, T, [](T x, P p) { return std::fabs(x) < T(p.a) ? T(0) : x; }>);
  set(kSoftshrink, unary<T, T, [](T x, P p) {
        const T rest = x - std::copysign(T(p.a), x);
        return std::fabs(x) <= T(p.a) ? T(0) : rest;
      }>);
  set(kThresholdedRelu, unary<T, T, [](T x, P p) {
        const T low = T(p.b);
        return T(p.a) < x ? x : low;
      }>);
}

// Functions of (what the gradient reads, gradient of the result).
template <typename T>
void fill_activation_grad(LoopTables& t) {
  constexpr DType d = DTypeOf<T>::value;
  const auto set = [&](int op, Inner fn) { t.binary[op][static_cast<int>(d)] = {fn, d, d}; };
  using P = const Params&;
  set(kSigmoidGrad, binary<T, T, [](T y, T g) { return g * y * (T(1) - y); }>);
  set(kTanhGrad, binary<T, T, [](T y, T g) { return g * (T(1) - y * y); }>);
  set(kGeluGrad, binary_of<T, [](T x, T g) { return math::gelu_erf_grad(x, g); }>);
  set(kGeluTanhGrad, binary_of<T, [](T x, T g) { return math::gelu_tanh_grad(x, g); }>);
  set(kLeakyReluGrad, binary_with<T, [](T x, T g, P p) {
        const T low = g * T(p.a);
        return x < T(0) ? low : g;
      }>);
  set(kEluGrad, binary_with<T, [](T x, T g, P p) {
        const T low = g * T(p.a) * math::exp(T(0) < x ? T(0) : x);  // NaN stays one
        return T(0) < x ? g : low;
      }>);
  set(kCeluGrad, binary_with<T, [](T x, T g, P p) {
        const T low = g * math::exp((T(0) < x ? T(0) : x) / T(p.a));
        return T(0) < x ? g : low;
      }>);
  set(kSeluGrad, binary_with<T, [](T x, T g, P p) {
        const T high = g * T(p.a), low = high * T(p.b) * math::exp(T(0) < x ? T(0) : x);
        return T(0) < x ? high : low;
      }>);
  set(kHardtanhGrad, binary_with<T, [](T x, T g, P p) {
        const T upper = x < T(p.b) ? g : T(0);
        return T(p.a) < x ? upper : T(0);
      }>);
  set(kHardshrinkGrad,
      binary_with<T, [](T x, T g, P p) { return T(p.a) <= std::fabs(x) ? g : T(0); }>);
  set(kSoftshrinkGrad,
      binary_with<T, [](T x, T g, P p) { return T(p.a) < std::fabs(x) ? g : T(0); }>);
  set(kThresholdedReluGrad, binary_with<T, [](T x, T g, P p) { return T(p.a) < x ? g : T(0); }>);
  set(kPrelu, binary<T, T, [](T x, T slope) {  // of (x, slope)
        const T low = x * slope;
        return T(0) < x ? x : low;
      }>);
  // Of (input, label).
  set(kHuberLoss, binary_with<T, [](T x, T y, P p) {
        const T r = std::fabs(y - x), m = r < T(p.a) ? r : T(p.a);
        return m * (r - T(0.5) * m);
      }>);
  set(kHardswishGrad, binary<T, T, [](T x, T g) {
        const T inner = g * (x * T(1.0 / 3) + T(0.5));
        return T(3) <= x ? g : (T(-3) < x ? inner : T(0));
      }>);
  set(kMishGrad, binary_of<T, [](T x, T g) { return math::mish_grad(x, g); }>);
  set(kSoftplusGrad, binary_with<T, [](T x, T g, P p) {
        const T s = g * math::sigmoid(x * T(p.a));
        return T(p.b) < x * T(p.a) ? g : s;
      }>);
  set(kLogisticLoss, binary_of<T, [](T x, T y) {
        const T above = x < T(0) ? T(0) : x;
        return above - x * y - math::log_sigmoid(std::fabs(x));
      }>);
  set(kLogAddExp, binary_of<T, [](T x, T y) {
        const T apart = x == y ? T(0) : std::fabs(x - y), top = x < y ? y : x;
        const T sum = top + math::log1p_unit(math::exp(-apart));
        return std::fabs(top) == std::numeric_limits<T>::infinity() ? top : sum;
      }>);
  set(kSwiglu, binary_of<T, [](T x, T y) { return math::silu(x) * y; }>);
  set(kGlu, binary_of<T, [](T x, T y) { return x * math::sigmoid(y); }>);
  set(kHypot, binary_of<T, [](T x, T y) { return hypotenuse(x, y); }>);
  set(kRelu6Grad, binary<T, T, [](T y, T g) {
        const T upper = y < T(6) ? g : T(0);
        return T(0) < y ? upper : T(0);
      }>);
  set(kHardsigmoidGrad, binary_with<T, [](T y, T g, P p) {
        const T slope = g * T(p.a), upper = y < T(1) ? slope : T(0);
        return T(0) < y ? upper : T(0);
      }>);
}

template <typename From, typename To>
void convert_plain(int64_t n, void* dst, const void* src, int64_t stride) {
  To* o = static_cast<To*>(dst);
  const From* x = static_cast<const From*>(src);
  if (stride == 1) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) o[i] = static_cast<To>(x[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) o[i] = static_cast<To>(x[i * stride]);
  }
}

void half_to_float(int64_t n, void* dst, const void* src, int64_t stride) {
  float* o = static_cast<float*>(dst);
  const uint16_t* x = static_cast<const uint16_t*>(src);
  int64_t i = 0;
  if (stride == 1) {
#ifdef __AVX512F__
    for (; i + 16 <= n; i += 16) {
      const __m256i h = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i));
      _mm512_storeu_ps(o + i, _mm512_maskz_cvtph_ps(0xFFFF, h));
    }
#endif
    for (; i + 8 <= n; i += 8) {
      const __m128i h = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i));
      _mm256_storeu_ps(o + i, _mm256_cvtph_ps(h));
    }
  }
  for (; i < n; ++i) o[i] = _cvtsh_ss(x[i * stride]);
}

void float_to_half(int64_t n, void* dst, const void* src, int64_t stride) {
  uint16_t* o = static_cast<uint16_t*>(dst);
  const float* x = static_cast<const float*>(src);
  int64_t i = 0;
  if (stride == 1) {
#ifdef __AVX512F__
    for (; i + 16 <= n; i += 16) {
      const __m256i h =
          _mm512_maskz_cvtps_ph(0xFFFF, _mm512_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(o + i), h);
    }
#endif
    for (; i + 8 <= n; i += 8) {
      const __m128i h = _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(o + i), h);
    }
  }
  for (; i < n; ++i) o[i] = _cvtss_sh(x[i * stride], _MM_FROUND_TO_NEAREST_INT);
}

void stream_copy(void* dst, const void* src, int64_t bytes) {
  char* d = static_cast<char*>(dst);
  const char* s = static_cast<const char*>(src);
  int64_t i = 0;
#ifdef __AVX512F__
  for (; i + 64 <= bytes; i += 64) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(d + i), _mm512_loadu_si512(s + i));
  }
#else
  for (; i + 32 <= bytes; i += 32) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(d + i),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(s + i)));
  }
#endif
  if (i < bytes) std::memcpy(d + i, s + i, static_cast<size_t>(bytes - i));
}

template <typename From, typename To>
void set_convert(LoopTables& t) {
  t.convert[static_cast<int>(DTypeOf<From>::value)][static_cast<int>(DTypeOf<To>::value)] =
      convert_plain<From, To>;
}

[[maybe_unused]] void fill_fast(LoopTables& t) {
  fill_arithmetic<float>(t);
  fill_arithmetic<double>(t);
  fill_arithmetic<int32_t>(t);
  fill_arithmetic<int64_t>(t);
  fill_unary_integer<int32_t>(t);
  fill_unary_integer<int64_t>(t);
  fill_half_signs(t);
  fill_bfloat16(t);
  fill_unary_float<float>(t);
  fill_unary_float<double>(t);
  fill_activation<float>(t);
  fill_activation<double>(t);
  fill_activation_grad<float>(t);
  fill_activation_grad<double>(t);
  set_convert<float, double>(t);
  set_convert<double, float>(t);
  set_convert<float, int32_t>(t);
  set_convert<int32_t, float>(t);
  set_convert<int64_t, float>(t);
  set_convert<float, int64_t>(t);
  set_convert<int64_t, int32_t>(t);
  set_convert<int32_t, int64_t>(t);
  set_convert<uint8_t, float>(t);
  set_convert<uint8_t, int32_t>(t);
  set_convert<int32_t, uint8_t>(t);
  set_convert<int8_t, int32_t>(t);
  set_convert<int32_t, int8_t>(t);
  set_convert<int16_t, int32_t>(t);
  set_convert<int32_t, int16_t>(t);
  t.convert[static_cast<int>(DType::kBool)][static_cast<int>(DType::kFloat32)] =
      convert_plain<uint8_t, float>;
  set_convert<bfloat16, float>(t);
  set_convert<float, bfloat16>(t);
  t.convert[static_cast<int>(DType::kFloat16)][static_cast<int>(DType::kFloat32)] = half_to_float;
  t.convert[static_cast<int>(DType::kFloat32)][static_cast<int>(DType::kFloat16)] = float_to_half;
  t.stream_copy = stream_copy;
}

}  // namespace
}  // namespace paddle::cpu
