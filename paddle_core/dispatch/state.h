// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The thread's modes: which layers are on for every call, which are allowed at all. A layer clears
// its own bit in `allowed` while it calls further down.
#pragma once

#include <atomic>

#include "paddle_core/tensor/tensor.h"

namespace paddle {

struct ThreadModes {
  uint32_t on = 0;                  // asked for by the thread (AMP, capture, checks)
  uint32_t allowed = ~uint32_t{0};  // no_grad() clears kModeAutograd
};
extern PADDLE_API __thread ThreadModes thread_modes __attribute__((tls_model("initial-exec")));

// Asked for by all threads (profiler, NaN check); read only within this library.
extern std::atomic<uint32_t> process_modes;

// Asked for by all threads (FLAGS_force_decompose). No layer: execute() tests for it.
inline constexpr uint32_t kModeDecompose = 1u << 7;

// Clears bits of `allowed` for a scope, and sets others.
class ModeGuard {
 public:
  explicit ModeGuard(uint32_t without, uint32_t with = 0) : saved_(thread_modes.allowed) {
    thread_modes.allowed = (thread_modes.allowed & ~without) | with;
  }
  ~ModeGuard() { thread_modes.allowed = saved_; }
  ModeGuard(const ModeGuard&) = delete;
  ModeGuard& operator=(const ModeGuard&) = delete;

 private:
  uint32_t saved_;
};

// Sets bits of `on` for a scope.
class ModeOn {
 public:
  explicit ModeOn(uint32_t bits) : saved_(thread_modes.on) { thread_modes.on |= bits; }
  ~ModeOn() { thread_modes.on = saved_; }
  ModeOn(const ModeOn&) = delete;
  ModeOn& operator=(const ModeOn&) = delete;

 private:
  uint32_t saved_;
};

inline bool grad_enabled() { return (thread_modes.allowed & kModeAutograd) != 0; }

}  // namespace paddle
