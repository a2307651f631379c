// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Streams of the lagging device: each has a thread of its own, which sleeps before some of its
// tasks.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

#include "paddle_core/device/device.h"

// What a handle of a stream points to: how kernels that know nothing of the framework reach the
// device (cube.c).
extern "C" struct LaggingStreamHandle {
  void* stream;
  void (*issue)(void* stream, void (*task)(void* argument), void* argument);
  void* (*translated)(const void* address);
};

namespace paddle::lagging {

class LaggingEvent;

class LaggingStream final : public Stream {
 public:
  explicit LaggingStream(uint32_t seed);
  // Runs `task` after everything issued before.
  void issue(std::function<void()> task);
  EventPtr record() override;
  void wait(const Event& event) override;
  bool query() const override;
  void synchronize() override;
  void* handle() const override { return const_cast<LaggingStreamHandle*>(&handle_); }

  // Events: the number of tasks issued so far, and whether that many are done.
  uint64_t issued() const;
  bool done(uint64_t tasks) const;
  void wait_until_done(uint64_t tasks);

 private:
  void work(uint32_t seed);
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  uint64_t issued_ = 0, done_ = 0;
  LaggingStreamHandle handle_;
};

// How many events there are, in use or in the pool.
size_t events_made();

}  // namespace paddle::lagging
