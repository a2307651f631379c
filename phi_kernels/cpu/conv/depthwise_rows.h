// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The inner loops of depthwise convolutions: rows of results, as weighted sums of rows that lie at
// fixed distances from each other. Compiled per instruction set.
#pragma once

#include <cstdint>

namespace paddle::cpu {

// For each row r < rows of n results: base + r * step + offset[t], t < taps. Readable a vector
// (kDepthwiseSlack floats) beyond n.
struct DepthwiseTaps {
  const float* base;
  int64_t rows, step;
  const int64_t* offset;
  int64_t taps;
  // Above 0: the taps are so many lines of equal length, each `step` behind the one before.
  int64_t lines = 0;
};

inline constexpr int64_t kDepthwiseSlack = 16;

struct DepthwiseKernels {
  // out[r * out_step + j] = start + sum over t of weight[t] * (row r of tap t)[j], j < n
  void (*combine)(int64_t n, const DepthwiseTaps& in, const float* weight, float start, float* out,
                  int64_t out_step);
  // Adds products with g[r * g_step + j] to kDepthwiseSlack partial sums of every tap.
  void (*dots)(int64_t n, const DepthwiseTaps& in, const float* g, int64_t g_step, float* sums);
};
extern const DepthwiseKernels kDepthwise_avx2, kDepthwise_avx512;

}  // namespace paddle::cpu
