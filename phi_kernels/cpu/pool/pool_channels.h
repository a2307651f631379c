// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// One window of a float32 pool over channel-last data, compiled for AVX2, which every supported
// processor has.
#pragma once

#include <cstdint>

namespace paddle::cpu {

// The maximum of x[p * step + j] over `count` positions p, for j in [0, channels): its value into
// out, its position into mask, each of which may be null. The first of equal maxima counts; NaN is
// never greater than a number.
void window_maximum(const float* x, int64_t step, const int32_t* positions, int64_t count,
                    int64_t channels, float* out, int32_t* mask);

}  // namespace paddle::cpu
