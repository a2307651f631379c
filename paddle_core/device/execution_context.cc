// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
#include "paddle_core/device/execution_context.h"

#include <random>

namespace paddle {

__thread ThreadBinding thread_binding;

ExecutionContext& process_context() {
  static ExecutionContext* context = [] {
    std::random_device device;
    return new ExecutionContext((static_cast<uint64_t>(device()) << 32) | device());
  }();
  return *context;
}

Generator& ExecutionContext::generator_of(Place place) {
  if (place.is_host()) return generator;
  const std::lock_guard lock(mutex_);
  for (const auto& [of, found] : of_devices_) {
    if (of == place) return *found;
  }
  of_devices_.emplace_back(place, std::make_unique<Generator>(generator.state().seed));
  return *of_devices_.back().second;
}

void ExecutionContext::manual_seed(uint64_t seed) {
  generator.manual_seed(seed);
  const std::lock_guard lock(mutex_);
  for (const auto& [of, found] : of_devices_) found->manual_seed(seed);
}

Generator& default_generator(Place place) { return execution_context().generator_of(place); }

PhiloxState DrawLog::record(Generator& generator, uint64_t counters) {
  PhiloxState state;
  if (!outer_) {
    state = generator.reserve(counters);
  } else if (outer_->replays_) {
    state = outer_->next(counters);
  } else {
    state = outer_->record(generator, counters);
  }
  draws_.push_back({state, counters, &generator});
  return state;
}

void DrawLog::give_back_rest() {
  for (; draws_.size() > at_; draws_.pop_back()) {
    const Draw& last = draws_.back();
    last.generator->give_back(last.state, last.counters);
  }
}

PhiloxState DrawLog::next(uint64_t counters) {
  PADDLE_CHECK_RUNTIME(at_ < draws_.size() && draws_[at_].counters == counters,
                       "the second run of a captured function draws other random numbers than the "
                       "first; call the function without to_static.");
  return draws_[at_++].state;
}

DrawLogScope::DrawLogScope(DrawLog& log, Mode mode) : before_(thread_binding.log) {
  log.replays_ = mode == Mode::kReplay;
  log.at_ = 0;
  log.outer_ = log.replays_ ? nullptr : before_;
  thread_binding.log = &log;
}

PhiloxState draw_state(uint64_t counters, Place place) {
  Generator& generator =
      thread_binding.generator ? *thread_binding.generator : default_generator(place);
  DrawLog* const log = thread_binding.log;
  if (!log) return generator.reserve(counters);
  return log->replays() ? log->next(counters) : log->record(generator, counters);
}

}  // namespace paddle
