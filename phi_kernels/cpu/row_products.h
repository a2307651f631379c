// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products of long rows, compiled per instruction set: what a matrix library does slowly when the
// result is small and the sum is long.
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

using RowProductFn = void (*)(const RowProduct&);
extern const RowProductFn kRowProducts_avx2, kRowProducts_avx512;

}  // namespace paddle::cpu
