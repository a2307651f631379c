// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Streams as threads with a queue.
#include "tests/device/stream.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "tests/device/memory.h"

namespace paddle::lagging {

class LaggingEvent final : public Event {
 public:
  // Out of the pool, or a new one.
  static LaggingEvent* take(LaggingStream& stream, uint64_t tasks);
  bool query() const override { return stream_->done(tasks_); }
  void synchronize() override { stream_->wait_until_done(tasks_); }
  void release() noexcept override;
  LaggingStream& stream() const { return *stream_; }
  uint64_t tasks() const { return tasks_; }

 private:
  LaggingStream* stream_ = nullptr;  // lives as long as the process
  uint64_t tasks_ = 0;
};

namespace {

struct EventPool {
  std::mutex mutex;
  std::vector<LaggingEvent*> idle;
  size_t made = 0;
  static EventPool& instance() {
    static auto* pool = new EventPool;
    return *pool;
  }
};

void issue_task(void* stream, void (*task)(void*), void* argument) {
  static_cast<LaggingStream*>(stream)->issue([task, argument] { task(argument); });
}

}  // namespace

LaggingEvent* LaggingEvent::take(LaggingStream& stream, uint64_t tasks) {
  EventPool& pool = EventPool::instance();
  const std::lock_guard lock(pool.mutex);
  LaggingEvent* event;
  if (pool.idle.empty()) {
    event = new LaggingEvent;
    ++pool.made;
  } else {
    event = pool.idle.back();
    pool.idle.pop_back();
  }
  event->stream_ = &stream;
  event->tasks_ = tasks;
  return event;
}

void LaggingEvent::release() noexcept {
  EventPool& pool = EventPool::instance();
  const std::lock_guard lock(pool.mutex);
  pool.idle.push_back(this);
}

size_t events_made() {
  EventPool& pool = EventPool::instance();
  const std::lock_guard lock(pool.mutex);
  return pool.made;
}

LaggingStream::LaggingStream(uint32_t seed) : handle_{this, issue_task, translated} {
  std::thread([this, seed] { work(seed); }).detach();
}

void LaggingStream::work(uint32_t seed) {
  std::minstd_rand random(seed);
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !tasks_.empty(); });
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    // One task in eight lags, long enough for a host that does not wait to overtake it.
    if (random() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
    task();
    {
      const std::lock_guard lock(mutex_);
      ++done_;
    }
    changed_.notify_all();
  }
}

void LaggingStream::issue(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    ++issued_;
  }
  changed_.notify_all();
}

EventPtr LaggingStream::record() { return EventPtr(LaggingEvent::take(*this, issued())); }

void LaggingStream::wait(const Event& event) {
  if (const auto* mine = dynamic_cast<const LaggingEvent*>(&event)) {
    if (&mine->stream() == this) return;
    issue([&stream = mine->stream(), tasks = mine->tasks()] { stream.wait_until_done(tasks); });
    return;
  }
  const_cast<Event&>(event).synchronize();  // of another device
}

bool LaggingStream::query() const { return done(issued()); }

void LaggingStream::synchronize() { wait_until_done(issued()); }

uint64_t LaggingStream::issued() const {
  const std::lock_guard lock(mutex_);
  return issued_;
}

bool LaggingStream::done(uint64_t tasks) const {
  const std::lock_guard lock(mutex_);
  return done_ >= tasks;
}

void LaggingStream::wait_until_done(uint64_t tasks) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this, tasks] { return done_ >= tasks; });
}

}  // namespace paddle::lagging
