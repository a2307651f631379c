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

// What a product reads of the rows besides their numbers, for groups of 16 rows side by side:
// factor[(group * blocks + b) * 16 + i] is the scale of row i; shift, for each scale s of a
// weight's block, [((group * blocks + b) * scales + s) * 16 + i], is what is subtracted: offset
// times the sum (an integer), or the scale times the sum (a float, as bits) where the weight has
// minima.
struct ByteTileRows {
  std::vector<float> factor;
  std::vector<int32_t> shift;
};
ByteTileRows byte_tile_rows(BlockFormat format, const QuantizedRows& x, int64_t count);

// A thread calls begin, multiplies tiles of weights, and calls end. Of x.q, whole groups of 16 rows
// are read.
struct ByteTileKernels {
  void (*begin)(BlockFormat format);
  void (*multiply)(BlockFormat format, const uint8_t* tile, const QuantizedRows& x,
                   const ByteTileRows& rows, int64_t count, float* out, int64_t step);
  void (*end)();
};
extern const ByteTileKernels kByteTiles_amx;

}  // namespace paddle::cpu
