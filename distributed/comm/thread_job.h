// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A job whose ranks are threads of one process: members of a group read each other's memory. For
// simulation and tests of many ranks. When all threads of ranks that have not left wait and no
// collective is complete, or members of a group call different collectives, every waiting rank gets
// a RuntimeError that says what each of them waits for.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
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
  // Nobody is late in one process, where a deadlock is found at once: there are no time limits.
  ProcessGroup& group(const Ranks& ranks, int64_t number = 0, double limit = 0) override;
  uint64_t bytes_sent() const override;
  // With a reason, others that wait, or come to wait, get an error that gives it.
  void leave(const std::string& reason) override;
  // Further threads of the rank begin to call something, or (negative) fewer: those that end, and
  // those that wait for another thread of the rank. A rank begins with one.
  void add_threads(int64_t more);

 private:
  std::shared_ptr<ThreadJobState> state_;
  int64_t rank_;
  mutable std::mutex mutex_;
  std::map<std::pair<Ranks, int64_t>, std::unique_ptr<ProcessGroup>> groups_;
};

}  // namespace paddle::distributed
