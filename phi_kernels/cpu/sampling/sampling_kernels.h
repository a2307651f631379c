// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Loops over logits, compiled per instruction set.
#pragma once

#include <cstdint>

namespace paddle::cpu {

// Room that lists of entries have behind their end, for whole vectors.
constexpr int64_t kEntrySlack = 16;

// Logits with what they weigh and the tokens that they belong to. Without weights each entry weighs
// 1, without ids entry i belongs to token i.
template <typename Float, typename Int>
struct EntriesOf {
  Float* key = nullptr;
  Float* weight = nullptr;
  Int* id = nullptr;
  int64_t count = 0;
};
using Entries = EntriesOf<float, int32_t>;
struct EntriesView : EntriesOf<const float, const int32_t> {
  EntriesView(const float* keys, int64_t n) : EntriesOf{keys, nullptr, nullptr, n} {}
  EntriesView(const Entries& e) : EntriesOf{e.key, e.weight, e.id, e.count} {}
};

struct Narrowed {
  int64_t kept = 0, above = 0;               // entries in the interval and above it
  double kept_weight = 0, above_weight = 0;  // what they weigh
};

struct SamplingKernels {
  // Copies the entries with low <= key <= high, in order, to `to`, whose count becomes their
  // number; weights where `from` has some, ids where `to` has room for them. `to` may be `from`; it
  // has kEntrySlack entries of room behind the last one.
  Narrowed (*narrow)(const EntriesView& from, float low, float high, Entries& to);
  // x[i] = -inf where bit i of the words is 0.
  void (*hide)(const int32_t* words, float* x, int64_t n);
};

extern const SamplingKernels kSampling_avx2, kSampling_avx512;
const SamplingKernels& sampling_kernels();

}  // namespace paddle::cpu
