// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Formats that quantise the rows of a matrix in blocks, as GGUF files hold them, and F8_E4M3: 128
// 8-bit floats and a float32 scale. A quantised weight is a uint8 tensor; its format is an
// attribute of the calls that take it.
//
// The same numbers also exist "packed", in the order in which products read them: tiles of 16 rows,
// each a block of 32 columns after the other, with the scales of the block in front (float16) and
// the numbers behind, four columns of a row after each other. Bits that a number has beyond four
// lie in planes of their own. Where the scales of a block are half a line of the cache, those of
// two blocks are in front of the numbers of both.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "paddle_core/base/export.h"

namespace paddle {

enum class BlockFormat : uint8_t {
  kQ8_0,
  kQ4_0,
  kQ4_1,
  kQ5_0,
  kQ5_1,
  kQ2_K,
  kQ3_K,
  kQ4_K,
  kQ5_K,
  kQ6_K,
  kIQ4_NL,
  kF8_E4M3,
};

struct BlockLayout {
  const char* name;
  int weights;  // in a block
  int bytes;    // of a block
  // Packed: w = scale (q - offset) - minimum, with q of so many bits, and so many scales (and
  // minima) for 32 columns.
  int bits, scales, offset;
  bool has_minimum;
  // Whether the numbers are floats. Those are not packed: products read them as they are.
  bool is_float = false;
};

inline constexpr int kPackedRows = 16, kPackedColumns = 32;

PADDLE_API const BlockLayout& layout_of(BlockFormat format);
// False when there is no such format; the name as GGUF writes it ("Q4_K").
PADDLE_API bool block_format_from_name(std::string_view name, BlockFormat& format);
// "Q8_0, Q4_0, ...", for messages.
PADDLE_API std::string block_format_names();

// Sizes in bytes. `columns` is a multiple of the weights in a block.
inline int64_t block_row_bytes(const BlockLayout& l, int64_t columns) {
  return columns / l.weights * l.bytes;
}
// Of the scales and minima of 16 rows and 32 columns; of their numbers.
inline int64_t packed_scale_bytes(const BlockLayout& l) {
  return 2 * kPackedRows * l.scales * (l.has_minimum ? 2 : 1);
}
inline int64_t packed_number_bytes(const BlockLayout& l) {
  return kPackedRows * kPackedColumns / 8 * l.bits;
}
// Where the scales and the numbers of block b stand in a tile; numbers begin at lines of the cache.
struct PackedPlace {
  int64_t scales, numbers;
};
constexpr PackedPlace packed_place(int64_t scale_bytes, int64_t number_bytes, int64_t b) {
  const int64_t together = scale_bytes % 64 == 0 ? 1 : 2, i = b % together;
  const int64_t first = (b - i) * (scale_bytes + number_bytes);
  return {first + i * scale_bytes, first + together * scale_bytes + i * number_bytes};
}
inline int64_t packed_tile_bytes(const BlockLayout& l, int64_t columns) {
  const int64_t blocks = columns / kPackedColumns, number_bytes = packed_number_bytes(l);
  if (blocks == 0) return 0;
  return packed_place(packed_scale_bytes(l), number_bytes, blocks - 1).numbers + number_bytes;
}
inline int64_t packed_bytes(const BlockLayout& l, int64_t rows, int64_t columns) {
  return (rows + kPackedRows - 1) / kPackedRows * packed_tile_bytes(l, columns);
}

}  // namespace paddle
