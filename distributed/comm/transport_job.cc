// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "distributed/comm/transport_job.h"

#include <unistd.h>

#include <algorithm>
#include <set>

#include "distributed/comm/arguments.h"

namespace paddle::distributed {

TransportJob::TransportJob(std::shared_ptr<Transport> transport)
    : transport_(std::move(transport)),
      process_(getpid()),
      mailroom_(std::make_shared<Mailroom>(transport_)) {}

TransportJob::~TransportJob() {
  if (process_ == getpid()) return;
  // Threads of the transport stayed in the parent, so its objects cannot be ended here.
  for (auto& [key, group] : groups_) static_cast<void>(group.release());
  static_cast<void>(new std::shared_ptr<Mailroom>(std::move(mailroom_)));
  static_cast<void>(new std::shared_ptr<Transport>(std::move(transport_)));
}

ProcessGroup& TransportJob::group(const Ranks& ranks, int64_t number, double limit) {
  PADDLE_CHECK_RUNTIME(process_ == getpid(), "This process was forked from rank ", rank(),
                       " of a job, whose connections belong to its parent; communicate there.");
  const std::lock_guard lock(mutex_);
  const auto key = std::make_pair(ranks, number);
  auto& group = groups_[key];
  if (!group) {
    const auto valid = [&](int64_t rank) { return rank >= 0 && rank < size(); };
    const auto own = std::find(ranks.begin(), ranks.end(), rank());
    if (own == ranks.end() || !std::all_of(ranks.begin(), ranks.end(), valid) ||
        std::set<int64_t>(ranks.begin(), ranks.end()).size() != ranks.size()) {
      groups_.erase(key);
      throw_error(
          ErrorKind::kValue,
          str("A group of ranks ", text_of(ranks), " cannot be made on rank ", rank(), " of ",
              size(), "; its ranks must be distinct, of the job, and include this one."));
    }
    try {
      group = std::make_unique<TransportGroup>(transport_, mailroom_, ranks, own - ranks.begin(),
                                               number, limit);
    } catch (...) {
      groups_.erase(key);
      throw;
    }
  }
  return *group;
}

uint64_t TransportJob::bytes_sent() const {
  const std::lock_guard lock(mutex_);
  uint64_t sum = 0;
  for (const auto& [key, group] : groups_) sum += group->bytes_sent();
  return sum;
}

void TransportJob::leave(const std::string& reason) {
  if (process_ != getpid()) return;
  mailroom_->close();
  if (!reason.empty()) transport_->give_up(reason);
}

}  // namespace paddle::distributed
