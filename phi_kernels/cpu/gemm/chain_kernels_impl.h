// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The body of chain_kernels.h, included once per instruction set; everything is in an anonymous
// namespace, as in rows_impl.h. Products and additions are fused by name, not by the compiler's
// choice, so that all loops round alike.
#pragma once

#include <immintrin.h>

#include "phi_kernels/cpu/gemm/chain_kernels.h"

namespace paddle::cpu {
namespace {

#if defined(__AVX512F__)
constexpr int kRows = 12;
struct Floats {
  using Number = float;
  using Vec = __m512;
  static constexpr int64_t kLanes = 16;
  static Vec load(const float* p) { return _mm512_loadu_ps(p); }
  static void store(float* p, Vec v) { _mm512_storeu_ps(p, v); }
  static Vec all(float x) { return _mm512_set1_ps(x); }
  static Vec fused(Vec x, Vec y, Vec sum) { return _mm512_fmadd_ps(x, y, sum); }
};
struct Doubles {
  using Number = double;
  using Vec = __m512d;
  static constexpr int64_t kLanes = 8;
  static Vec load(const double* p) { return _mm512_loadu_pd(p); }
  static void store(double* p, Vec v) { _mm512_storeu_pd(p, v); }
  static Vec all(double x) { return _mm512_set1_pd(x); }
  static Vec fused(Vec x, Vec y, Vec sum) { return _mm512_fmadd_pd(x, y, sum); }
};
#else
constexpr int kRows = 6;
struct Floats {
  using Number = float;
  using Vec = __m256;
  static constexpr int64_t kLanes = 8;
  static Vec load(const float* p) { return _mm256_loadu_ps(p); }
  static void store(float* p, Vec v) { _mm256_storeu_ps(p, v); }
  static Vec all(float x) { return _mm256_set1_ps(x); }
  static Vec fused(Vec x, Vec y, Vec sum) { return _mm256_fmadd_ps(x, y, sum); }
};
struct Doubles {
  using Number = double;
  using Vec = __m256d;
  static constexpr int64_t kLanes = 4;
  static Vec load(const double* p) { return _mm256_loadu_pd(p); }
  static void store(double* p, Vec v) { _mm256_storeu_pd(p, v); }
  static Vec all(double x) { return _mm256_set1_pd(x); }
  static Vec fused(Vec x, Vec y, Vec sum) { return _mm256_fmadd_pd(x, y, sum); }
};
#endif

inline float fused(float x, float y, float sum) { return __builtin_fmaf(x, y, sum); }
inline double fused(double x, double y, double sum) { return __builtin_fma(x, y, sum); }

template <typename S, int R>
void tile_of(const typename ChainKernels<typename S::Number>::Tile& t) {
  using A = typename S::Number;
  using Vec = typename S::Vec;
  constexpr int64_t L = S::kLanes;
  Vec sum[R][2];
#pragma GCC unroll 12
  for (int r = 0; r < R; ++r) {
    sum[r][0] = S::load(t.c + r * t.c_step);
    sum[r][1] = S::load(t.c + r * t.c_step + L);
  }
  // Rows are reached from every third of them, so that the addresses stay in registers.
  const A* base[(R + 2) / 3];
#pragma GCC unroll 4
  for (int r = 0; r < R; r += 3) base[r / 3] = t.a + r * t.a_step;
  const A* b = t.panel;
  const int64_t step = t.a_step;
  for (int64_t i = t.k; i > 0; --i, b += 2 * L) {
    const Vec b0 = S::load(b), b1 = S::load(b + L);
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
      const Vec x = S::all(base[r / 3][(r % 3) * step]);
      sum[r][0] = S::fused(x, b0, sum[r][0]);
      sum[r][1] = S::fused(x, b1, sum[r][1]);
    }
#pragma GCC unroll 4
    for (int r = 0; r < R; r += 3) ++base[r / 3];
  }
#pragma GCC unroll 12
  for (int r = 0; r < R; ++r) {
    S::store(t.c + r * t.c_step, sum[r][0]);
    S::store(t.c + r * t.c_step + L, sum[r][1]);
  }
}

template <typename S>
void tile(int64_t rows, const typename ChainKernels<typename S::Number>::Tile& t) {
  using Fn = void (*)(const typename ChainKernels<typename S::Number>::Tile&);
  static constexpr Fn kTiles[] = {
    tile_of<S, 1>,
    tile_of<S, 2>,
    tile_of<S, 3>,
    tile_of<S, 4>,
    tile_of<S, 5>,
    tile_of<S, 6>,
#if defined(__AVX512F__)
    tile_of<S, 7>,
    tile_of<S, 8>,
    tile_of<S, 9>,
    tile_of<S, 10>,
    tile_of<S, 11>,
    tile_of<S, 12>
#endif
  };
  kTiles[rows - 1](t);
}

// R rows of a with K rows of b.
template <typename S, int R, int K>
void stream_of(const typename ChainKernels<typename S::Number>::Stream& p) {
  using A = typename S::Number;
  using Vec = typename S::Vec;
  A factor[R][K];
  for (int r = 0; r < R; ++r) {
    for (int k = 0; k < K; ++k) factor[r][k] = p.a[r * p.a_step + k];
  }
  int64_t j = 0;
  for (; j + S::kLanes <= p.length; j += S::kLanes) {
    Vec row[K];
#pragma GCC unroll 4
    for (int k = 0; k < K; ++k) row[k] = S::load(p.b + k * p.b_step + j);
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      Vec sum = S::load(p.c + r * p.c_step + j);
#pragma GCC unroll 4
      for (int k = 0; k < K; ++k) sum = S::fused(S::all(factor[r][k]), row[k], sum);
      S::store(p.c + r * p.c_step + j, sum);
    }
  }
  for (; j < p.length; ++j) {
    for (int r = 0; r < R; ++r) {
      A sum = p.c[r * p.c_step + j];
      for (int k = 0; k < K; ++k) sum = fused(factor[r][k], p.b[k * p.b_step + j], sum);
      p.c[r * p.c_step + j] = sum;
    }
  }
}

template <typename S>
void stream(const typename ChainKernels<typename S::Number>::Stream& p) {
  using Fn = void (*)(const typename ChainKernels<typename S::Number>::Stream&);
  static constexpr Fn kStreams[][2] = {{stream_of<S, 1, 1>, stream_of<S, 1, kStreamDepth>},
                                       {stream_of<S, 2, 1>, stream_of<S, 2, kStreamDepth>},
                                       {stream_of<S, 3, 1>, stream_of<S, 3, kStreamDepth>},
                                       {stream_of<S, 4, 1>, stream_of<S, 4, kStreamDepth>}};
  kStreams[p.rows - 1][p.depth / kStreamDepth](p);
}

// Squares of numbers that a few vectors hold.
inline void transpose_square(const float* from, int64_t from_step, float* to, int64_t to_step) {
  __m256 r[8], t[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) r[i] = _mm256_loadu_ps(from + i * from_step);
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
    r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
    r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xEE);
    r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xEE);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    _mm256_storeu_ps(to + i * to_step, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
    _mm256_storeu_ps(to + (i + 4) * to_step, _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
  }
}
inline void transpose_square(const double* from, int64_t from_step, double* to, int64_t to_step) {
  __m256d r[4], t[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) r[i] = _mm256_loadu_pd(from + i * from_step);
#pragma GCC unroll 2
  for (int i = 0; i < 4; i += 2) {
    t[i] = _mm256_unpacklo_pd(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_pd(r[i], r[i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    _mm256_storeu_pd(to + i * to_step, _mm256_permute2f128_pd(t[i], t[i + 2], 0x20));
    _mm256_storeu_pd(to + (i + 2) * to_step, _mm256_permute2f128_pd(t[i], t[i + 2], 0x31));
  }
}

template <typename A>
void transpose(const A* from, int64_t from_step, int64_t lines, int64_t length, A* to,
               int64_t to_step) {
  constexpr int64_t kSide = 32 / sizeof(A);
  int64_t j = 0;
  for (; j + kSide <= lines; j += kSide) {
    int64_t i = 0;
    for (; i + kSide <= length; i += kSide) {
      transpose_square(from + j * from_step + i, from_step, to + i * to_step + j, to_step);
    }
    for (; i < length; ++i) {
      for (int64_t q = j; q < j + kSide; ++q) to[i * to_step + q] = from[q * from_step + i];
    }
  }
  for (; j < lines; ++j) {
    for (int64_t i = 0; i < length; ++i) to[i * to_step + j] = from[j * from_step + i];
  }
}

template <typename S>
constexpr ChainKernels<typename S::Number> kChains{kRows, 2 * S::kLanes, tile<S>, stream<S>,
                                                   transpose<typename S::Number>};

}  // namespace
}  // namespace paddle::cpu
