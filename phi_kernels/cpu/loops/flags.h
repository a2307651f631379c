// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Walks over the set flags of a mask, without a branch per flag: which are set is as often as not
// random, and a wrong guess costs more than a store that the next one overwrites.
#pragma once

#include <cstdint>
#include <cstring>

namespace paddle::cpu {

// How many of n flags, each 0 or 1, are set.
inline int64_t count_set(const uint8_t* flags, int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += flags[i];
  return count;
}

// take(place, i) for every set flag i, in order, `place` counting them from `done` on; returns how
// many there are then. take() may be called for flags that are not set: the call of the next set
// one has the same place. No place reaches `total`, the number of all set flags.
template <typename Take>
int64_t each_set(const uint8_t* flags, int64_t n, int64_t done, int64_t total, Take take) {
  for (int64_t i = 0; i < n && done < total;) {
    uint64_t eight = 1;
    if (i + 8 <= n) std::memcpy(&eight, flags + i, 8);
    const int64_t end = i + 8 <= n ? i + 8 : i + 1;
    if (eight == 0) {
      i = end;
      continue;
    }
    for (; i < end && done < total; ++i) {
      take(done, i);
      done += flags[i];
    }
  }
  return done;
}

}  // namespace paddle::cpu
