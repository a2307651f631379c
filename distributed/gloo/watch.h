// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Time limits of waits. Gloo's own limit closes all connections when it is reached, so that nobody
// could be told why; a thread here ends a wait that takes too long and leaves them open.
#pragma once

#include <gloo/transport/unbound_buffer.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

namespace paddle::distributed {

class Watch {
 public:
  explicit Watch(std::chrono::duration<double> limit);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Waits until the transfer of the buffer is done, for `seconds` at most, which may be infinite;
  // 0: the limit. False when that was reached, or the wait was ended. Throws what Gloo throws.
  bool wait(gloo::transport::UnboundBuffer& buffer, bool sends, double seconds);
  // Ends all waits, also later ones.
  void end() noexcept;
  bool ended() const { return ended_.load(std::memory_order_acquire); }
  double limit_seconds() const { return limit_.count(); }

 private:
  struct Entry {
    gloo::transport::UnboundBuffer* buffer;
    bool sends;
    std::chrono::steady_clock::time_point end;
    bool is_exact;  // ends when it should, and not at the next look at all waits
  };
  void watch();
  static void abort(const Entry& entry);

  const std::chrono::duration<double> limit_;
  std::atomic<bool> ended_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  std::list<Entry> entries_;  // of waits that are under way
  std::thread thread_;
};

}  // namespace paddle::distributed
