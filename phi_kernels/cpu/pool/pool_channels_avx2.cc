// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Maxima of channels in vectors that stay in registers while the window is walked.
#include "phi_kernels/cpu/pool/pool_channels.h"

namespace paddle::cpu {
namespace {

using VecF __attribute__((vector_size(32))) = float;
using VecI __attribute__((vector_size(32))) = int32_t;
constexpr int64_t kLanes = 8;
constexpr float kLowest = -3.40282347e+38f;

template <typename V, typename E>
inline V load(const E* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}

// kWidth vectors of channels.
template <int kWidth, bool kMask>
inline void maximum(const float* x, int64_t step, const int32_t* positions, int64_t count,
                    float* out, int32_t* mask) {
  VecF best[kWidth];
  VecI where[kWidth];
  for (int w = 0; w < kWidth; ++w) {
    best[w] = VecF{} + kLowest;
    where[w] = VecI{} - 1;
  }
  for (int64_t i = 0; i < count; ++i) {
    const float* row = x + positions[i] * step;
    const VecI position = VecI{} + positions[i];
#pragma GCC unroll 4
    for (int w = 0; w < kWidth; ++w) {
      const VecF v = load<VecF>(row + w * kLanes);
      const VecI greater = v > best[w];
      best[w] = greater ? v : best[w];
      if constexpr (kMask) where[w] = greater ? position : where[w];
    }
  }
  for (int w = 0; w < kWidth; ++w) {
    if (out) __builtin_memcpy(out + w * kLanes, &best[w], sizeof(VecF));
    if constexpr (kMask) __builtin_memcpy(mask + w * kLanes, &where[w], sizeof(VecI));
  }
}

inline void maximum_of_one(const float* x, int64_t step, const int32_t* positions, int64_t count,
                           float* out, int32_t* mask) {
  float best = kLowest;
  int32_t where = -1;
  for (int64_t i = 0; i < count; ++i) {
    const float v = x[positions[i] * step];
    if (v > best) best = v, where = positions[i];
  }
  if (out) *out = best;
  if (mask) *mask = where;
}

template <bool kMask>
void maximum_of(const float* x, int64_t step, const int32_t* positions, int64_t count,
                int64_t channels, float* out, int32_t* mask) {
  int64_t j = 0;
  const auto out_at = [&](int64_t k) { return out ? out + k : nullptr; };
  const auto mask_at = [&](int64_t k) { return kMask ? mask + k : nullptr; };
  for (; j + 4 * kLanes <= channels; j += 4 * kLanes) {
    maximum<4, kMask>(x + j, step, positions, count, out_at(j), mask_at(j));
  }
  for (; j + kLanes <= channels; j += kLanes) {
    maximum<1, kMask>(x + j, step, positions, count, out_at(j), mask_at(j));
  }
  for (; j < channels; ++j) maximum_of_one(x + j, step, positions, count, out_at(j), mask_at(j));
}

}  // namespace

void window_maximum(const float* x, int64_t step, const int32_t* positions, int64_t count,
                    int64_t channels, float* out, int32_t* mask) {
  if (mask) {
    maximum_of<true>(x, step, positions, count, channels, out, mask);
  } else {
    maximum_of<false>(x, step, positions, count, channels, out, mask);
  }
}

}  // namespace paddle::cpu
