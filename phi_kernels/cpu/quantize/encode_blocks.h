// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of floats as blocks of the formats that can be written.
//
// Q8_0 and Q5_0 take the scale from the number of largest magnitude. Q4_K and Q6_K try several
// scales for each group of numbers, solve for the best one (and the best minimum) given the rounded
// numbers, and keep what has the least squared error; large numbers count more there, since they
// contribute more to a product.
#pragma once

#include <cstdint>

#include "paddle_core/type/block_format.h"

namespace paddle::cpu {

// One row in Q8_0, Q5_0, Q4_K or Q6_K; a number that is not finite gives blocks whose scale is not
// finite.
void encode_row(BlockFormat format, const float* from, int64_t columns, uint8_t* to);

}  // namespace paddle::cpu
