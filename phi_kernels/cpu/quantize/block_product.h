// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products with a weight that is quantised in blocks. Few rows are multiplied in 8-bit integers,
// which reads each weight once, on matrix tiles where there are more than four; many rows in
// bfloat16 on matrix tiles, where the processor has them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "paddle_core/type/block_format.h"
#include "phi_kernels/cpu/quantize/packed_product.h"
#include "phi_kernels/cpu/quantize/packed_tiles.h"

namespace paddle::cpu {

// A matrix of `rows` rows, which are the outputs of a product.
struct BlockWeight {
  static constexpr int64_t kTile = kPackedRows;

  BlockFormat format;
  const BlockLayout& layout;
  const uint8_t* data;
  int64_t rows, columns;
  bool packed;
  // In place of blocks: rows of so many int8 numbers, with the scale 1 (format Q8_0); `columns` is
  // this rounded up to whole blocks.
  int64_t codes = 0;

  int64_t bytes() const {
    return packed ? tiles() * tile_bytes() : rows * block_row_bytes(layout, columns);
  }
  int64_t tiles() const { return (rows + kTile - 1) / kTile; }
  int64_t tile_bytes() const { return packed_tile_bytes(layout, columns); }
  // Tiles of a thread: equal parts, none of them smaller than what is worth a thread.
  int64_t grain() const {
    constexpr int64_t kGrainBytes = 65536;
    const int64_t parts = tiles() * tile_bytes() / kGrainBytes;
    const int64_t used = std::clamp<int64_t>(parts, 1, num_threads());
    return std::max<int64_t>(1, (tiles() + used - 1) / used);
  }
  // Tile i; made in `own` when the weight is not packed.
  const uint8_t* tile(int64_t i, std::vector<uint8_t>& own) const;
  // Row i as numbers.
  void row(int64_t i, float* to) const;
};

// Rows of floats in 8 bits.
class RoundedRows {
 public:
  RoundedRows(const float* x, int64_t count, int64_t columns);
  // Of numbers that are there, [count, columns], with one scale a row.
  RoundedRows(std::vector<int8_t> q, const float* scales, int64_t count, int64_t columns);
  // The rows from `first` on.
  QuantizedRows from(int64_t first) const;
  // Copies of rows at[0, count).
  RoundedRows gathered(const int64_t* at, int64_t count) const;

 private:
  explicit RoundedRows(int64_t columns) : columns_(columns) {}
  int64_t columns_;
  std::vector<int8_t> q_;
  std::vector<float> scale_;
  std::vector<int32_t> sum_;
};

// out[i * step + r] = x_i . row r of tile t, for `count` rows of x and the rows that the tile has.
// own and beside: room of the thread.
void multiply_tile(const BlockWeight& w, int64_t t, const QuantizedRows& x, int64_t count,
                   float* out, int64_t step, std::vector<uint8_t>& own, std::vector<float>& beside);

// Whether so many rows are multiplied by multiply_blocks in bfloat16, or as floats of the weight.
bool multiplies_wide(const BlockWeight& w, int64_t count);
// out [count, rows] = x [count, columns] W^T in 8-bit integers; an element does not depend on
// `count`.
void multiply_rounded(const BlockWeight& w, const RoundedRows& x, int64_t count, float* out);
// The same for rows of floats, in the way that suits their number.
void multiply_blocks(const BlockWeight& w, const float* x, int64_t count, float* out);

}  // namespace paddle::cpu
