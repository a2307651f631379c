// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Random state: a seed and an offset into the counter-based stream Philox4x32-10 (Salmon et al.,
// "Parallel random numbers: as easy as 1, 2, 3", SC 2011). An operator reserves as many counters
// as it needs before it runs; element i uses counter offset + i / 4, so that results do not depend
// on the number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "paddle_core/base/export.h"
#include "paddle_core/device/place.h"

namespace paddle {

struct PhiloxState {
  uint64_t seed = 0;
  uint64_t offset = 0;
};

class PADDLE_API Generator {
 public:
  explicit Generator(uint64_t seed) : state_{seed, 0} {}
  void manual_seed(uint64_t seed);
  PhiloxState state() const;
  void set_state(PhiloxState state);
  // The state before, after moving the offset on by `counters`.
  PhiloxState reserve(uint64_t counters);
  // Undoes a reservation that gave `before`, if it was the last one.
  void give_back(PhiloxState before, uint64_t counters);

 private:
  mutable std::mutex mutex_;
  PhiloxState state_;
};

// Of the thread's context (device/execution_context.h), for what is drawn at `place`.
PADDLE_API Generator& default_generator(Place place = Place());

// Four 32-bit numbers for one counter.
inline std::array<uint32_t, 4> philox(PhiloxState state, uint64_t counter) {
  const uint64_t at = state.offset + counter;
  uint32_t c0 = static_cast<uint32_t>(at), c1 = static_cast<uint32_t>(at >> 32), c2 = 0, c3 = 0;
  uint32_t k0 = static_cast<uint32_t>(state.seed), k1 = static_cast<uint32_t>(state.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53u} * c0, p1 = uint64_t{0xCD9E8D57u} * c2;
    c0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<uint32_t>(p1);
    c2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<uint32_t>(p0);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {c0, c1, c2, c3};
}

}  // namespace paddle
