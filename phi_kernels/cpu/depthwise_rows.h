// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The inner loops of depthwise convolutions: one row of results, as weighted sums of rows that lie
// at fixed distances from each other. Compiled per instruction set.
#pragma once

#include <cstdint>

namespace paddle::cpu {

// Rows base + offset[t], t < taps. Readable a vector (kDepthwiseSlack floats) beyond n.
struct DepthwiseTaps {
  const float* base;
  const int64_t* offset;
  int64_t taps;
};

inline constexpr int64_t kDepthwiseSlack = 16;

struct DepthwiseKernels {
  // out[j] = start + sum over t of weight[t] * (base + offset[t])[j], j < n
  void (*combine)(int64_t n, const DepthwiseTaps& rows, const float* weight, float start,
                  float* out);
  // Adds products with g[j] to kDepthwiseSlack partial sums of every tap.
  void (*dots)(int64_t n, const DepthwiseTaps& rows, const float* g, float* sums);
};
extern const DepthwiseKernels kDepthwise_avx2, kDepthwise_avx512;

}  // namespace paddle::cpu
