// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The body of PanelKernels, included once per instruction set: a tile of results stays in
// registers. Everything is in an anonymous namespace, as in rows_impl.h.
#pragma once

#include "phi_kernels/cpu/gemm/panels.h"
#include "phi_kernels/cpu/isa/float_vectors_impl.h"

namespace paddle::cpu {
namespace {

#if defined(__AVX512F__)
constexpr int kRows = 12;
#else
constexpr int kRows = 6;
#endif

constexpr int64_t kColumns = 2 * kLanes;

// Rows are reached from every third of them, so that the addresses stay in registers.
template <int R>
void tile(const PanelTile& t) {
  Vec sum[R][2] = {};
  if (t.start) {
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
      sum[r][0] = load(t.start + r * t.start_step);
      sum[r][1] = load(t.start + r * t.start_step + kLanes);
    }
  }
#pragma GCC unroll 12
  for (int r = 0; r < R; ++r) {  // there when the sums are stored
    __builtin_prefetch(t.c + r * t.ldc, 1, 3);
    __builtin_prefetch(t.c + r * t.ldc + kColumns - 1, 1, 3);
  }
  const float* base[(R + 2) / 3];
#pragma GCC unroll 4
  for (int r = 0; r < R; r += 3) base[r / 3] = t.a + r * t.row_step;
  const float *b = t.b, *next_panel = t.next_panel, *next_rows = t.next_rows;
  const int64_t row_step = t.row_step, panel_step = t.next_panel_step, rows_step = t.next_rows_step;
  for (int64_t i = t.k; i > 0; --i, b += kColumns) {
    const Vec b0 = load(b), b1 = load(b + kLanes);
    __builtin_prefetch(next_panel, 0, 2);
    __builtin_prefetch(next_rows, 0, 2);
    next_panel += panel_step;
    next_rows += rows_step;
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

using Tile = void (*)(const PanelTile&);
constexpr Tile kTiles[] = {tile<1>,  tile<2>, tile<3>, tile<4>,
                           tile<5>,  tile<6>,
#if defined(__AVX512F__)
                           tile<7>,  tile<8>, tile<9>, tile<10>,
                           tile<11>, tile<12>
#endif
};

void product(int64_t rows, const PanelTile& t) { kTiles[rows - 1](t); }

constexpr PanelKernels kKernels{kRows, kColumns, product};

}  // namespace
}  // namespace paddle::cpu
