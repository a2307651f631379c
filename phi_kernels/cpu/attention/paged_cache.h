// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// How keys and values lie in a cache of blocks ("pages"), for those that write and read it.
#pragma once

#include <cstdint>

#include "paddle_core/op/op_def.h"

namespace paddle::cpu {

// Bytes behind the int8 numbers of a row of a quantised cache: its scale, a float16.
constexpr int64_t kScaleBytes = 2;

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
  bool quantised() const { return type == DType::kInt8; }
  int64_t depth() const { return quantised() ? width - kScaleBytes : width; }
};

}  // namespace paddle::cpu
