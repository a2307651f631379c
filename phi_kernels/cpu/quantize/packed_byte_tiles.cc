// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What products on matrix tiles read of their rows, in their order.
#include "phi_kernels/cpu/quantize/packed_byte_tiles.h"

#include <algorithm>
#include <bit>

namespace paddle::cpu {

ByteTileRows byte_tile_rows(BlockFormat format, const QuantizedRows& x, int64_t count) {
  const BlockLayout& l = layout_of(format);
  const int64_t blocks = x.columns / kPackedColumns, scales = l.scales;
  const int64_t lines = (count + kTileRows - 1) / kTileRows * blocks;
  const int64_t depth = kPackedColumns / scales;
  ByteTileRows rows{std::vector<int8_t>(static_cast<size_t>(lines * kTileRows * kPackedColumns)),
                    std::vector<float>(static_cast<size_t>(lines * kTileRows)),
                    std::vector<int32_t>(static_cast<size_t>(lines * scales * kTileRows))};
  for (int64_t r = 0; r < count; ++r) {
    const int64_t first = r / kTileRows * blocks, i = r % kTileRows;
    for (int64_t b = 0; b < blocks; ++b) {
      const float factor = x.scale[r * blocks + b];
      rows.factor[static_cast<size_t>((first + b) * kTileRows + i)] = factor;
      const int32_t* const sum = x.sum + 2 * (r * blocks + b);
      for (int64_t s = 0; s < scales; ++s) {
        std::copy_n(x.q + r * x.columns + b * kPackedColumns + s * depth, depth,
                    rows.q.data() + (((first + b) * scales + s) * kTileRows + i) * depth);
        const int32_t own = scales == 2 ? sum[s] : sum[0] + sum[1];
        rows.shift[static_cast<size_t>(((first + b) * scales + s) * kTileRows + i)] =
            l.has_minimum ? std::bit_cast<int32_t>(factor * static_cast<float>(own))
                          : l.offset * own;
      }
    }
  }
  return rows;
}

}  // namespace paddle::cpu
