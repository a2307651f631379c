// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The body of DepthwiseKernels, included once per instruction set. Everything is in an anonymous
// namespace, as in rows_impl.h.
#pragma once

#include <cstddef>

#include "phi_kernels/cpu/depthwise_rows.h"
#include "phi_kernels/cpu/float_vectors_impl.h"

namespace paddle::cpu {
namespace {

// kWidth vectors of results stay in registers while the taps are walked.
template <int kWidth>
inline void combine_block(const DepthwiseTaps& rows, int64_t at, const float* weight, float start,
                          Vec* sum) {
#pragma GCC unroll 4
  for (int w = 0; w < kWidth; ++w) sum[w] = Vec{} + start;
  for (int64_t t = 0; t < rows.taps; ++t) {
    const float* from = rows.base + rows.offset[t] + at;
    const float factor = weight[t];
#pragma GCC unroll 4
    for (int w = 0; w < kWidth; ++w) sum[w] += factor * load(from + w * kLanes);
  }
}

void combine(int64_t n, const DepthwiseTaps& rows, const float* weight, float start, float* out) {
  int64_t j = 0;
  Vec sum[4];
  for (; j + 4 * kLanes <= n; j += 4 * kLanes) {
    combine_block<4>(rows, j, weight, start, sum);
#pragma GCC unroll 4
    for (int w = 0; w < 4; ++w) store(out + j + w * kLanes, sum[w]);
  }
  for (; j < n; j += kLanes) {
    combine_block<1>(rows, j, weight, start, sum);
    const int64_t count = n - j < kLanes ? n - j : kLanes;
    __builtin_memcpy(out + j, sum, static_cast<size_t>(count) * sizeof(float));
  }
}

template <int kTaps>
inline void dot_block(int64_t n, const DepthwiseTaps& rows, int64_t first, const float* g,
                      float* sums) {
  const float* from[kTaps];
  Vec sum[kTaps];
#pragma GCC unroll 8
  for (int t = 0; t < kTaps; ++t) {
    from[t] = rows.base + rows.offset[first + t];
    sum[t] = load(sums + (first + t) * kDepthwiseSlack);
  }
  int64_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    const Vec v = load(g + j);
#pragma GCC unroll 8
    for (int t = 0; t < kTaps; ++t) sum[t] += v * load(from[t] + j);
  }
#pragma GCC unroll 8
  for (int t = 0; t < kTaps; ++t) {
    float* to = sums + (first + t) * kDepthwiseSlack;
    store(to, sum[t]);
    for (int64_t k = j; k < n; ++k) to[k - j] += g[k] * from[t][k];
  }
}

void dots(int64_t n, const DepthwiseTaps& rows, const float* g, float* sums) {
  int64_t t = 0;
  for (; t + 8 <= rows.taps; t += 8) dot_block<8>(n, rows, t, g, sums);
  for (; t + 3 <= rows.taps; t += 3) dot_block<3>(n, rows, t, g, sums);
  for (; t < rows.taps; ++t) dot_block<1>(n, rows, t, g, sums);
}

constexpr DepthwiseKernels kKernels{combine, dots};

}  // namespace
}  // namespace paddle::cpu
