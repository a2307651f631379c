// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sums stay in registers while the rows pass.
#include "phi_kernels/cpu/rows/row_sums.h"

#include <immintrin.h>

namespace paddle::cpu {
namespace {

template <typename A>
struct Vector {
  typedef A Type __attribute__((vector_size(32), aligned(sizeof(A))));
};
template <typename A>
using V = typename Vector<A>::Type;
template <typename A>
constexpr int64_t kLanes = 32 / sizeof(A);

inline V<float> at(const float* p) { return *reinterpret_cast<const V<float>*>(p); }
inline V<double> at(const double* p) { return *reinterpret_cast<const V<double>*>(p); }
inline V<float> at(const bfloat16* p) {
  const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  return V<float>(_mm256_slli_epi32(wide, 16));
}
inline V<float> at(const float16* p) {
  return V<float>(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}

inline float one(const float* p) { return *p; }
inline double one(const double* p) { return *p; }
inline float one(const bfloat16* p) {
  const uint32_t bits = static_cast<uint32_t>(p->bits) << 16;
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}
inline float one(const float16* p) { return _cvtsh_ss(p->bits); }

template <typename T, typename A, int kVectors>
void sum_block(const T* from, const int64_t* offset, const A* weight, int64_t count,
               bool accumulate, A* to) {
  constexpr int64_t L = kLanes<A>;
  V<A> sum[kVectors] = {};
  for (int v = 0; accumulate && v < kVectors; ++v) sum[v] = at(to + v * L);
  for (int64_t i = 0; i < count; ++i) {
    const T* const row = from + offset[i];
    const A w = weight[i];
    for (int v = 0; v < kVectors; ++v) sum[v] += w * at(row + v * L);
  }
  for (int v = 0; v < kVectors; ++v) *reinterpret_cast<V<A>*>(to + v * L) = sum[v];
}

// One column, in four sums that do not wait for each other.
template <typename T, typename A>
A sum_column(const T* from, const int64_t* offset, const A* weight, int64_t count, A start) {
  A sum[4] = {start};
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (int v = 0; v < 4; ++v) sum[v] += weight[i + v] * one(from + offset[i + v]);
  }
  for (; i < count; ++i) sum[0] += weight[i] * one(from + offset[i]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

template <typename A>
inline A total(V<A> v) {
  A sum = v[0];
  for (int64_t i = 1; i < kLanes<A>; ++i) sum += v[i];
  return sum;
}

}  // namespace

template <typename T, typename A>
void sum_rows(const T* from, const int64_t* offset, const A* weight, int64_t count, int64_t n,
              bool accumulate, A* to) {
  constexpr int64_t L = kLanes<A>;
  int64_t j = 0;
  for (; j + 8 * L <= n; j += 8 * L) {
    sum_block<T, A, 8>(from + j, offset, weight, count, accumulate, to + j);
  }
  for (; j + 2 * L <= n; j += 2 * L) {
    sum_block<T, A, 2>(from + j, offset, weight, count, accumulate, to + j);
  }
  for (; j + L <= n; j += L) {
    sum_block<T, A, 1>(from + j, offset, weight, count, accumulate, to + j);
  }
  for (; j < n; ++j) {
    to[j] = sum_column(from + j, offset, weight, count, accumulate ? to[j] : A(0));
  }
}

template <typename T, typename A>
void dot_rows(const A* x, const T* from, const int64_t* offset, int64_t count, int64_t n, A* to) {
  constexpr int64_t L = kLanes<A>;
  for (int64_t i = 0; i < count; ++i) {
    const T* const row = from + offset[i];
    V<A> s[4] = {};
    int64_t j = 0;
    for (; j + 4 * L <= n; j += 4 * L) {
      for (int v = 0; v < 4; ++v) s[v] += at(x + j + v * L) * at(row + j + v * L);
    }
    for (; j + L <= n; j += L) s[0] += at(x + j) * at(row + j);
    A sum = total<A>((s[0] + s[1]) + (s[2] + s[3]));
    for (; j < n; ++j) sum += x[j] * one(row + j);
    to[i] = sum;
  }
}

#define PADDLE_ROW_SUMS(T, A)                                                             \
  template void sum_rows(const T*, const int64_t*, const A*, int64_t, int64_t, bool, A*); \
  template void dot_rows(const A*, const T*, const int64_t*, int64_t, int64_t, A*);
PADDLE_ROW_SUMS(float, float)
PADDLE_ROW_SUMS(double, double)
PADDLE_ROW_SUMS(float16, float)
PADDLE_ROW_SUMS(bfloat16, float)
#undef PADDLE_ROW_SUMS

}  // namespace paddle::cpu
