// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
#include "paddle_core/device/generator.h"

namespace paddle {

void Generator::manual_seed(uint64_t seed) {
  const std::lock_guard lock(mutex_);
  state_ = {seed, 0};
}

PhiloxState Generator::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void Generator::set_state(PhiloxState state) {
  const std::lock_guard lock(mutex_);
  state_ = state;
}

PhiloxState Generator::reserve(uint64_t counters) {
  const std::lock_guard lock(mutex_);
  const PhiloxState before = state_;
  state_.offset += counters;
  return before;
}

void Generator::give_back(PhiloxState before, uint64_t counters) {
  const std::lock_guard lock(mutex_);
  if (state_.seed == before.seed && state_.offset == before.offset + counters) state_ = before;
}

}  // namespace paddle
