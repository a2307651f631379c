// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Eight sums at a time.
#include "phi_kernels/cpu/vision/sample_strip.h"

#include <immintrin.h>

namespace paddle::cpu {
namespace {

template <int kTaps>
void gather_taps(const float* from, const int32_t* offset, const float* weight, int64_t step,
                 int64_t n, float* to) {
  int64_t p = 0;
  for (; p + 8 <= n; p += 8) {
    __m256 sum = _mm256_setzero_ps();
#pragma GCC unroll 8
    for (int t = 0; t < kTaps; ++t) {
      const int64_t at = t * step + p;
      const __m256i index = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(offset + at));
      sum = _mm256_fmadd_ps(_mm256_loadu_ps(weight + at), _mm256_i32gather_ps(from, index, 4), sum);
    }
    _mm256_storeu_ps(to + p, sum);
  }
  for (; p < n; ++p) {
    float sum = 0;
    for (int t = 0; t < kTaps; ++t) sum += weight[t * step + p] * from[offset[t * step + p]];
    to[p] = sum;
  }
}

}  // namespace

void gather_weighted(const float* from, const int32_t* offset, const float* weight, int taps,
                     int64_t step, int64_t n, float* to) {
  switch (taps) {
    case 1:
      return gather_taps<1>(from, offset, weight, step, n, to);
    case 4:
      return gather_taps<4>(from, offset, weight, step, n, to);
    default:
      return gather_taps<8>(from, offset, weight, step, n, to);
  }
}

}  // namespace paddle::cpu
