// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The bodies of RandomKernels, included once per instruction set; see elementwise_impl.h for the
// rules of such files.
#pragma once

#include "phi_kernels/cpu/random_blocks.h"
#include "phi_kernels/functors/log.h"
#include "phi_kernels/functors/trigonometry.h"

namespace paddle::cpu {
namespace {

// Philox 4x32-10 (Salmon et al. 2011) on sixteen counters side by side.
void philox_words(PhiloxState state, uint64_t block, uint32_t* out) {
  constexpr int kLanes = 16;
  uint32_t c0[kLanes], c1[kLanes], c2[kLanes], c3[kLanes];
  const uint64_t first = state.offset + block * kLanes;
  for (int i = 0; i < kLanes; ++i) {
    const uint64_t at = first + static_cast<uint64_t>(i);
    c0[i] = static_cast<uint32_t>(at);
    c1[i] = static_cast<uint32_t>(at >> 32);
    c2[i] = c3[i] = 0;
  }
  uint32_t k0 = static_cast<uint32_t>(state.seed), k1 = static_cast<uint32_t>(state.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < kLanes; ++i) {
      const uint64_t p0 = uint64_t{0xD2511F53u} * c0[i], p1 = uint64_t{0xCD9E8D57u} * c2[i];
      const uint32_t a = static_cast<uint32_t>(p1 >> 32) ^ c1[i] ^ k0;
      const uint32_t b = static_cast<uint32_t>(p0 >> 32) ^ c3[i] ^ k1;
      c0[i] = a;
      c1[i] = static_cast<uint32_t>(p1);
      c2[i] = b;
      c3[i] = static_cast<uint32_t>(p0);
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  for (int i = 0; i < kLanes; ++i) {
    out[4 * i] = c0[i];
    out[4 * i + 1] = c1[i];
    out[4 * i + 2] = c2[i];
    out[4 * i + 3] = c3[i];
  }
}

// [0, 1), 24 bits
PADDLE_MATH float unit_of(uint32_t word) {
  return static_cast<float>(static_cast<int32_t>(word >> 8)) * 0x1.0p-24f;
}
// (0, 1]: 31 bits, as many of them as a float keeps, for a long tail of the logarithm
PADDLE_MATH float tail_unit_of(uint32_t word) {
  return static_cast<float>(static_cast<int32_t>(word >> 1)) * 0x1.0p-31f + 0x1.0p-32f;
}

void uniform_block(const uint32_t* words, float low, float width, float* out) {
  for (int i = 0; i < kWords; ++i) out[i] = low + width * unit_of(words[i]);
}

void normal_block(const uint32_t* words, float mean, float deviation, float* out) {
  constexpr int kHalf = kWords / 2;
  for (int i = 0; i < kHalf; ++i) {
    const float radius = deviation * std::sqrt(-2.0f * math::log(tail_unit_of(words[i])));
    const float angle = 6.28318531f * unit_of(words[i + kHalf]);
    out[i] = mean + radius * math::cos(angle);
    out[i + kHalf] = mean + radius * math::sin(angle);
  }
}

void exponential_block(const uint32_t* words, float scale, float* out) {
  for (int i = 0; i < kWords; ++i) out[i] = -scale * math::log(tail_unit_of(words[i]));
}

void normal_between_block(const uint32_t* words, float low, float width, float mean,
                          float deviation, float* out) {
  for (int i = 0; i < kWords; ++i) {
    const float below = low + width * unit_of(words[i]);
    out[i] = mean + deviation * (1.41421356f * math::erfinv(2.0f * below - 1.0f));
  }
}

constexpr RandomKernels kRandomKernels = {philox_words, uniform_block, normal_block,
                                          exponential_block, normal_between_block};

}  // namespace
}  // namespace paddle::cpu
