// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Matrix product on row-major memory: C[m, n] = op(A) op(B) (+ C). op transposes by reading A as
// [k, m] or B as [n, k]; lda, ldb and ldc are the distances of rows as stored. Called outside a
// parallel region a large product uses all threads, inside one it runs on the calling thread.
#pragma once

#include <cstdint>

#include "paddle_core/type/float16.h"

namespace paddle::cpu {

struct GemmShape {
  bool trans_a = false, trans_b = false;
  int64_t m = 0, n = 0, k = 0;
  int64_t lda = 0, ldb = 0, ldc = 0;
};

// C = alpha * op(A) op(B) + beta * C; with beta = 0 the old C is not read.
void sgemm(const GemmShape& s, float alpha, const float* a, const float* b, float beta, float* c);
// The same, always in float32 by the library; neither m nor n is 0.
void library_sgemm(const GemmShape& s, float alpha, const float* a, const float* b, float beta,
                   float* c);

// accumulate: C += op(A) op(B). 16-bit floats multiply and add in float. Defined for float, double,
// float16, bfloat16, complex<float>, complex<double> and the unsigned integers (two's complement:
// signed integers pass their memory as unsigned).
template <typename T>
void gemm(const GemmShape& s, const T* a, const T* b, T* c, bool accumulate = false);

}  // namespace paddle::cpu
