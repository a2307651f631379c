// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "distributed/gloo/watch.h"

#include <algorithm>

namespace paddle::distributed {
namespace {

// Never reached: the limit is kept by the watching thread.
constexpr std::chrono::milliseconds kForever = std::chrono::hours(24 * 365);

}  // namespace

Watch::Watch(std::chrono::duration<double> limit) : limit_(limit), thread_([this] { watch(); }) {}

Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watch::abort(const Entry& entry) {
  if (entry.sends) {
    entry.buffer->abortWaitSend();
  } else {
    entry.buffer->abortWaitRecv();
  }
}

bool Watch::wait(gloo::transport::UnboundBuffer& buffer, bool sends, double seconds) {
  using Clock = std::chrono::steady_clock;
  const std::chrono::duration<double> limit(seconds > 0 ? seconds : limit_.count());
  const bool is_exact = limit < limit_;
  const auto end = limit < kForever
                       ? Clock::now() + std::chrono::duration_cast<Clock::duration>(limit)
                       : Clock::time_point::max();
  std::list<Entry> mine(1, Entry{&buffer, sends, end, is_exact});
  const auto entry = mine.begin();
  {
    const std::lock_guard lock(mutex_);
    entries_.splice(entries_.end(), mine);
    if (ended_) abort(*entry);
  }
  if (is_exact) changed_.notify_all();
  // The entry leaves before the buffer does, however the wait ends.
  struct Leave {
    Watch& watch;
    std::list<Entry>::iterator entry;
    ~Leave() {
      const std::lock_guard lock(watch.mutex_);
      watch.entries_.erase(entry);
    }
  } leave{*this, entry};
  return sends ? buffer.waitSend(nullptr, kForever) : buffer.waitRecv(nullptr, kForever);
}

void Watch::end() noexcept {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  for (const Entry& entry : entries_) abort(entry);
}

void Watch::watch() {
  // Most waits begin without waking this thread, so it looks at them from time to time.
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  const auto pause = std::chrono::duration_cast<Clock::duration>(
      Seconds(std::clamp(limit_.count() / 10, 0.005, 5.0)));
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    const auto now = Clock::now();
    auto next = now + pause;
    for (const Entry& entry : entries_) {
      if (entry.end <= now) {
        abort(entry);
      } else if (entry.is_exact) {
        next = std::min(next, entry.end);
      }
    }
    changed_.wait_until(lock, next);
  }
}

}  // namespace paddle::distributed
