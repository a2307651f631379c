// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products of rows, compiled per instruction set: what a matrix library does slowly when the result
// is small and the sum is long, or when few rows meet a large matrix.
#pragma once

#include <cstdint>

namespace paddle::cpu {

// c[i * b_rows + j] += sum over k of a[i * a_step + k] * b[j * b_step + k]
struct RowProduct {
  const float* a;
  int64_t a_rows, a_step;
  const float* b;
  int64_t b_rows, b_step;
  int64_t length;
  float* c;
};

// c[i * c_step + j] += sum over k of a[i * a_step + k] * b[k * b_step + j]; at most 4 rows of a,
// and 1 or 4 of b.
struct RowSum {
  const float* a;
  int64_t a_rows, a_step;
  const float* b;
  int64_t b_rows, b_step;
  int64_t length;
  float* c;
  int64_t c_step;
};

struct RowProductKernels {
  void (*products)(const RowProduct&);
  void (*sums)(const RowSum&);
};
extern const RowProductKernels kRowProducts_avx2, kRowProducts_avx512;
const RowProductKernels& row_product_kernels();

}  // namespace paddle::cpu
