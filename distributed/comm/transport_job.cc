// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "distributed/comm/transport_job.h"

#include <unistd.h>

#include <algorithm>
#include <set>

#include "paddle_core/base/error.h"

namespace paddle::distributed {
namespace {

std::string text_of(const Ranks& ranks) {
  std::string text = "[";
  for (size_t i = 0; i < ranks.size(); ++i) text += str(i ? ", " : "", ranks[i]);
  return text + "]";
}

}  // namespace

TransportJob::TransportJob(std::shared_ptr<Transport> transport)
    : transport_(std::move(transport)), process_(getpid()) {}

TransportJob::~TransportJob() {
  if (process_ == getpid()) return;
  // Threads of the transport stayed in the parent, so its objects cannot be ended here.
  for (auto& [ranks, group] : groups_) static_cast<void>(group.release());
  static_cast<void>(new std::shared_ptr<Transport>(std::move(transport_)));
}

ProcessGroup& TransportJob::group(const Ranks& ranks) {
  PADDLE_CHECK_RUNTIME(process_ == getpid(), "This process was forked from rank ", rank(),
                       " of a job, whose connections belong to its parent; communicate there.");
  const std::lock_guard lock(mutex_);
  auto& group = groups_[ranks];
  if (!group) {
    const auto valid = [&](int64_t rank) { return rank >= 0 && rank < size(); };
    const auto own = std::find(ranks.begin(), ranks.end(), rank());
    if (own == ranks.end() || !std::all_of(ranks.begin(), ranks.end(), valid) ||
        std::set<int64_t>(ranks.begin(), ranks.end()).size() != ranks.size()) {
      groups_.erase(ranks);
      throw_error(
          ErrorKind::kValue,
          str("A group of ranks ", text_of(ranks), " cannot be made on rank ", rank(), " of ",
              size(), "; its ranks must be distinct, of the job, and include this one."));
    }
    try {
      group = std::make_unique<TransportGroup>(transport_, ranks, own - ranks.begin());
    } catch (...) {
      groups_.erase(ranks);
      throw;
    }
  }
  return *group;
}

uint64_t TransportJob::bytes_sent() const {
  const std::lock_guard lock(mutex_);
  uint64_t sum = 0;
  for (const auto& [ranks, group] : groups_) sum += group->bytes_sent();
  return sum;
}

}  // namespace paddle::distributed
