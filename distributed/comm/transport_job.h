// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `TransportJob`: the job of the ranks that a transport connects.
#pragma once

#include <map>
#include <memory>
#include <mutex>

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
  ProcessGroup& group(const Ranks& ranks) override;
  uint64_t bytes_sent() const override;

 private:
  std::shared_ptr<Transport> transport_;
  int process_;
  mutable std::mutex mutex_;
  std::map<Ranks, std::unique_ptr<TransportGroup>> groups_;
};

}  // namespace paddle::distributed
