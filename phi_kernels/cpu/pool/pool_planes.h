// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Pools of float32 planes of one channel: a row of results reduces its rows of the input column by
// column first, in vectors, then windows of columns.
#pragma once

#include <array>
#include <cstdint>

#include "phi_kernels/rules/pool.h"

namespace paddle::cpu {

// [N, C, spatial...] in either order; always three spatial axes, leading ones of extent 1.
struct PoolLayout {
  int64_t batch = 1, channels = 1;
  bool channels_last = false;
  std::array<int64_t, 3> in{1, 1, 1}, out{1, 1, 1};
  std::array<AxisWindows, 3> windows;

  int64_t plane() const { return in[0] * in[1] * in[2]; }
  int64_t positions() const { return out[0] * out[1] * out[2]; }
};

// The first of equal maxima counts; NaN is never greater than a number. out and mask may be null.
void plane_maximum(const PoolLayout& l, const float* x, float* out, int32_t* mask);

// Whether windows are small enough for sums of columns in float32.
bool has_plane_average(const PoolLayout& l);
// divide: by the number of elements (`inside`: those of the window that are not padding), or not at
// all.
struct PlaneDivisor {
  bool divides, inside;
};
void plane_average(const PoolLayout& l, PlaneDivisor divisor, const float* x, float* out);
void plane_average_grad(const PoolLayout& l, PlaneDivisor divisor, const float* g, float* dx);

}  // namespace paddle::cpu
