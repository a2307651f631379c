// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Surrounds code that waits for another rank: the host language releases the lock that this other
// rank, a thread of the same process, may need (Python's global interpreter lock).
#pragma once

#include "paddle_core/base/export.h"

namespace paddle {

struct BlockingHooks {
  void* (*enter)() = nullptr;
  void (*leave)(void* state) = nullptr;
};
PADDLE_API void set_blocking_hooks(BlockingHooks hooks);

class PADDLE_API Blocking {
 public:
  Blocking();
  ~Blocking();
  Blocking(const Blocking&) = delete;
  Blocking& operator=(const Blocking&) = delete;

 private:
  void* state_ = nullptr;
};

}  // namespace paddle
