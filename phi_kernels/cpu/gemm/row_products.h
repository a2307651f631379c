// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products of rows, compiled per instruction set: what a matrix library does slowly when the result
// is small and the sum is long, or when few rows meet a large matrix, of floats or 16-bit numbers.
#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle_core/type/float16.h"

namespace paddle::cpu {

// c[i * b_rows + j] += sum over k of a[i * a_step + k] * b[j * b_step + k]
template <typename T>
struct RowProduct {
  const float* a;
  int64_t a_rows, a_step;
  const T* b;
  int64_t b_rows, b_step;
  int64_t length;
  float* c;
};

// c[i * c_step + j] += sum over k of a[i * a_step + k] * b[k * b_step + j]; at most 4 rows of a,
// and 1 or 4 of b.
template <typename T>
struct RowSum {
  const float* a;
  int64_t a_rows, a_step;
  const T* b;
  int64_t b_rows, b_step;
  int64_t length;
  float* c;
  int64_t c_step;
};

template <typename T>
struct RowProductKernels {
  void (*products)(const RowProduct<T>&);
  void (*sums)(const RowSum<T>&);
  // sum of a[k] * b[k] over n, for a row of b that is read from memory after the one before it
  float (*dot)(const float* a, const T* b, int64_t n);
};
struct RowProductTable {
  RowProductKernels<float> of_float;
  RowProductKernels<float16> of_float16;
  RowProductKernels<bfloat16> of_bfloat16;
};
extern const RowProductTable kRowProducts_avx2, kRowProducts_avx512;
const RowProductTable& row_product_table();

template <typename T>
const RowProductKernels<T>& row_product_kernels() {
  if constexpr (std::is_same_v<T, float16>)
    return row_product_table().of_float16;
  else if constexpr (std::is_same_v<T, bfloat16>)
    return row_product_table().of_bfloat16;
  else
    return row_product_table().of_float;
}

}  // namespace paddle::cpu
