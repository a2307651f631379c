// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of quantised weights taken apart: numbers, scales and minima.
#pragma once

#include <cstdint>

#include "paddle_core/type/block_format.h"

namespace paddle::cpu {

// 32 weights; weight i is scale[i / 16] * (q[i] - offset) - minimum[i / 16], with the offset of the
// format's layout, and no minimum where the format has none.
struct DecodedGroup {
  uint8_t q[32];
  float scale[2], minimum[2];
  float weight(int i, const BlockLayout& layout) const {
    const float w = scale[i / 16] * static_cast<float>(q[i] - layout.offset);
    return layout.has_minimum ? w - minimum[i / 16] : w;
  }
};

// Blocks that lie `distance` bytes apart. `groups` takes weights / 32 of each.
void decode_blocks(BlockFormat format, const uint8_t* from, int64_t distance, int64_t count,
                   DecodedGroup* groups);

}  // namespace paddle::cpu
