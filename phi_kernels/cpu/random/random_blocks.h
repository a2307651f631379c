// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Random numbers a block at a time, per instruction set. Block b of a state is kWords numbers of 32
// bits, the four words of the Philox counters 16 b ... 16 b + 15 one after the other: word i of a
// state is that of counter i / 4.
#pragma once

#include <cstdint>

#include "paddle_core/device/generator.h"

namespace paddle::cpu {

inline constexpr int64_t kWords = 64;

struct RandomKernels {
  void (*words)(PhiloxState state, uint64_t block, uint32_t* out);
  // low + width u, u a multiple of 2^-24 in [0, 1)
  void (*uniform)(const uint32_t* words, float low, float width, float* out);
  // Box-Muller: the first half of the words are radii, the second half angles.
  void (*normal)(const uint32_t* words, float mean, float deviation, float* out);
  // -log(u) scale, u in (0, 1]
  void (*exponential)(const uint32_t* words, float scale, float* out);
  // mean + deviation * the normal number that has `low + width u` of the distribution below it
  void (*normal_between)(const uint32_t* words, float low, float width, float mean, float deviation,
                         float* out);
  // The same of float64, kWords / 2 numbers of 64 bits each: u a multiple of 2^-53 in [0, 1).
  void (*uniform_wide)(const uint32_t* words, double low, double width, double* out);
  void (*normal_wide)(const uint32_t* words, double mean, double deviation, double* out);
  void (*exponential_wide)(const uint32_t* words, double scale, double* out);
  // Words from `limit` on keep x, times factor; the others drop it.
  void (*dropout)(const uint32_t* words, uint32_t limit, float factor, const float* x, float* out,
                  uint8_t* mask);
};

extern const RandomKernels random_avx2, random_avx512;

}  // namespace paddle::cpu
