// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The two products of attention with keys and values in blocks (paged_tile.h) on matrix tiles of
// bfloat16 (AMX). A float32 number is the exact sum of three bfloat16 numbers: queries and
// probabilities are taken apart so, four rows side by side in a tile, and nothing of them is
// rounded. Keys and values are bfloat16. Sums are in float32; parts below the smallest normal
// number count as zero. What a row gets does not depend on the other rows.
#pragma once

#include <cstdint>

#include "phi_kernels/cpu/attention/paged_tile.h"

namespace paddle::cpu {

struct PagedHalvesKernels {
  // Around calls of the others on a thread.
  void (*begin)();
  void (*end)();
  // bfloat16 numbers of the room that `rows` queries take, and values of a run.
  int64_t (*query_room)(int64_t rows, int64_t depth);
  int64_t (*value_room)(int64_t depth);
  void (*pack_queries)(const float* q, int64_t rows, int64_t depth, int64_t padded, uint16_t* to);
  // As in PagedTileKernels; keys and values are bfloat16. Infinities may give NaN.
  void (*multiply_keys)(const PagedTile& t, const uint16_t* queries);
  // sums[r] = ..., where the values of keys in [first, last) that a row does not see count as well
  // if they are not finite.
  void (*sum_values)(const PagedTile& t, int64_t first, int64_t last, uint16_t* room);
};
extern const PagedHalvesKernels kPagedHalves_amx;
// Whether this processor has them.
bool has_paged_halves();

}  // namespace paddle::cpu
