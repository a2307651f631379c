// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The body of DepthwiseKernels, included once per instruction set. Everything is in an anonymous
// namespace, as in rows_impl.h.
#pragma once

#include <cstddef>

#include "phi_kernels/cpu/conv/depthwise_rows.h"
#include "phi_kernels/cpu/isa/float_vectors_impl.h"

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

// The same for `rows` of at most kRows rows.
template <int kRows, int kWidth>
inline void combine_rows(int64_t rows, const DepthwiseTaps& in, const float* base,
                         const float* weight, float start, float* out, int64_t out_step,
                         int64_t count) {
  if (rows == kRows) {
    return combine_block<kRows, kWidth>(in, base, weight, start, out, out_step, count);
  }
  if constexpr (kRows > 1) {
    combine_rows<kRows - 1, kWidth>(rows, in, base, weight, start, out, out_step, count);
  }
}

// kWidth vectors of columns from `column` on, for all rows.
template <int kRows, int kWidth>
inline void combine_columns(const DepthwiseTaps& in, int64_t column, const float* weight,
                            float start, float* out, int64_t out_step, int64_t count) {
  for (int64_t r = 0; r < in.rows; r += kRows) {
    const int64_t rows = in.rows - r < kRows ? in.rows - r : kRows;
    combine_rows<kRows, kWidth>(rows, in, in.base + column + r * in.step, weight, start,
                                out + column + r * out_step, out_step, count);
  }
}

// kLines rows of results are under way while rows of the input pass: each vector of these is read
// once for all of them. sum[l] is of the row that meets its line l now.
template <int kLines, int kWidth>
inline void slide_columns(const DepthwiseTaps& in, int64_t column, const float* weight, float start,
                          float* out, int64_t out_step, int64_t count) {
  const Part part(0, count);
  const int64_t columns = in.taps / kLines;
  const float* from = in.base + column;
  float* to = out + column;
  Vec sum[kLines][kWidth];
#pragma GCC unroll 8
  for (int l = 0; l < kLines; ++l) {
#pragma GCC unroll 8
    for (int w = 0; w < kWidth; ++w) sum[l][w] = Vec{} + start;
  }
  for (int64_t i = 1 - kLines; i < in.rows; ++i, from += in.step) {
    for (int64_t x = 0; x < columns; ++x) {
      Vec v[kWidth];
#pragma GCC unroll 8
      for (int w = 0; w < kWidth; ++w) v[w] = load(from + in.offset[x] + w * kLanes);
#pragma GCC unroll 8
      for (int l = 0; l < kLines; ++l) {
        const float factor = weight[l * columns + x];
#pragma GCC unroll 8
        for (int w = 0; w < kWidth; ++w) sum[l][w] += factor * v[w];
      }
    }
    if (i >= 0) {
#pragma GCC unroll 8
      for (int w = 0; w + 1 < kWidth; ++w) store(to + w * kLanes, sum[kLines - 1][w]);
      part.store(to + (kWidth - 1) * kLanes, sum[kLines - 1][kWidth - 1]);
      to += out_step;
    }
#pragma GCC unroll 8
    for (int w = 0; w < kWidth; ++w) {
#pragma GCC unroll 8
      for (int l = kLines - 1; l > 0; --l) sum[l][w] = sum[l - 1][w];
      sum[0][w] = Vec{} + start;
    }
  }
}

template <int kLines>
void slide(int64_t n, const DepthwiseTaps& in, const float* weight, float start, float* out,
           int64_t out_step) {
  constexpr int kWidth = sizeof(Vec) == 64 ? 2 : 1;  // sums that fit into the registers
  int64_t j = 0;
  for (; j + (kWidth - 1) * kLanes < n; j += kWidth * kLanes) {
    const int64_t rest = n - j - (kWidth - 1) * kLanes;
    slide_columns<kLines, kWidth>(in, j, weight, start, out, out_step,
                                  rest < kLanes ? rest : kLanes);
  }
  if (j < n) slide_columns<kLines, 1>(in, j, weight, start, out, out_step, n - j);
}

void combine(int64_t n, const DepthwiseTaps& in, const float* weight, float start, float* out,
             int64_t out_step) {
  if (in.lines == 7 && in.rows >= 12) return slide<7>(n, in, weight, start, out, out_step);
  if (in.lines == 5 && in.rows >= 8) return slide<5>(n, in, weight, start, out, out_step);
  if (in.lines == 3 && in.rows >= 4) return slide<3>(n, in, weight, start, out, out_step);
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
