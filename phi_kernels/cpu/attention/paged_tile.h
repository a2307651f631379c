// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The two products of attention for some rows of queries with a run of keys that lie anywhere in
// memory. Compiled per instruction set. An element of a result depends on its row and the keys that
// the row sees alone, not on the other rows; keys that a row does not see are not multiplied.
#pragma once

#include <cstdint>

#include "paddle_core/type/dtype.h"

namespace paddle::cpu {

// Keys of a run at most; scores of a row lie in so many numbers.
constexpr int64_t kPagedKeys = 256;
// Keys and values that all rows pass before the next ones, which the nearest cache holds meanwhile.
constexpr int64_t kPassKeys = 32;
// Rows of queries and sums are padded to whole vectors of the widest instruction set.
constexpr int64_t kPagedLanes = 16;

struct PagedTile {
  DType type;    // of keys and values: float32, float16, bfloat16, int8, packed (uint8)
  int64_t rows;  // of queries
  int64_t depth,
      padded;         // numbers of a row, and a distance between rows, a multiple of kPagedLanes
  int64_t row_bytes;  // of a key or a value
  const float* q;     // [rows, padded], zeros behind depth
  // Where key j < kPagedKeys and its value lie. Entries outside [first, last) may be read too, and
  // hold addresses of other keys of the run.
  const char* const* keys;
  const char* const* values;
  const int64_t *begin, *end;  // the keys that each row sees; none where end <= begin
  float* scores;               // [rows, kPagedKeys]
  float* sums;                 // [rows, padded]
  float* room;  // [kPassKeys, padded] for packed rows, where padded is of whole units
};

struct PagedTileKernels {
  // scores[r][j] = q[r] . key j, for begin[r] <= j < end[r]; the others are left open.
  void (*multiply_keys)(const PagedTile& t);
  // sums[r] += scores[r][j] * value j, j in order, for begin[r] <= j < end[r].
  void (*add_values)(const PagedTile& t);
  // s = cap * tanh(s / cap)
  void (*soft_cap)(float* s, int64_t n, float cap);
  // The float32 numbers of rows [first, last), `padded` apart.
  void (*widen)(DType type, const char* const* from, int64_t first, int64_t last, int64_t depth,
                int64_t padded, float* to);
  // The rotation of rows of n numbers, `block` of them together (paged_cache.h).
  void (*rotate)(float* x, int64_t block, int64_t n);
  // The two halves of writing a packed row: what the scales of groups start from and the largest
  // magnitude of that, NaN where a number is not finite; and, for a scale of the row, the bytes
  // before that.
  float (*group_scales)(const float* x, int64_t padded, float* scales);
  void (*pack)(const float* x, int64_t padded, float row_scale, const float* scales, char* to);
};
extern const PagedTileKernels kPagedTile_avx2, kPagedTile_avx512;
const PagedTileKernels& paged_tile_kernels();

}  // namespace paddle::cpu
