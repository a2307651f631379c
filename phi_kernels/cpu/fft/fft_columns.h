// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms of float32 lines side by side: a vector holds one element of as many lines as
// it has lanes. Compiled per instruction set.
#pragma once

#include <cstdint>

namespace paddle::cpu {

// What transforms of `n` complex elements have in common. Lines are transformed in passes, each of
// which takes a factor of n; of n / (the factors so far) = rest elements it needs, for each p <
// rest, the powers 1 to factor - 1 of exp(-2 pi i p / (rest * factor)) as cosine and sine.
struct FftPlan {
  int64_t n;
  const int* factors;  // 2, 3, 4, 5 or 8; their product is n
  int64_t passes;
  const float* roots;   // of one pass behind those of the other
  const float* halves;  // exp(-i pi k / n), k <= n: for real lines of 2 n elements
};

enum class FftKind : uint8_t { kComplex, kFromReal, kToReal };  // what is read and written

inline constexpr int64_t kMostFftLanes = 16;

// Lines that are transformed at once. All of `in` can be read; of `out` the first `count` are
// written.
struct FftGroup {
  FftKind kind;
  bool forward;
  float factor;
  const char* in[kMostFftLanes];
  char* out[kMostFftLanes];
  int64_t count;
  int64_t in_step, out_step;  // bytes between elements of a line
  // So many lines lie side by side in memory, and the others up to `count` again; 0: they do not.
  int64_t in_run, out_run;
};

struct FftKernels {
  int64_t lanes;
  // Each scratch has room for 2 (n + 1) vectors. Everything is read before anything is written.
  void (*run)(const FftPlan& plan, const FftGroup& group, float* scratch, float* other);
};
extern const FftKernels kFft_avx2, kFft_avx512;

}  // namespace paddle::cpu
