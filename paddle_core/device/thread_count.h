// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The number of threads of the calling thread's own loops, for a scope.
#pragma once

#include "paddle_core/base/export.h"

namespace paddle {

// Overrides num_threads() on this thread; n = 0 leaves it as it is.
class PADDLE_API ThreadCountScope {
 public:
  explicit ThreadCountScope(int n);
  ~ThreadCountScope();
  ThreadCountScope(const ThreadCountScope&) = delete;
  ThreadCountScope& operator=(const ThreadCountScope&) = delete;

 private:
  int saved_;
};

}  // namespace paddle
