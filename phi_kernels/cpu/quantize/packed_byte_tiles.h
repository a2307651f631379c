// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products of several rows with tiles of packed weights in 8-bit integers, on matrix tiles (AMX).
// Sums of integers are exact and the rest is calculated as in packed_product.h, so an element has
// the same bits there and here.
#pragma once

#include <cstdint>
#include <vector>

#include "paddle_core/type/block_format.h"
#include "phi_kernels/cpu/quantize/packed_product.h"

namespace paddle::cpu {

// From so many rows on a matrix tile is faster than products of vectors.
constexpr int64_t kFewestTileRows = 5;
constexpr int64_t kTileRows = 16;

// Rows in the order in which matrix tiles read them, in groups of 16 side by side. Row i of a group
// has for block b its 32 numbers q (16 of every row, then the other 16, where weights have two
// scales) and its factor, the scale; and for each scale of a weight's block a shift, which is
// subtracted: offset times the sum of q, or the scale times the sum (a float, as bits) where the
// weight has minima.
struct ByteTileRows {
  std::vector<int8_t> q;
  std::vector<float> factor;
  std::vector<int32_t> shift;
};
ByteTileRows byte_tile_rows(BlockFormat format, const QuantizedRows& x, int64_t count);

// A thread calls begin, multiplies tiles of weights with `count` rows, and calls end.
struct ByteTileKernels {
  void (*begin)(BlockFormat format, int64_t count);
  void (*multiply)(BlockFormat format, const uint8_t* tile, int64_t columns,
                   const ByteTileRows& rows, int64_t count, float* out, int64_t step);
  void (*end)();
};
extern const ByteTileKernels kByteTiles_amx;

}  // namespace paddle::cpu
