// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The inner loops of winograd.cc, compiled per instruction set. A tile is 4x4 pixels of the source
// and 2x2 of the result; in the transformed space it is 16 values per channel, one in each of 16
// matrices [tile, channel]. Numbers of channels are multiples of 16.
#pragma once

#include <cstdint>

namespace paddle::cpu {

struct WinogradTile {
  const float* a;
  int64_t row_step;
  const float* b;
  int64_t k;
  float* c;
  int64_t ldc;
  // What is fetched into the second-level cache meanwhile: k times one line every so many floats.
  const float* ahead;
  int64_t ahead_step;
};

struct WinogradKernels {
  int64_t rows;     // of a product; rest divides what remains of a multiple of 4
  int64_t rest;     // rows of the smaller product
  int64_t columns;  // of a product: packed matrices are padded to them

  // out[i * step + c] of matrix i = (B^T pixels B)_i; pixels: 16 rows of channels.
  void (*source)(const float* const* pixels, int64_t channels, float* out, int64_t step);
  // pixels (4; null: outside) = A^T m A + bias; bias may be null.
  void (*result)(const float* m, int64_t step, int64_t channels, const float* bias,
                 float* const* pixels);
  // The transpose of result: 4 pixels to 16 matrices.
  void (*result_grad)(const float* const* pixels, int64_t channels, float* out, int64_t step);
  // U = G w G^T for `count` times 16 filters: w[n * next + lane * lane_step + 0..9) side by side in
  // out[n * columns + i * step].
  void (*filter)(const float* w, int64_t lane_step, int64_t next, int64_t count, bool rotated,
                 float* out, int64_t step);
  // The transpose of filter: w[lane * lane_step + 0..9) = G^T u G, u[i * step + lane].
  void (*filter_grad)(const float* u, int64_t step, float* w, int64_t lane_step);

  // c[rows, columns] = a b over k; a[r * row_step + i], b[i * columns + j].
  void (*product)(const WinogradTile& tile, bool small);
  // c += a^T b over k; a[i * lda + r], b[i * ldb + j].
  void (*outer)(const float* a, int64_t lda, const float* b, int64_t ldb, int64_t k, float* c,
                int64_t ldc, bool small);
};

extern const WinogradKernels kWinograd_avx2, kWinograd_avx512;

}  // namespace paddle::cpu
