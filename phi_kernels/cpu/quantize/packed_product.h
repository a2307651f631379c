// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products of rows with tiles of packed weights, in 8-bit integers: a row is quantised to int8 with
// one scale for 32 columns, and the sums of 32 (or 16) products are exact. Compiled per instruction
// set.
#pragma once

#include <cstdint>

#include "paddle_core/type/block_format.h"

namespace paddle::cpu {

// Rows as products read them. Row i of m: q[i * columns ...], scale[i * columns / 32 ...], and for
// groups of 16 columns sum[i * columns / 16 ...].
struct QuantizedRows {
  const int8_t* q;
  const float* scale;
  const int32_t* sum;  // of q
  int64_t columns;
};

struct PackedProductKernels {
  // q = round(x / scale), scale = max |x| / 127. A value that is not finite makes its scale NaN.
  void (*quantize)(const float* x, int64_t columns, int8_t* q, float* scale, int32_t* sum);
  // out[i * step + r] = x_i . row r of the tile, for `count` rows of x and 16 rows of the tile. An
  // element does not depend on `count`.
  void (*multiply)(BlockFormat format, const uint8_t* tile, const QuantizedRows& x, int64_t count,
                   float* out, int64_t step);
};
extern const PackedProductKernels kPackedProduct_avx2, kPackedProduct_avx512, kPackedProduct_vnni;
const PackedProductKernels& packed_product_kernels();

}  // namespace paddle::cpu
