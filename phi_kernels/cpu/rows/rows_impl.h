// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The bodies of RowKernels, included once per instruction set by rows.cc, rows_avx2.cc and
// rows_avx512.cc. Everything is in an anonymous namespace, so that no copy compiled for a newer
// machine can be chosen by the linker for an older one. No header with inline functions of external
// linkage that are used here may be included.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <utility>

#include "phi_kernels/cpu/rows/rows.h"
#include "phi_kernels/functors/log.h"

namespace paddle::cpu {
namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

using VecF __attribute__((vector_size(kVectorBytes))) = float;
using VecD __attribute__((vector_size(kVectorBytes))) = double;
using VecI __attribute__((vector_size(kVectorBytes))) = int32_t;
using VecL __attribute__((vector_size(kVectorBytes))) = int64_t;

template <typename A>
struct Lane;
template <>
struct Lane<float> {
  using Vec = VecF;
  using Int = VecI;
};
template <>
struct Lane<double> {
  using Vec = VecD;
  using Int = VecL;
};
template <typename A>
using V = typename Lane<A>::Vec;
template <typename A>
constexpr int64_t kLanes = kVectorBytes / static_cast<int64_t>(sizeof(A));

template <typename A>
inline V<A> load(const A* p) {
  V<A> v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
template <typename A>
inline void store(A* p, V<A> v) {
  __builtin_memcpy(p, &v, sizeof(v));
}
template <int kBy, typename Vector, int... kLane>
inline Vector turned(Vector v, std::integer_sequence<int, kLane...>) {
  using Places = decltype(v != v);
  return Vector(__builtin_shuffle(v, Places{(kLane + kBy) % int(sizeof...(kLane))...}));
}
// The lanes joined into the first: halves, quarters and so on.
template <int kHalf, typename Vector, typename Join>
inline Vector folded(Vector v, Join join) {
  v = join(v, turned<kHalf>(v, std::make_integer_sequence<int, sizeof(v) / sizeof(v[0])>()));
  if constexpr (kHalf > 1) return folded<kHalf / 2>(v, join);
  return v;
}
template <typename A>
inline A reduce(V<A> v) {
  return folded<kLanes<A> / 2>(v, [](V<A> x, V<A> y) { return x + y; })[0];
}

// exp by 2^k * e^r with |r| <= ln2 / 2: the Taylor polynomial of degree 7 (float) or 13 (double)
// of e^r is exact to about one unit in the last place there; 2^k is applied in two factors so that
// results below the normal range underflow gradually. What is 0 anyway, hidden scores above all,
// does not go through products: results that underflow take the processor a hundred times as long.
inline VecF exp_rest(VecF r) {
  VecF p = r * 1.9841270e-4f + 1.3888889e-3f;
  p = p * r + 8.3333333e-3f;
  p = p * r + 4.1666667e-2f;
  p = p * r + 1.6666667e-1f;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  return p * r + 1.0f;
}
#if defined(__AVX512F__)
inline VecF exp_vector(VecF x) {
  constexpr __mmask16 kAll = 0xFFFF;  // the forms without a mask read what was never written
  const __mmask16 some = _mm512_cmp_ps_mask(x, _mm512_set1_ps(-104.0f), _CMP_NLT_UQ);
  const VecF top = VecF{} + 104.0f, clamped = VecF(_mm512_maskz_min_ps(kAll, top, x));  // NaN stays
  const VecF k =
      VecF(_mm512_maskz_roundscale_ps(kAll, clamped * 1.44269504088896341f, _MM_FROUND_NO_EXC));
  VecF r = clamped - k * 0.693359375f;
  r = r + k * 2.12194440e-4f;
  return VecF(_mm512_maskz_scalef_ps(some, exp_rest(r), k));
}
#else
inline VecF exp_vector(VecF x) {
  const VecF zero{}, low = zero - 104.0f, high = zero + 89.0f;
  const VecF clamped = x < low ? zero : (x > high ? high : x);
  const VecI k = __builtin_convertvector(
      clamped * 1.44269504088896341f + (clamped < 0.0f ? zero - 0.5f : zero + 0.5f), VecI);
  const VecF kf = __builtin_convertvector(k, VecF);
  VecF r = clamped - kf * 0.693359375f;
  r = r + kf * 2.12194440e-4f;
  const VecF p = exp_rest(r);
  const VecI half = k >> 1;
  const VecI first = (half + 127) << 23, second = (k - half + 127) << 23;
  VecF f, s;
  __builtin_memcpy(&f, &first, sizeof(f));
  __builtin_memcpy(&s, &second, sizeof(s));
  const VecF result = x < low ? zero : p * f * s;
  return x == x ? result : x;
}
#endif

inline VecD exp_vector(VecD x) {
  const VecD zero{}, low = zero - 746.0, high = zero + 710.0;
  const VecD clamped = x < low ? zero : (x > high ? high : x);
  const VecL k = __builtin_convertvector(
      clamped * 1.4426950408889634 + (clamped < 0.0 ? zero - 0.5 : zero + 0.5), VecL);
  const VecD kf = __builtin_convertvector(k, VecD);
  VecD r = clamped - kf * 6.93147180369123816490e-01;
  r = r - kf * 1.90821492927058770002e-10;
  double factorial = 6227020800.0;  // 13!
  VecD p = zero + 1.0 / factorial;
  for (int i = 13; i >= 1; --i) {
    factorial /= i;
    p = p * r + 1.0 / factorial;
  }
  const VecL half = k >> 1;
  const VecL first = (half + 1023) << 52, second = (k - half + 1023) << 52;
  VecD f, s;
  __builtin_memcpy(&f, &first, sizeof(f));
  __builtin_memcpy(&s, &second, sizeof(s));
  const VecD result = x < low ? zero : p * f * s;
  return x == x ? result : x;
}

inline VecF sqrt_vector(VecF x) {
  for (int64_t i = 0; i < kLanes<float>; ++i) x[i] = __builtin_sqrtf(x[i]);
  return x;
}
inline VecD sqrt_vector(VecD x) {
  for (int64_t i = 0; i < kLanes<double>; ++i) x[i] = __builtin_sqrt(x[i]);
  return x;
}

// All ones in the first n lanes.
template <typename A>
inline typename Lane<A>::Int first_lanes(int64_t n) {
  typename Lane<A>::Int lane;
  for (int64_t i = 0; i < kLanes<A>; ++i) lane[i] = static_cast<decltype(lane[0] + 0)>(i);
  return lane < static_cast<decltype(lane[0] + 0)>(n);
}

// The last n % lanes elements, padded.
template <typename A>
inline V<A> load_tail(const A* p, int64_t n, A fill) {
  V<A> v = V<A>{} + fill;
#if defined(__AVX512F__)
  const auto mask = (1u << n) - 1;
  if constexpr (sizeof(A) == 4) return V<A>(_mm512_mask_loadu_ps(__m512(v), __mmask16(mask), p));
  if constexpr (sizeof(A) == 8) return V<A>(_mm512_mask_loadu_pd(__m512d(v), __mmask8(mask), p));
#elif defined(__AVX2__)
  const auto mask = first_lanes<A>(n);
  if constexpr (sizeof(A) == 4) return mask ? V<A>(_mm256_maskload_ps(p, __m256i(mask))) : v;
  if constexpr (sizeof(A) == 8) return mask ? V<A>(_mm256_maskload_pd(p, __m256i(mask))) : v;
#endif
  for (int64_t i = 0; i < n; ++i) v[i] = p[i];
  return v;
}
template <typename A>
inline void store_tail(A* p, V<A> v, int64_t n) {
#if defined(__AVX512F__)
  const auto mask = (1u << n) - 1;
  if constexpr (sizeof(A) == 4) return _mm512_mask_storeu_ps(p, __mmask16(mask), __m512(v));
  if constexpr (sizeof(A) == 8) return _mm512_mask_storeu_pd(p, __mmask8(mask), __m512d(v));
#elif defined(__AVX2__)
  const __m256i mask = __m256i(first_lanes<A>(n));
  if constexpr (sizeof(A) == 4) return _mm256_maskstore_ps(p, mask, __m256(v));
  if constexpr (sizeof(A) == 8) return _mm256_maskstore_pd(p, mask, __m256d(v));
#endif
  for (int64_t i = 0; i < n; ++i) p[i] = v[i];
}

// Sum of f(i, load) over the row with four accumulators; f gets a loader for its operands.
template <typename A, typename F>
inline A sum_row(int64_t n, F f) {
  constexpr int64_t L = kLanes<A>;
  V<A> s0{}, s1{}, s2{}, s3{};
  int64_t i = 0;
  const auto whole = [](const A* p) { return load<A>(p); };
  for (; i + 4 * L <= n; i += 4 * L) {
    s0 += f(i, whole);
    s1 += f(i + L, whole);
    s2 += f(i + 2 * L, whole);
    s3 += f(i + 3 * L, whole);
  }
  for (; i + L <= n; i += L) s0 += f(i, whole);
  if (i < n) {
    const int64_t rest = n - i;
    const V<A> last = f(i, [rest](const A* p) { return load_tail<A>(p, rest, 0); });
    s1 += first_lanes<A>(rest) ? last : V<A>{};
  }
  return reduce<A>((s0 + s1) + (s2 + s3));
}

// f(i, load, store) for each vector of the row.
template <typename A, typename F>
inline void each_row(int64_t n, F f) {
  constexpr int64_t L = kLanes<A>;
  int64_t i = 0;
  for (; i + L <= n; i += L) {
    f(
        i, [](const A* p) { return load<A>(p); }, [](A* p, V<A> v) { store<A>(p, v); });
  }
  if (i < n) {
    const int64_t rest = n - i;
    f(
        i, [rest](const A* p) { return load_tail<A>(p, rest, 0); },
        [rest](A* p, V<A> v) { store_tail<A>(p, v, rest); });
  }
}

template <typename A>
A row_max(const A* x, int64_t n) {
  constexpr int64_t L = kLanes<A>;
  constexpr A kLowest = -static_cast<A>(__builtin_inf());
  V<A> m = V<A>{} + kLowest;
  typename Lane<A>::Int bad{};
  const auto take = [&](V<A> v) {
    m = v > m ? v : m;
    bad |= (v != v);
  };
  int64_t i = 0;
  for (; i + L <= n; i += L) take(load<A>(x + i));
  if (i < n) take(load_tail<A>(x + i, n - i, kLowest));
  m = folded<L / 2>(m, [](V<A> x, V<A> y) { return y > x ? y : x; });
  bad = folded<L / 2>(bad, [](auto x, auto y) { return x | y; });
  return bad[0] ? static_cast<A>(__builtin_nan("")) : m[0];
}

template <typename A>
A row_sum(const A* x, int64_t n) {
  return sum_row<A>(n, [&](int64_t i, auto ld) { return ld(x + i); });
}
template <typename A>
A row_dot(const A* x, const A* y, int64_t n) {
  return sum_row<A>(n, [&](int64_t i, auto ld) { return ld(x + i) * ld(y + i); });
}
template <typename A>
A row_dot3(const A* x, const A* y, const A* z, int64_t n) {
  return sum_row<A>(n, [&](int64_t i, auto ld) { return ld(x + i) * ld(y + i) * ld(z + i); });
}
template <typename A>
A row_square_sum(const A* x, A center, int64_t n) {
  return sum_row<A>(n, [&](int64_t i, auto ld) {
    const V<A> d = ld(x + i) - center;
    return d * d;
  });
}

template <typename A>
A row_exp_shift(const A* x, A shift, A* out, int64_t n) {
  constexpr int64_t L = kLanes<A>;
  V<A> s0{}, s1{};
  int64_t i = 0;
  for (; i + 2 * L <= n; i += 2 * L) {
    const V<A> e0 = exp_vector(load<A>(x + i) - shift), e1 = exp_vector(load<A>(x + i + L) - shift);
    if (out) {
      store<A>(out + i, e0);
      store<A>(out + i + L, e1);
    }
    s0 += e0;
    s1 += e1;
  }
  for (; i + L <= n; i += L) {
    const V<A> e = exp_vector(load<A>(x + i) - shift);
    if (out) store<A>(out + i, e);
    s0 += e;
  }
  if (i < n) {
    const V<A> e = exp_vector(load_tail<A>(x + i, n - i, 0) - shift);
    if (out) store_tail<A>(out + i, e, n - i);
    s1 += first_lanes<A>(n - i) ? e : V<A>{};
  }
  return reduce<A>(s0 + s1);
}

template <typename A>
void row_scale(const A* x, A factor, A* out, int64_t n) {
  each_row<A>(n, [&](int64_t i, auto ld, auto st) { st(out + i, ld(x + i) * factor); });
}
template <typename A>
void row_shift(const A* x, A offset, A* out, int64_t n) {
  each_row<A>(n, [&](int64_t i, auto ld, auto st) { st(out + i, ld(x + i) + offset); });
}
template <typename A>
void row_axpy(A factor, const A* x, A* y, int64_t n) {
  each_row<A>(n, [&](int64_t i, auto ld, auto st) { st(y + i, ld(y + i) + ld(x + i) * factor); });
}
template <typename A>
void row_multiply_add(A factor, const A* x, const A* z, A* y, int64_t n) {
  each_row<A>(n, [&](int64_t i, auto ld, auto st) {
    st(y + i, ld(y + i) + ld(x + i) * factor * ld(z + i));
  });
}
template <typename A>
void row_affine(const A* x, A center, A factor, const A* w, const A* b, A* out, int64_t n) {
  each_row<A>(n, [&](int64_t i, auto ld, auto st) {
    V<A> v = (ld(x + i) - center) * factor;
    if (w) v = v * ld(w + i);
    if (b) v = v + ld(b + i);
    st(out + i, v);
  });
}
template <typename A>
void row_softmax_grad(const A* y, const A* g, A d, A* out, int64_t n) {
  each_row<A>(n, [&](int64_t i, auto ld, auto st) { st(out + i, ld(y + i) * (ld(g + i) - d)); });
}

// The scratch keeps the lanes together: elements `step` apart may share one set of a cache.
template <typename A>
void softmax_columns(bool log, const A* x, int64_t n, int64_t step, A* scratch, A* sums, A* out) {
  constexpr int64_t L = kLanes<A>;
  V<A> top = load<A>(x), total{};
  for (int64_t j = 0; j < n; ++j) {
    const V<A> v = load<A>(x + j * step);
    store<A>(scratch + j * L, v);
    top = v > top ? v : top;
  }
  for (int64_t j = 0; j < n; ++j) {
    const V<A> d = load<A>(scratch + j * L) - top, e = exp_vector(d);
    store<A>(scratch + j * L, log ? d : e);
    total += e;
  }
  V<A> last = (V<A>{} + 1) / total;
  if (log || sums) {
    A lanes[L];
    __builtin_memcpy(lanes, &total, sizeof(total));
    for (int64_t i = 0; i < L; ++i) lanes[i] = static_cast<A>(math::log(lanes[i]));
    if (sums) {
      store<A>(sums, top);
      store<A>(sums + L, load<A>(lanes));
    }
    if (log) last = load<A>(lanes);
  }
  for (int64_t j = 0; j < n; ++j) {
    const V<A> v = load<A>(scratch + j * L);
    store<A>(out + j * step, log ? v - last : v * last);
  }
}
template <typename A>
void softmax_grad_columns(bool log, const A* y, const A* g, int64_t n, int64_t step, A* out) {
  V<A> total{};
  for (int64_t j = 0; j < n; ++j) {
    const V<A> v = load<A>(g + j * step);
    total += log ? v : v * load<A>(y + j * step);
  }
  for (int64_t j = 0; j < n; ++j) {
    const V<A> v = load<A>(g + j * step), w = load<A>(y + j * step);
    store<A>(out + j * step, log ? v - exp_vector(w) * total : w * (v - total));
  }
}

template <typename A>
void row_norm_grad(const A* x, const A* g, const A* w, A alpha, A beta, A gamma, A* out,
                   int64_t n) {
  each_row<A>(n, [&](int64_t i, auto ld, auto st) {
    V<A> h = ld(g + i);
    if (w) h = h * ld(w + i);
    st(out + i, h * alpha + ld(x + i) * beta + gamma);
  });
}
template <typename A>
void row_norm_weight_grad(const A* x, const A* g, A center, A factor, A* dw, A* db, int64_t n) {
  each_row<A>(n, [&](int64_t i, auto ld, auto st) {
    const V<A> h = ld(g + i);
    if (dw) st(dw + i, ld(dw + i) + h * ((ld(x + i) - center) * factor));
    if (db) st(db + i, ld(db + i) + h);
  });
}
template <typename A>
void row_swiglu_grad(const A* x, const A* y, const A* g, A* dx, A* dy, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    dx[i] = math::silu_grad(x[i], g[i] * y[i]);
    dy[i] = g[i] * math::silu(x[i]);
  }
}
// A product that is rounded before it is added, as an operator of its own rounds it.
template <typename A>
V<A> rounded_product(V<A> a, V<A> b) {
  V<A> product = a * b;
  asm("" : "+v"(product));  // else it is contracted with the sum
  return product;
}
template <typename A>
void row_rotate(const A* x, const A* cos, const A* sin, bool inverse, A* out, int64_t half,
                int64_t count) {
  const A *sin0 = inverse ? sin + half : sin, *sin1 = inverse ? sin : sin + half;
  const A sign = inverse ? A(-1) : A(1);
  for (int64_t r = 0; r < count; ++r, x += 2 * half, out += 2 * half) {
    each_row<A>(half, [&](int64_t i, auto ld, auto st) {
      const V<A> a = ld(x + i), b = ld(x + half + i);
      st(out + i, rounded_product<A>(a, ld(cos + i)) - rounded_product<A>(b, ld(sin0 + i) * sign));
      st(out + half + i,
         rounded_product<A>(b, ld(cos + half + i)) + rounded_product<A>(a, ld(sin1 + i) * sign));
    });
  }
}
template <typename A>
void row_polynomial_product(const A* c, int count, const A* x, const A* const* f, int factors,
                            A* out, int64_t n) {
  constexpr int64_t L = kLanes<A>;
  constexpr int kVectors = 4;
  int64_t i = 0;
  for (; i + kVectors * L <= n; i += kVectors * L) {
    V<A> v[kVectors];
    for (V<A>& one : v) one = V<A>{} + c[count - 1];
    for (int k = count - 2; k >= 0; --k) {
      for (int j = 0; j < kVectors; ++j) v[j] = v[j] * load<A>(x + i + j * L) + c[k];
    }
    for (int k = 0; k < factors; ++k) {
      for (int j = 0; j < kVectors; ++j) v[j] = v[j] * load<A>(f[k] + i + j * L);
    }
    for (int j = 0; j < kVectors; ++j) store<A>(out + i + j * L, v[j]);
  }
  for (; i < n; ++i) {
    A v = c[count - 1];
    for (int k = count - 2; k >= 0; --k) v = v * x[i] + c[k];
    for (int k = 0; k < factors; ++k) v = v * f[k][i];
    out[i] = v;
  }
}
template <typename A>
void row_adam(const AdamStep& step, const A* grad, A* param, A* m1, A* m2, A* m2_max, int64_t n) {
  const A beta1 = static_cast<A>(step.beta1), beta2 = static_cast<A>(step.beta2);
  const A rest1 = static_cast<A>(1 - step.beta1), rest2 = static_cast<A>(1 - step.beta2);
  const A rate = static_cast<A>(step.rate), epsilon = static_cast<A>(step.epsilon);
  const A keep = static_cast<A>(step.keep);
  each_row<A>(n, [&](int64_t i, auto ld, auto st) {
    const V<A> g = ld(grad + i);
    const V<A> a = ld(m1 + i) * beta1 + g * rest1;
    V<A> b = ld(m2 + i) * beta2 + g * g * rest2;
    st(m1 + i, a);
    st(m2 + i, b);
    if (m2_max) {
      const V<A> old = ld(m2_max + i);
      b = b > old ? b : old;
      st(m2_max + i, b);
    }
    st(param + i, ld(param + i) * keep - a * rate / (sqrt_vector(b) + epsilon));
  });
}
template <typename A>
void row_momentum(A mu, A rate, A decay, A rescale, bool nesterov, const A* grad, A* param, A* v,
                  int64_t n) {
  each_row<A>(n, [&](int64_t i, auto ld, auto st) {
    const V<A> p = ld(param + i), given = ld(grad + i) * rescale;
    const V<A> g = decay != A(0) ? given + p * decay : given;  // p may be infinite
    const V<A> next = ld(v + i) * mu + g;
    st(v + i, next);
    st(param + i, p - (nesterov ? g + next * mu : next) * rate);
  });
}

template <typename A>
void cell_lstm_step(const A* x, const A* p, A* c, A* kept, A* h, int64_t n) {
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) {
    const A i = math::sigmoid(x[j] + p[j]), f = math::sigmoid(x[n + j] + p[n + j]);
    const A g = math::tanh(x[2 * n + j] + p[2 * n + j]);
    const A o = math::sigmoid(x[3 * n + j] + p[3 * n + j]);
    const A next = f * c[j] + i * g;
    kept[j] = i;
    kept[n + j] = f;
    kept[2 * n + j] = g;
    kept[3 * n + j] = o;
    kept[4 * n + j] = next;
    c[j] = next;
    h[j] = o * math::tanh(next);
  }
}
template <typename A>
void cell_lstm_grad(const A* kept, const A* c, A* dh, A* dc, A* d, int64_t n) {
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) {
    const A i = kept[j], f = kept[n + j], g = kept[2 * n + j], o = kept[3 * n + j];
    const A t = math::tanh(kept[4 * n + j]);
    const A total = dc[j] + dh[j] * o * (1 - t * t);
    d[j] = total * g * i * (1 - i);
    d[n + j] = total * c[j] * f * (1 - f);
    d[2 * n + j] = total * i * (1 - g * g);
    d[3 * n + j] = dh[j] * t * o * (1 - o);
    dc[j] = total * f;
    dh[j] = 0;
  }
}
template <typename A>
void cell_gru_step(const A* x, const A* p, A* h, A* kept, int64_t n) {
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) {
    const A r = math::sigmoid(x[j] + p[j]), z = math::sigmoid(x[n + j] + p[n + j]);
    const A hidden = p[2 * n + j];
    const A next = math::tanh(x[2 * n + j] + r * hidden);
    kept[j] = r;
    kept[n + j] = z;
    kept[2 * n + j] = next;
    kept[3 * n + j] = hidden;
    h[j] = (h[j] - next) * z + next;
  }
}
template <typename A>
void cell_gru_grad(const A* kept, const A* h, A* dh, A* dx, A* dp, int64_t n) {
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) {
    const A r = kept[j], z = kept[n + j], next = kept[2 * n + j], hidden = kept[3 * n + j];
    const A dn = dh[j] * (1 - z) * (1 - next * next);
    const A dr = dn * hidden * r * (1 - r), dz = dh[j] * (h[j] - next) * z * (1 - z);
    dx[j] = dp[j] = dr;
    dx[n + j] = dp[n + j] = dz;
    dx[2 * n + j] = dn;
    dp[2 * n + j] = dn * r;
    dh[j] = dh[j] * z;
  }
}
template <typename A>
void cell_rnn_step(bool relu, const A* x, const A* p, A* h, int64_t n) {
  if (relu) {
    for (int64_t j = 0; j < n; ++j) h[j] = x[j] + p[j] < 0 ? 0 : x[j] + p[j];
    return;
  }
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) h[j] = math::tanh(x[j] + p[j]);
}
template <typename A>
void cell_rnn_grad(bool relu, const A* h, A* dh, A* d, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    d[j] = dh[j] * (relu ? A(h[j] > 0) : 1 - h[j] * h[j]);
    dh[j] = 0;
  }
}

template <typename A>
constexpr RowKernels<A> kRowKernels = {row_max<A>,
                                       row_sum<A>,
                                       row_dot<A>,
                                       row_dot3<A>,
                                       row_square_sum<A>,
                                       row_exp_shift<A>,
                                       row_scale<A>,
                                       row_shift<A>,
                                       row_axpy<A>,
                                       row_multiply_add<A>,
                                       row_affine<A>,
                                       row_softmax_grad<A>,
                                       softmax_columns<A>,
                                       softmax_grad_columns<A>,
                                       kLanes<A>,
                                       row_norm_grad<A>,
                                       row_norm_weight_grad<A>,
                                       row_swiglu_grad<A>,
                                       row_rotate<A>,
                                       row_polynomial_product<A>,
                                       row_adam<A>,
                                       row_momentum<A>,
                                       cell_lstm_step<A>,
                                       cell_lstm_grad<A>,
                                       cell_gru_step<A>,
                                       cell_gru_grad<A>,
                                       cell_rnn_step<A>,
                                       cell_rnn_grad<A>};

}  // namespace
}  // namespace paddle::cpu
