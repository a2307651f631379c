// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products of float32 rows with weights in 8-bit floats (format F8_E4M3): a row of the weight is
// blocks of 128 numbers (sign, four bits of exponent, three of mantissa; no infinities) with a
// float32 scale behind. Few rows are multiplied with the numbers as they are read, many in bfloat16
// on matrix tiles or in float32.
#pragma once

#include <cstdint>

#include "phi_kernels/cpu/quantize/block_product.h"

namespace paddle::cpu {

constexpr int64_t kFloat8Block = 128, kFloat8Bytes = kFloat8Block + 4;

// Compiled per instruction set.
struct Float8Kernels {
  // to[i * step] = x_i . row for `count` rows x of `columns` numbers. An element does not depend on
  // `count`.
  void (*multiply)(const uint8_t* row, const float* x, int64_t columns, int64_t count, float* to,
                   int64_t step);
  // The numbers of a row.
  void (*values)(const uint8_t* row, int64_t columns, float* to);
};
extern const Float8Kernels kFloat8_avx2, kFloat8_avx512;
const Float8Kernels& float8_kernels();

// out [count, rows] = x [count, columns] W^T.
void multiply_float8(const BlockWeight& w, const float* x, int64_t count, float* out);

}  // namespace paddle::cpu
