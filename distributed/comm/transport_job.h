// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `TransportJob`: the job of the ranks that a transport connects.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "distributed/comm/transport_group.h"
#include "paddle_core/comm/job.h"

namespace paddle::distributed {

// Belongs to the process that made it: a forked child cannot use the connections, and leaves them
// to its parent when the job is destroyed there.
class PADDLE_API TransportJob final : public Job {
 public:
  explicit TransportJob(std::shared_ptr<Transport> transport);
  ~TransportJob() override;

  int64_t rank() const override { return transport_->rank(); }
  int64_t size() const override { return transport_->size(); }
  // RuntimeError in a forked child.
  ProcessGroup& group(const Ranks& ranks, int64_t number = 0, double limit = 0) override;
  uint64_t bytes_sent() const override;
  void leave(const std::string& reason) override;

 private:
  std::shared_ptr<Transport> transport_;
  int process_;
  mutable std::mutex mutex_;
  std::shared_ptr<Mailroom> mailroom_;
  std::map<std::pair<Ranks, int64_t>, std::unique_ptr<TransportGroup>> groups_;
};

}  // namespace paddle::distributed
