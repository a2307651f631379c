// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Both ways of multiplying, and the choice.
#include "phi_kernels/cpu/quantize/block_product.h"

#include <cstring>
#include <numeric>
#include <utility>

#include "paddle_core/device/parallel.h"
#include "phi_kernels/cpu/gemm/half_tiles.h"
#include "phi_kernels/cpu/gemm/split_product.h"
#include "phi_kernels/cpu/isa/batch_invariant.h"
#include "phi_kernels/cpu/quantize/float8_product.h"
#include "phi_kernels/cpu/quantize/packed_byte_tiles.h"
#include "phi_kernels/cpu/quantize/packed_halves.h"

namespace paddle::cpu {
namespace {

// From so many rows on, widening the weights to bfloat16 costs less than it saves; sooner where
// products in 8 bits have a scale for 16 columns.
constexpr int64_t kManyRows = 40, kManyRowsTwoScales = 24;

bool has_byte_tiles() {
  static const bool can = has_tiles() && __builtin_cpu_supports("amx-int8");
  return can;
}

// multiply(tile, to, step) writes the product with tile t, of whose rows the weight may have fewer.
template <typename F>
void with_tile(const BlockWeight& w, int64_t t, int64_t count, float* out, int64_t step,
               std::vector<uint8_t>& own, std::vector<float>& beside, F&& multiply) {
  constexpr int64_t kTile = BlockWeight::kTile;
  const uint8_t* const tile = w.tile(t, own);
  const int64_t width = std::min(kTile, w.rows - t * kTile);
  if (width == kTile) return multiply(tile, out, step);
  beside.resize(static_cast<size_t>(count * kTile));
  multiply(tile, beside.data(), kTile);
  for (int64_t i = 0; i < count; ++i) {
    std::copy_n(beside.data() + i * kTile, width, out + i * step);
  }
}

// A tile of rows of int8 numbers with the scale 1.
void pack_codes(const BlockWeight& w, int64_t t, uint8_t* tile) {
  constexpr uint8_t kOne[2] = {0, 0x3C};  // in float16
  const auto* const from = w.data + t * BlockWeight::kTile * w.codes;
  const int64_t rows = std::min(BlockWeight::kTile, w.rows - t * BlockWeight::kTile);
  const int64_t scale_bytes = packed_scale_bytes(w.layout);
  const int64_t number_bytes = packed_number_bytes(w.layout);
  for (int64_t b = 0; b < w.columns / kPackedColumns; ++b) {
    const PackedPlace place = packed_place(scale_bytes, number_bytes, b);
    for (int64_t i = 0; i < scale_bytes; ++i) tile[place.scales + i] = kOne[i % 2];
    uint8_t* const to = tile + place.numbers;
    std::fill_n(to, number_bytes, uint8_t{128});
    const int64_t first = b * kPackedColumns;
    const int64_t width = std::min<int64_t>(kPackedColumns, w.codes - first);
    for (int64_t r = 0; r < rows; ++r) {
      const uint8_t* const row = from + r * w.codes + first;
      int64_t k = 0;
      for (; k + 4 <= width; k += 4) {
        uint32_t four = 0;
        std::memcpy(&four, row + k, 4);
        four ^= 0x80808080U;
        std::memcpy(to + k * BlockWeight::kTile + r * 4, &four, 4);
      }
      for (; k < width; ++k) {
        to[k / 4 * 64 + r * 4 + k % 4] = static_cast<uint8_t>(row[k] ^ 0x80);
      }
    }
  }
}
bool can_widen() {
  static const bool can = has_tiles() && __builtin_cpu_supports("avx512bf16");
  return can;
}

// In bfloat16 on matrix tiles.
void multiply_many(const BlockWeight& w, const float* x, int64_t count, float* out) {
  const int64_t steps = w.columns / kHalfStep;
  const int64_t whole = (count + kHalfColumns - 1) / kHalfColumns * kHalfColumns;
  std::vector<uint16_t> narrow(static_cast<size_t>(whole * w.columns));
  parallel_for(0, count, std::max<int64_t>(1, 16384 / w.columns), [&](int64_t begin, int64_t end) {
    kHalfTiles_amx.narrow(x + begin * w.columns, end - begin, w.columns,
                          narrow.data() + begin * w.columns, w.columns);
  });
  constexpr int64_t kPair = kHalfColumns / BlockWeight::kTile;
  const int64_t pairs = (w.tiles() + kPair - 1) / kPair;
  parallel_for(0, pairs, 1, [&](int64_t begin, int64_t end) {
    std::vector<uint8_t> own;
    std::vector<uint16_t> wide(static_cast<size_t>(steps * kHalfBlock));
    for (int64_t p = begin; p < end; ++p) {
      for (int64_t i = p * kPair; i < std::min((p + 1) * kPair, w.tiles()); ++i) {
        widen_tile_amx(w.format, w.tile(i, own), w.columns,
                       wide.data() + i % kPair * (BlockWeight::kTile * kHalfStep));
      }
      kHalfTiles_amx.multiply({.a = narrow.data(),
                               .lda = w.columns,
                               .b = wide.data(),
                               .block = steps * kHalfBlock,
                               .steps = steps,
                               .rows = count,
                               .columns = std::min(kHalfColumns, w.rows - p * kHalfColumns),
                               .c = out + p * kHalfColumns,
                               .ldc = w.rows,
                               .accumulate = false});
    }
  });
}

}  // namespace

const uint8_t* BlockWeight::tile(int64_t i, std::vector<uint8_t>& own) const {
  if (packed) return data + i * tile_bytes();
  own.resize(static_cast<size_t>(tile_bytes()));
  if (codes) {
    pack_codes(*this, i, own.data());
    return own.data();
  }
  pack_tile(format, data + i * kTile * block_row_bytes(layout, columns),
            std::min(kTile, rows - i * kTile), columns, own.data());
  return own.data();
}

void BlockWeight::row(int64_t i, float* to) const {
  if (layout.is_float) {
    return float8_kernels().values(data + i * block_row_bytes(layout, columns), columns, to);
  }
  if (packed) return unpack_row(format, data + i / kTile * tile_bytes(), i % kTile, columns, to);
  dequantize_row(format, data + i * block_row_bytes(layout, columns), columns, to);
}

RoundedRows::RoundedRows(const float* x, int64_t count, int64_t columns) : columns_(columns) {
  const PackedProductKernels& kernels = packed_product_kernels();
  const int64_t blocks = columns / kPackedColumns;
  q_.resize(static_cast<size_t>(count * columns));
  scale_.resize(static_cast<size_t>(count * blocks));
  sum_.resize(static_cast<size_t>(count * blocks * 2));
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, columns));
  parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      kernels.quantize(x + i * columns, columns, q_.data() + i * columns,
                       scale_.data() + i * blocks, sum_.data() + i * 2 * blocks);
    }
  });
}

RoundedRows::RoundedRows(std::vector<int8_t> q, const float* scales, int64_t count, int64_t columns)
    : columns_(columns), q_(std::move(q)) {
  const int64_t blocks = columns / kPackedColumns;
  scale_.resize(static_cast<size_t>(count * blocks));
  sum_.resize(static_cast<size_t>(count * blocks * 2));
  for (int64_t i = 0; i < count; ++i) {
    std::fill_n(scale_.begin() + i * blocks, blocks, scales[i]);
    for (int64_t half = 0; half < 2 * blocks; ++half) {
      const auto at = q_.begin() + i * columns + half * (kPackedColumns / 2);
      sum_[static_cast<size_t>(i * 2 * blocks + half)] =
          std::accumulate(at, at + kPackedColumns / 2, int32_t{0});
    }
  }
}

QuantizedRows RoundedRows::from(int64_t first) const {
  const int64_t blocks = columns_ / kPackedColumns;
  return {q_.data() + first * columns_, scale_.data() + first * blocks,
          sum_.data() + first * 2 * blocks, columns_};
}

RoundedRows RoundedRows::gathered(const int64_t* at, int64_t count) const {
  RoundedRows found(columns_);
  const int64_t blocks = columns_ / kPackedColumns;
  for (int64_t i = 0; i < count; ++i) {
    const QuantizedRows row = from(at[i]);
    found.q_.insert(found.q_.end(), row.q, row.q + columns_);
    found.scale_.insert(found.scale_.end(), row.scale, row.scale + blocks);
    found.sum_.insert(found.sum_.end(), row.sum, row.sum + 2 * blocks);
  }
  return found;
}

void multiply_tile(const BlockWeight& w, int64_t t, const QuantizedRows& x, int64_t count,
                   float* out, int64_t step, std::vector<uint8_t>& own,
                   std::vector<float>& beside) {
  const PackedProductKernels& kernels = packed_product_kernels();
  with_tile(w, t, count, out, step, own, beside,
            [&](const uint8_t* tile, float* to, int64_t to_step) {
              kernels.multiply(w.format, tile, x, count, to, to_step);
            });
}

void multiply_rounded(const BlockWeight& w, const RoundedRows& rows, int64_t count, float* out) {
  const bool on_tiles = count >= kFewestTileRows && has_byte_tiles();
  ByteTileRows sides;
  if (on_tiles) sides = byte_tile_rows(w.format, rows.from(0), count);
  parallel_for(0, w.tiles(), w.grain(), [&](int64_t begin, int64_t end) {
    std::vector<uint8_t> own;
    std::vector<float> beside;
    if (on_tiles) kByteTiles_amx.begin(w.format, count);
    for (int64_t t = begin; t < end; ++t) {
      float* const to = out + t * BlockWeight::kTile;
      if (!on_tiles) {
        multiply_tile(w, t, rows.from(0), count, to, w.rows, own, beside);
        continue;
      }
      with_tile(w, t, count, to, w.rows, own, beside,
                [&](const uint8_t* tile, float* part, int64_t step) {
                  kByteTiles_amx.multiply(w.format, tile, w.columns, sides, count, part, step);
                });
    }
    if (on_tiles) kByteTiles_amx.end();
  });
}

bool multiplies_wide(const BlockWeight& w, int64_t count) {
  if (w.layout.is_float) return true;
  const int64_t many = w.layout.scales == 2 ? kManyRowsTwoScales : kManyRows;
  return count >= many && can_widen() && !batch_invariant();
}

void multiply_blocks(const BlockWeight& w, const float* x, int64_t count, float* out) {
  if (w.layout.is_float) return multiply_float8(w, x, count, out);
  if (multiplies_wide(w, count)) return multiply_many(w, x, count, out);
  multiply_rounded(w, RoundedRows(x, count, w.columns), count, out);
}

}  // namespace paddle::cpu
