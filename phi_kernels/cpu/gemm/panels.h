// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products with a matrix that stays the same: it is packed once into panels, [k][columns] each, and
// what follows the product is done to rows that are still in cache. After Goto and van de Geijn,
// "Anatomy of High-Performance Matrix Multiplication" (2008).
#pragma once

#include <cstdint>

#include "paddle_core/tensor/tensor.h"
#include "phi_kernels/cpu/gemm/row_epilogue.h"

namespace paddle::cpu {

struct PanelTile {
  const float* a;
  int64_t row_step;
  const float* b;
  int64_t k;
  const float* start;  // may be c, or null for zeros
  int64_t start_step;
  float* c;
  int64_t ldc;
  // What is fetched into the second-level cache meanwhile, k times one line every so many floats.
  const float* next_panel;
  int64_t next_panel_step;
  const float* next_rows;
  int64_t next_rows_step;
};

// The inner product, compiled per instruction set.
struct PanelKernels {
  int64_t rows;     // of a tile at most
  int64_t columns;  // of a panel

  // c[r * ldc + j] = start[r * start_step + j] + sum of a[r * row_step + i] * b[i * columns + j]
  // for the columns of one panel.
  void (*product)(int64_t rows, const PanelTile& tile);
};
extern const PanelKernels kPanels_avx2, kPanels_avx512;
const PanelKernels& panel_kernels();

// How many floats a packed matrix [k, n] takes.
int64_t panels_size(int64_t k, int64_t n);
// Packs w: [k, n], or [n, k] when `transposed`.
void pack_panels(const float* w, int64_t k, int64_t n, bool transposed, float* panels);
// The packed form of the contiguous weights `w`, kept with their storage. Null where it could not
// be kept and packing would take longer than a product with `rows` rows.
StoragePtr kept_panels(const Tensor& w, int64_t k, int64_t n, bool transposed, int64_t rows);

// c[m, n] = epilogue(a[m, k] b + bias); rows of a are lda apart, those of c and of the residual n.
struct PanelProduct {
  int64_t m, n, k, lda;
  const float* a;
  const float* panels;
  const float* bias;  // [n] or null
  float* c;
  const RowEpilogue& epilogue;
  const float* residual;    // null when the epilogue takes none
  bool accumulate = false;  // c += a b, without bias
};
void multiply_panels(const PanelProduct& p);

// c[m, n] = a[m, k] b (+ c), all contiguous; b is [k, n], or [n, k] when `transposed`, and packed
// on the way: for many rows.
void multiply_packing(int64_t m, int64_t n, int64_t k, const float* a, const float* b,
                      bool transposed, bool accumulate, float* c);

}  // namespace paddle::cpu
