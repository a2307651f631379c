// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// How keys and values lie in a cache of blocks ("pages"), for those that write and read it.
//
// Rows of a quantised cache are rotated first: numbers in blocks of kMostRotated at most become
// their Walsh-Hadamard transform, which is orthogonal and its own inverse. What few large numbers
// would cost all others is shared so, and products of two rotated rows are those of the rows.
#pragma once

#include <cstdint>

#include "paddle_core/op/op_def.h"

namespace paddle::cpu {

// Bytes at the end of a row of a quantised cache: its scale, a float16.
constexpr int64_t kScaleBytes = 2;
// A row of four-bit numbers (uint8): codes of whole units, half a byte each, then the scales of
// groups, int8 multiples of the scale of the row, then that.
constexpr int64_t kPackedUnit = 32, kPackedGroup = 16;
constexpr int64_t kMostRotated = 128;

// Numbers of a row that are rotated together: the largest power of two that divides the row.
constexpr int64_t rotated_block(int64_t depth) {
  const int64_t divisor = depth & -depth;
  return divisor < kMostRotated ? divisor : kMostRotated;
}

constexpr bool is_packed(DType type) { return type == DType::kUInt8; }
constexpr bool is_quantised(DType type) { return type == DType::kInt8 || is_packed(type); }

constexpr int64_t whole_units(int64_t depth) {
  return (depth + kPackedUnit - 1) / kPackedUnit * kPackedUnit;
}

// Elements of a row before its scale.
constexpr int64_t scale_place(DType type, int64_t depth) {
  return is_packed(type) ? whole_units(depth) / 2 + whole_units(depth) / kPackedGroup : depth;
}

// The keys or the values of a cache. Strides are in bytes; the numbers of a row lie side by side.
struct PagedRows {
  char* data;
  int64_t block, head, row;

  char* at(int64_t b, int64_t h, int64_t offset) const {
    return data + b * block + h * head + offset * row;
  }
};

// A cache [blocks, 2, heads, block_size, width], or one of its two parts alone, without the second
// axis. The last axis has stride 1.
struct PagedCache {
  DType type;
  int64_t blocks, heads, block_size, width;
  PagedRows rows[2];  // keys, values

  explicit PagedCache(const TensorImpl& t);
  int64_t row_bytes() const { return width * static_cast<int64_t>(size_of(type)); }
};

}  // namespace paddle::cpu
