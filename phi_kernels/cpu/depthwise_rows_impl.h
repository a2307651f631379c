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

// kRows x kWidth vectors of results stay in registers while the taps are walked: enough of them to
// hide the latency of the sums. `count` columns of the last vector are written.
template <int kRows, int kWidth>
inline void combine_block(const DepthwiseTaps& in, const float* base, const float* weight,
                          float start, float* out, int64_t out_step, int64_t count) {
  const Part part(0, count);
  Vec sum[kRows][kWidth];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int w = 0; w < kWidth; ++w) sum[r][w] = Vec{} + start;
  }
  for (int64_t t = 0; t < in.taps; ++t) {
    const float* from = base + in.offset[t];
    const float factor = weight[t];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
      for (int w = 0; w < kWidth; ++w) sum[r][w] += factor * load(from + r * in.step + w * kLanes);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    float* to = out + r * out_step;
#pragma GCC unroll 8
    for (int w = 0; w + 1 < kWidth; ++w) store(to + w * kLanes, sum[r][w]);
    float* last = to + (kWidth - 1) * kLanes;
    if (count == kLanes) {
      store(last, sum[r][kWidth - 1]);
    } else {
      part.store(last, sum[r][kWidth - 1]);
    }
  }
}

// kWidth vectors of columns from `column` on, for all rows.
template <int kRows, int kWidth>
inline void combine_columns(const DepthwiseTaps& in, int64_t column, const float* weight,
                            float start, float* out, int64_t out_step, int64_t count) {
  const float* base = in.base + column;
  float* to = out + column;
  int64_t r = 0;
  for (; r + kRows <= in.rows; r += kRows) {
    combine_block<kRows, kWidth>(in, base + r * in.step, weight, start, to + r * out_step, out_step,
                                 count);
  }
  if constexpr (kRows > 1) {
    const DepthwiseTaps rest{in.base + r * in.step, in.rows - r, in.step, in.offset, in.taps};
    combine_columns<kRows / 2, kWidth>(rest, column, weight, start, out + r * out_step, out_step,
                                       count);
  }
}

void combine(int64_t n, const DepthwiseTaps& in, const float* weight, float start, float* out,
             int64_t out_step) {
  int64_t j = 0;
  for (; j + 4 * kLanes <= n; j += 4 * kLanes) {
    combine_columns<2, 4>(in, j, weight, start, out, out_step, kLanes);
  }
  for (; j + kLanes < n; j += 2 * kLanes) {
    const int64_t rest = n - j - kLanes;
    combine_columns<4, 2>(in, j, weight, start, out, out_step, rest < kLanes ? rest : kLanes);
  }
  if (j < n) combine_columns<8, 1>(in, j, weight, start, out, out_step, n - j);
}

template <int kTaps>
inline void dot_block(int64_t n, const DepthwiseTaps& in, int64_t first, const float* g,
                      int64_t g_step, float* sums) {
  Vec sum[kTaps];
  const float* from[kTaps];
#pragma GCC unroll 8
  for (int t = 0; t < kTaps; ++t) {
    sum[t] = load(sums + (first + t) * kDepthwiseSlack);
    from[t] = in.base + in.offset[first + t];
  }
  const int64_t whole = n / kLanes * kLanes;
  const Part part(0, n - whole);
  for (int64_t r = 0; r < in.rows; ++r, g += g_step) {
    for (int64_t j = 0; j < whole; j += kLanes) {
      const Vec v = load(g + j);
#pragma GCC unroll 8
      for (int t = 0; t < kTaps; ++t) sum[t] += v * load(from[t] + j);
    }
    if (whole < n) {
      const Vec v = part.load(g + whole);
#pragma GCC unroll 8
      for (int t = 0; t < kTaps; ++t) sum[t] += v * part.load(from[t] + whole);
    }
#pragma GCC unroll 8
    for (int t = 0; t < kTaps; ++t) from[t] += in.step;
  }
#pragma GCC unroll 8
  for (int t = 0; t < kTaps; ++t) store(sums + (first + t) * kDepthwiseSlack, sum[t]);
}

using DotBlock = void (*)(int64_t, const DepthwiseTaps&, int64_t, const float*, int64_t, float*);
constexpr DotBlock kDotBlocks[] = {dot_block<1>, dot_block<2>, dot_block<3>, dot_block<4>,
                                   dot_block<5>, dot_block<6>, dot_block<7>, dot_block<8>};

// Few taps alone would wait for each sum: the last two blocks share what is left.
void dots(int64_t n, const DepthwiseTaps& in, const float* g, int64_t g_step, float* sums) {
  for (int64_t t = 0; t < in.taps;) {
    const int64_t rest = in.taps - t;
    const int64_t count = rest <= 8 ? rest : rest < 16 ? (rest + 1) / 2 : 8;
    kDotBlocks[count - 1](n, in, t, g, g_step, sums);
    t += count;
  }
}

constexpr DepthwiseKernels kKernels{combine, dots};

}  // namespace
}  // namespace paddle::cpu
