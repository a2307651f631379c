// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The body of row_products.h, included once per instruction set; everything is in an anonymous
// namespace, as in rows_impl.h.
#pragma once

#include "phi_kernels/cpu/gemm/row_products.h"
#include "phi_kernels/cpu/isa/float_vectors_impl.h"

namespace paddle::cpu {
namespace {

#if defined(__AVX512F__)
constexpr int kRows = 4;
#else
constexpr int kRows = 2;
#endif
constexpr int kColumns = 4;
// Elements of rows that follow one another in memory: asked for over the ends of pages.
template <typename T>
constexpr int64_t kAhead = 1024 / sizeof(T);
constexpr int64_t kBlock = 1024;  // of the sum: the rows of one block stay in the cache

inline float total_of(Vec v) {
  float lanes[kLanes];
  store(lanes, v);
#pragma GCC unroll 4
  for (int64_t width = kLanes / 2; width > 0; width /= 2) {
    for (int64_t l = 0; l < width; ++l) lanes[l] += lanes[l + width];
  }
  return lanes[0];
}

// R rows of a with C rows of b over `length` elements.
template <int R, int C, typename T>
inline void tile(const float* a, int64_t a_step, const T* b, int64_t b_step, int64_t length,
                 float* c, int64_t ldc) {
  Vec sum[R][C] = {};
  int64_t k = 0;
  for (; k + kLanes <= length; k += kLanes) {
    Vec row[C];
#pragma GCC unroll 4
    for (int j = 0; j < C; ++j) row[j] = load(b + j * b_step + k);
#pragma GCC unroll 4
    for (int i = 0; i < R; ++i) {
      const Vec x = load(a + i * a_step + k);
#pragma GCC unroll 4
      for (int j = 0; j < C; ++j) sum[i][j] += x * row[j];
    }
  }
  for (int i = 0; i < R; ++i) {
    for (int j = 0; j < C; ++j) {
      float total = total_of(sum[i][j]);
      for (int64_t m = k; m < length; ++m) {
        total += a[i * a_step + m] * static_cast<float>(b[j * b_step + m]);
      }
      c[i * ldc + j] += total;
    }
  }
}

template <int R, typename T>
inline void strip(const RowProduct<T>& p, int64_t i, int64_t at, int64_t length) {
  const float* a = p.a + i * p.a_step + at;
  float* c = p.c + i * p.b_rows;
  int64_t j = 0;
  for (; j + kColumns <= p.b_rows; j += kColumns) {
    tile<R, kColumns>(a, p.a_step, p.b + j * p.b_step + at, p.b_step, length, c + j, p.b_rows);
  }
  for (; j < p.b_rows; ++j) {
    tile<R, 1>(a, p.a_step, p.b + j * p.b_step + at, p.b_step, length, c + j, p.b_rows);
  }
}

template <typename T>
void row_products(const RowProduct<T>& p) {
  for (int64_t at = 0; at < p.length; at += kBlock) {
    const int64_t length = at + kBlock < p.length ? kBlock : p.length - at;
    int64_t i = 0;
    for (; i + kRows <= p.a_rows; i += kRows) strip<kRows>(p, i, at, length);
    for (; i < p.a_rows; ++i) strip<1>(p, i, at, length);
  }
}

// R rows of a with K rows of b.
template <int R, int K, typename T>
void sums(const RowSum<T>& p) {
  Vec factor[R][K];
  for (int i = 0; i < R; ++i) {
    for (int k = 0; k < K; ++k) factor[i][k] = Vec{} + p.a[i * p.a_step + k];
  }
  int64_t j = 0;
  for (; j + kLanes <= p.length; j += kLanes) {
    Vec row[K];
#pragma GCC unroll 4
    for (int k = 0; k < K; ++k) row[k] = load(p.b + k * p.b_step + j);
    if constexpr (K == 1) __builtin_prefetch(p.b + j + kAhead<T>);
#pragma GCC unroll 4
    for (int i = 0; i < R; ++i) {
      Vec sum = load(p.c + i * p.c_step + j);
#pragma GCC unroll 4
      for (int k = 0; k < K; ++k) sum += factor[i][k] * row[k];
      store(p.c + i * p.c_step + j, sum);
    }
  }
  for (; j < p.length; ++j) {
    for (int i = 0; i < R; ++i) {
      float sum = p.c[i * p.c_step + j];
      for (int k = 0; k < K; ++k) {
        sum += factor[i][k][0] * static_cast<float>(p.b[k * p.b_step + j]);
      }
      p.c[i * p.c_step + j] = sum;
    }
  }
}

template <typename T>
void row_sums(const RowSum<T>& p) {
  using Sums = void (*)(const RowSum<T>&);
  constexpr Sums kSums[][2] = {{sums<1, 1, T>, sums<1, 4, T>},
                               {sums<2, 1, T>, sums<2, 4, T>},
                               {sums<3, 1, T>, sums<3, 4, T>},
                               {sums<4, 1, T>, sums<4, 4, T>}};
  kSums[p.a_rows - 1][p.b_rows / 4](p);
}

template <typename T>
float row_dot(const float* a, const T* b, int64_t n) {
  constexpr int kChains = 4;  // sums that do not wait for each other
  Vec sum[kChains] = {};
  int64_t k = 0;
  for (; k + kChains * kLanes <= n; k += kChains * kLanes) {
#pragma GCC unroll 4
    for (int i = 0; i < kChains; ++i) {
      const int64_t at = k + i * kLanes;
      __builtin_prefetch(b + at + kAhead<T>);
      sum[i] += load(a + at) * load(b + at);
    }
  }
  for (; k + kLanes <= n; k += kLanes) sum[0] += load(a + k) * load(b + k);
  float total = total_of((sum[0] + sum[1]) + (sum[2] + sum[3]));
  for (; k < n; ++k) total += a[k] * static_cast<float>(b[k]);
  return total;
}

template <typename T>
constexpr RowProductKernels<T> kKernels = {row_products<T>, row_sums<T>, row_dot<T>};

}  // namespace
}  // namespace paddle::cpu
