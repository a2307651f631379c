// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `Job`: this rank among the others. It belongs to the thread's ExecutionContext, so that several
// ranks can live in one process.
#pragma once

#include <memory>
#include <string>

#include "paddle_core/comm/process_group.h"

namespace paddle {

class PADDLE_API Job {
 public:
  virtual ~Job() = default;
  virtual int64_t rank() const = 0;
  virtual int64_t size() const = 0;
  // The group of these ranks, which this one is among; the same object at each call. Groups of the
  // same ranks and of several numbers have nothing to do with one another; operators use number 0.
  // A limit is the number of seconds that a member may take to come to a call before the group, and
  // not the job, is given up; 0: the limit of the job. ValueError when the ranks are not distinct
  // or not all of the job.
  virtual ProcessGroup& group(const Ranks& ranks, int64_t number = 0, double limit = 0) = 0;
  // Of all groups.
  virtual uint64_t bytes_sent() const = 0;
  // The rank calls nothing any more; with a reason, because it failed. Threads of it that wait for
  // a message get an error.
  virtual void leave(const std::string& reason) = 0;
};

// The job that the thread's context is in; null outside of any.
PADDLE_API Job* current_job();
// The rank of the thread's context; 0 outside of any job.
PADDLE_API int64_t current_rank();
// The group that `what` needs. RuntimeError when the thread's context is in no job.
PADDLE_API ProcessGroup& group_of(const Ranks& ranks, const char* what, int64_t number = 0,
                                  double limit = 0);

}  // namespace paddle
