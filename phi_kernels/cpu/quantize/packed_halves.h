// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Packed weights as bfloat16, in the order of the matrix tiles (phi_kernels/cpu/gemm/half_tiles.h).
#pragma once

#include <cstdint>

#include "paddle_core/type/block_format.h"

namespace paddle::cpu {

// 16 rows of a tile of packed weights become 16 columns of the right side: step k of `to` begins
// k * kHalfBlock numbers further on.
void widen_tile_amx(BlockFormat format, const uint8_t* tile, int64_t columns, uint16_t* to);

}  // namespace paddle::cpu
