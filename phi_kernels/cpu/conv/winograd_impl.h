// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The bodies of WinogradKernels, included once per instruction set. Lavin and Gray, "Fast
// Algorithms for Convolutional Neural Networks", F(2x2, 3x3):
//   result = A^T [(G w G^T) * (B^T source B)] A.
// Everything is in an anonymous namespace, as in rows_impl.h.
#pragma once

#include "phi_kernels/cpu/conv/winograd.h"
#include "phi_kernels/cpu/isa/float_vectors_impl.h"

namespace paddle::cpu {
namespace {

#if defined(__AVX512F__)
constexpr int kRows = 12, kRest = 4;
#else
constexpr int kRows = 6, kRest = 2;
#endif

constexpr int64_t kColumns = 2 * kLanes;

void transform_source(const float* const* pixels, int64_t channels, float* out, int64_t step) {
  for (int64_t c = 0; c < channels; c += kLanes) {
    Vec t[4][4];
    for (int j = 0; j < 4; ++j) {
      const Vec d0 = load(pixels[j] + c), d1 = load(pixels[4 + j] + c),
                d2 = load(pixels[8 + j] + c), d3 = load(pixels[12 + j] + c);
      t[0][j] = d0 - d2;
      t[1][j] = d1 + d2;
      t[2][j] = d2 - d1;
      t[3][j] = d1 - d3;
    }
    for (int i = 0; i < 4; ++i) {
      float* to = out + 4 * i * step + c;
      store(to, t[i][0] - t[i][2]);
      store(to + step, t[i][1] + t[i][2]);
      store(to + 2 * step, t[i][2] - t[i][1]);
      store(to + 3 * step, t[i][1] - t[i][3]);
    }
  }
}

void transform_result(const float* m, int64_t step, int64_t channels, const float* bias,
                      float* const* pixels) {
  for (int64_t c = 0; c < channels; c += kLanes) {
    Vec t[2][4];
    for (int j = 0; j < 4; ++j) {
      const float* from = m + j * step + c;
      const Vec m0 = load(from), m1 = load(from + 4 * step), m2 = load(from + 8 * step),
                m3 = load(from + 12 * step);
      t[0][j] = m0 + m1 + m2;
      t[1][j] = m1 - m2 - m3;
    }
    const Vec b = bias ? load(bias + c) : Vec{};
    for (int i = 0; i < 2; ++i) {
      if (pixels[2 * i]) store(pixels[2 * i] + c, t[i][0] + t[i][1] + t[i][2] + b);
      if (pixels[2 * i + 1]) store(pixels[2 * i + 1] + c, t[i][1] - t[i][2] - t[i][3] + b);
    }
  }
}

void transform_result_grad(const float* const* pixels, int64_t channels, float* out, int64_t step) {
  for (int64_t c = 0; c < channels; c += kLanes) {
    Vec t[4][2];
    for (int j = 0; j < 2; ++j) {
      const Vec g0 = load(pixels[j] + c), g1 = load(pixels[2 + j] + c);
      t[0][j] = g0;
      t[1][j] = g0 + g1;
      t[2][j] = g0 - g1;
      t[3][j] = -g1;
    }
    for (int i = 0; i < 4; ++i) {
      float* to = out + 4 * i * step + c;
      store(to, t[i][0]);
      store(to + step, t[i][0] + t[i][1]);
      store(to + 2 * step, t[i][0] - t[i][1]);
      store(to + 3 * step, -t[i][1]);
    }
  }
}

// 16 filters, tap by tap.
inline void transform_taps(const float (*tap)[16], bool rotated, float* out, int64_t step) {
  const auto at = [&](int k, int64_t l) { return load(tap[rotated ? 8 - k : k] + l); };
  for (int64_t l = 0; l < 16; l += kLanes) {
    Vec t[4][3];
    for (int j = 0; j < 3; ++j) {
      const Vec w0 = at(j, l), w1 = at(3 + j, l), w2 = at(6 + j, l);
      t[0][j] = w0;
      t[1][j] = (w0 + w1 + w2) * 0.5f;
      t[2][j] = (w0 - w1 + w2) * 0.5f;
      t[3][j] = w2;
    }
    for (int i = 0; i < 4; ++i) {
      float* to = out + 4 * i * step + l;
      store(to, t[i][0]);
      store(to + step, (t[i][0] + t[i][1] + t[i][2]) * 0.5f);
      store(to + 2 * step, (t[i][0] - t[i][1] + t[i][2]) * 0.5f);
      store(to + 3 * step, t[i][2]);
    }
  }
}

// Several at a time: a vector read right behind the scalars it is made of would wait for them.
void transform_filter(const float* w, int64_t lane_step, int64_t next, int64_t count, bool rotated,
                      float* out, int64_t step) {
  constexpr int64_t kTogether = 8;
  alignas(64) float tap[kTogether][9][16];
  for (int64_t n = 0; n < count; n += kTogether) {
    const int64_t together = n + kTogether < count ? kTogether : count - n;
    for (int lane = 0; lane < 16; ++lane) {
      for (int64_t m = 0; m < together; ++m) {
        const float* from = w + (n + m) * next + lane * lane_step;
        for (int k = 0; k < 9; ++k) tap[m][k][lane] = from[k];
      }
    }
    for (int64_t m = 0; m < together; ++m) {
      transform_taps(tap[m], rotated, out + (n + m) * kColumns, step);
    }
  }
}

void transform_filter_grad(const float* u, int64_t step, float* w, int64_t lane_step) {
  alignas(64) float tap[9][16];
  for (int64_t l = 0; l < 16; l += kLanes) {
    Vec t[3][4];
    for (int j = 0; j < 4; ++j) {
      const float* from = u + j * step + l;
      const Vec u0 = load(from), u1 = load(from + 4 * step) * 0.5f,
                u2 = load(from + 8 * step) * 0.5f, u3 = load(from + 12 * step);
      t[0][j] = u0 + u1 + u2;
      t[1][j] = u1 - u2;
      t[2][j] = u1 + u2 + u3;
    }
    for (int i = 0; i < 3; ++i) {
      const Vec v1 = t[i][1] * 0.5f, v2 = t[i][2] * 0.5f;
      store(tap[3 * i] + l, t[i][0] + v1 + v2);
      store(tap[3 * i + 1] + l, v1 - v2);
      store(tap[3 * i + 2] + l, v1 + v2 + t[i][3]);
    }
  }
  for (int lane = 0; lane < 16; ++lane) {
    float* to = w + lane * lane_step;
    for (int k = 0; k < 9; ++k) to[k] = tap[k][lane];
  }
}

// Rows are reached from every third of them, so that the addresses stay in registers.
template <int R>
void multiply(const WinogradTile& t) {
  Vec sum[R][2] = {};
  const float* base[(R + 2) / 3];
#pragma GCC unroll 4
  for (int r = 0; r < R; r += 3) base[r / 3] = t.a + r * t.row_step;
  const float *b = t.b, *ahead = t.ahead;
  const int64_t row_step = t.row_step, ahead_step = t.ahead_step;
  for (int64_t i = t.k; i > 0; --i, b += kColumns, ahead += ahead_step) {
    const Vec b0 = load(b), b1 = load(b + kLanes);
    __builtin_prefetch(ahead, 0, 2);
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
      const float x = base[r / 3][(r % 3) * row_step];
      sum[r][0] += x * b0;
      sum[r][1] += x * b1;
    }
#pragma GCC unroll 4
    for (int r = 0; r < R; r += 3) ++base[r / 3];
  }
#pragma GCC unroll 12
  for (int r = 0; r < R; ++r) {
    store(t.c + r * t.ldc, sum[r][0]);
    store(t.c + r * t.ldc + kLanes, sum[r][1]);
  }
}

template <int R>
void multiply_transposed(const float* a, int64_t lda, const float* b, int64_t ldb, int64_t k,
                         float* c, int64_t ldc) {
  Vec sum[R][2];
#pragma GCC unroll 12
  for (int r = 0; r < R; ++r) {
    sum[r][0] = load(c + r * ldc);
    sum[r][1] = load(c + r * ldc + kLanes);
  }
  for (int64_t i = 0; i < k; ++i, a += lda, b += ldb) {
    const Vec b0 = load(b), b1 = load(b + kLanes);
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
      const float x = a[r];
      sum[r][0] += x * b0;
      sum[r][1] += x * b1;
    }
  }
#pragma GCC unroll 12
  for (int r = 0; r < R; ++r) {
    store(c + r * ldc, sum[r][0]);
    store(c + r * ldc + kLanes, sum[r][1]);
  }
}

void product(const WinogradTile& tile, bool small) {
  small ? multiply<kRest>(tile) : multiply<kRows>(tile);
}
void outer(const float* a, int64_t lda, const float* b, int64_t ldb, int64_t k, float* c,
           int64_t ldc, bool small) {
  small ? multiply_transposed<kRest>(a, lda, b, ldb, k, c, ldc)
        : multiply_transposed<kRows>(a, lda, b, ldb, k, c, ldc);
}

constexpr WinogradKernels kKernels{kRows,
                                   kRest,
                                   kColumns,
                                   transform_source,
                                   transform_result,
                                   transform_result_grad,
                                   transform_filter,
                                   transform_filter_grad,
                                   product,
                                   outer};

}  // namespace
}  // namespace paddle::cpu
