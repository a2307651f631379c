// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "paddle_core/comm/job.h"

#include "paddle_core/base/error.h"
#include "paddle_core/comm/blocking.h"
#include "paddle_core/device/execution_context.h"

namespace paddle {
namespace {

BlockingHooks blocking_hooks;

}  // namespace

void set_blocking_hooks(BlockingHooks hooks) { blocking_hooks = hooks; }
Blocking::Blocking() : state_(blocking_hooks.enter ? blocking_hooks.enter() : nullptr) {}
Blocking::~Blocking() {
  if (blocking_hooks.leave) blocking_hooks.leave(state_);
}

Job* current_job() { return execution_context().job.get(); }

int64_t current_rank() {
  const Job* job = current_job();
  return job ? job->rank() : 0;
}

ProcessGroup& group_of(const Ranks& ranks, const char* what, int64_t number, double limit) {
  Job* const job = current_job();
  PADDLE_CHECK_RUNTIME(job != nullptr, what, ": it needs ", ranks.size(),
                       " ranks, and this process is not connected with others; call "
                       "paddle.distributed.init_parallel_env() first, in a job of several ranks.");
  return job->group(ranks, number, limit);
}

}  // namespace paddle
