// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of blocks to tiles, and both to float32.
#include "phi_kernels/cpu/quantize/packed_tiles.h"

#include <algorithm>
#include <cstring>

#include "paddle_core/type/float16.h"
#include "phi_kernels/cpu/quantize/decode_blocks.h"

namespace paddle::cpu {
namespace {

constexpr int kRows = kPackedRows, kLine = 64, kMostGroups = 8;

void put_half(uint8_t* to, float value) {
  const float16 half(value);
  std::memcpy(to, &half.bits, 2);
}

float half_at(const uint8_t* from) {
  float16 half;
  std::memcpy(&half.bits, from, 2);
  return static_cast<float>(half);
}

// Writes the bits of one row of a block of 32 columns into zeroed memory, four bytes at once.
void put_numbers(const uint8_t* q, int bits, int64_t row, uint8_t* to) {
  const auto add = [to, row](int line, uint32_t four) {
    uint8_t* const at = to + line * kLine + row * 4;
    uint32_t there = 0;
    std::memcpy(&there, at, 4);
    there |= four;
    std::memcpy(at, &there, 4);
  };
  for (int quad = 0; quad < kPackedColumns / 4; ++quad) {
    uint32_t four = 0;
    std::memcpy(&four, q + 4 * quad, 4);
    if (bits == 8) {
      add(quad, four);
      continue;
    }
    add(quad % 4, (four & 0x0F0F0F0F) << (quad / 4 * 4));
    if (bits == 5) add(4, (four >> 4 & 0x01010101) << quad);
    if (bits == 6) add(4 + quad / 4, (four >> 4 & 0x03030303) << (quad % 4 * 2));
  }
}

int number_at(const uint8_t* from, int bits, int64_t row, int k) {
  const int quad = k / 4;
  const int64_t at = row * 4 + k % 4;
  if (bits == 8) return from[quad * kLine + at];
  const int low = from[quad % 4 * kLine + at] >> (quad / 4 * 4) & 15;
  if (bits == 5) return low | (from[4 * kLine + at] >> quad & 1) << 4;
  if (bits == 6) return low | (from[(4 + quad / 4) * kLine + at] >> (quad % 4 * 2) & 3) << 4;
  return low;
}

}  // namespace

void pack_tile(BlockFormat format, const uint8_t* from, int64_t rows, int64_t columns,
               uint8_t* tile) {
  const BlockLayout& l = layout_of(format);
  std::memset(tile, 0, static_cast<size_t>(packed_tile_bytes(l, columns)));
  const int64_t scale_bytes = packed_scale_bytes(l), number_bytes = packed_number_bytes(l);
  const int groups = l.weights / kPackedColumns;
  uint8_t* const numbers = tile + packed_scales_bytes(l, columns);
  DecodedGroup decoded[kMostGroups];
  for (int64_t row = 0; row < rows; ++row) {
    const uint8_t* block = from + row * block_row_bytes(l, columns);
    for (int64_t b = 0; b < columns / l.weights; ++b, block += l.bytes) {
      decode_block(format, block, decoded);
      for (int i = 0; i < groups; ++i) {
        const int64_t at = b * groups + i;
        put_numbers(decoded[i].q, l.bits, row, numbers + at * number_bytes);
        uint8_t* scales = tile + at * scale_bytes + row * 2;
        for (int s = 0; s < l.scales; ++s) {
          put_half(scales + s * kRows * 2, decoded[i].scale[s]);
          if (l.has_minimum) put_half(scales + (l.scales + s) * kRows * 2, decoded[i].minimum[s]);
        }
      }
    }
  }
}

void unpack_row(BlockFormat format, const uint8_t* tile, int64_t row, int64_t columns, float* to) {
  const BlockLayout& l = layout_of(format);
  const int64_t scale_bytes = packed_scale_bytes(l), number_bytes = packed_number_bytes(l);
  const uint8_t* numbers = tile + packed_scales_bytes(l, columns);
  DecodedGroup group{};
  for (int64_t b = 0; b < columns / kPackedColumns; ++b, numbers += number_bytes) {
    const uint8_t* scales = tile + b * scale_bytes + row * 2;
    for (int s = 0; s < 2; ++s) {
      const int own = std::min(s, l.scales - 1);
      group.scale[s] = half_at(scales + own * kRows * 2);
      if (l.has_minimum) group.minimum[s] = half_at(scales + (l.scales + own) * kRows * 2);
    }
    for (int k = 0; k < kPackedColumns; ++k) {
      group.q[k] = static_cast<uint8_t>(number_at(numbers, l.bits, row, k));
    }
    for (int k = 0; k < kPackedColumns; ++k) *to++ = group.weight(k, l);
  }
}

void dequantize_row(BlockFormat format, const uint8_t* from, int64_t columns, float* to) {
  const BlockLayout& l = layout_of(format);
  DecodedGroup decoded[kMostGroups];
  for (int64_t b = 0; b < columns / l.weights; ++b, from += l.bytes) {
    decode_block(format, from, decoded);
    for (int i = 0; i < l.weights / 32; ++i) {
      for (int k = 0; k < 32; ++k) *to++ = decoded[i].weight(k, l);
    }
  }
}

}  // namespace paddle::cpu
