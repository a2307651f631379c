// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles of 16 rows of quantised weights in the order in which products read them
// (paddle_core/type/block_format.h).
//
// Scales of a block of 32 columns: `scales` x 16 rows float16, then as many minima. Numbers:
// "quads" of 4 columns, 16 rows x 4 bytes; there are 8. With 8 bits, a quad after the other.
// Otherwise bytes 64 i ... of the first 256 hold quad i in their low halves and quad i + 4 in their
// high halves; 64 bytes of fifth bits follow (bit i belongs to quad i), or, with six bits, 128
// bytes of the upper two: bits 2 i, 2 i + 1 of the first 64 belong to quad i, of the second 64 to
// quad i + 4.
#pragma once

#include <cstdint>

#include "paddle_core/type/block_format.h"

namespace paddle::cpu {

// `rows` (at most 16) rows of blocks; what is missing becomes zero weights.
void pack_tile(BlockFormat format, const uint8_t* from, int64_t rows, int64_t columns,
               uint8_t* tile);
// Row `row` of a tile as float32.
void unpack_row(BlockFormat format, const uint8_t* tile, int64_t row, int64_t columns, float* to);
// One row of blocks as float32, bit-equal to the format's definition in float32.
void dequantize_row(BlockFormat format, const uint8_t* from, int64_t columns, float* to);

}  // namespace paddle::cpu
