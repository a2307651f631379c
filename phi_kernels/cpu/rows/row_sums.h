// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Weighted sums of rows and products with rows that lie anywhere in memory, for float and double,
// compiled for AVX2, which every supported processor has. Rows are of the type of the weights, or,
// for float, of 16-bit floats.
#pragma once

#include <cstdint>

#include "paddle_core/type/float16.h"

namespace paddle::cpu {

// to[j] = sum over i < count of weight[i] * from[offset[i] + j], j < n; (+ to[j])
template <typename T, typename A>
void sum_rows(const T* from, const int64_t* offset, const A* weight, int64_t count, int64_t n,
              bool accumulate, A* to);

// to[i] = sum over j < n of x[j] * from[offset[i] + j], i < count
template <typename T, typename A>
void dot_rows(const A* x, const T* from, const int64_t* offset, int64_t count, int64_t n, A* to);

}  // namespace paddle::cpu
