// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A job whose ranks are threads of one process: members of a group read each other's memory. For
// simulation and tests of many ranks. When all ranks that have not left wait and no collective is
// complete, or members of a group call different collectives, every waiting rank gets a
// RuntimeError that says what each of them waits for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "paddle_core/comm/job.h"

namespace paddle::distributed {

class ThreadJobState;

class PADDLE_API ThreadJob : public Job {
 public:
  // One for each rank.
  static std::vector<std::shared_ptr<ThreadJob>> make(int64_t size);
  ThreadJob(std::shared_ptr<ThreadJobState> state, int64_t rank);
  ~ThreadJob() override;

  int64_t rank() const override { return rank_; }
  int64_t size() const override;
  ProcessGroup& group(const Ranks& ranks) override;
  uint64_t bytes_sent() const override;
  // The rank calls nothing any more; with a reason, because it failed: others that wait, or come to
  // wait, get an error that gives the reason.
  void leave(const std::string& reason);

 private:
  std::shared_ptr<ThreadJobState> state_;
  int64_t rank_;
  std::vector<std::unique_ptr<ProcessGroup>> groups_;  // used by the thread of the rank alone
};

}  // namespace paddle::distributed
