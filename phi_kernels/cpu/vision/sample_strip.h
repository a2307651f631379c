// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Weighted sums of elements at given offsets, for float32, compiled for AVX2, which every supported
// processor has.
#pragma once

#include <cstdint>

namespace paddle::cpu {

// to[p] = sum over t < taps of weight[t * step + p] * from[offset[t * step + p]], p < n
void gather_weighted(const float* from, const int32_t* offset, const float* weight, int taps,
                     int64_t step, int64_t n, float* to);

}  // namespace paddle::cpu
