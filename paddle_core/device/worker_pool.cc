// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A range is open while its caller has chunks to give. A worker joins before it looks whether one
// is open, and the caller closes it before it looks whether anybody has joined, so no worker reads
// a range that its caller has left.
#include "paddle_core/device/worker_pool.h"

#include <immintrin.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace paddle {
namespace {

__thread WorkerPool* t_pool __attribute__((tls_model("initial-exec"))) = nullptr;

// What t_pool is in a chunk, where ranges run serially. Room for thread-local data is scarce
// (tests/python/process/test_coexistence.py).
WorkerPool* const kInChunk = reinterpret_cast<WorkerPool*>(1);

// A worker looks for the next range for so long before it sleeps.
constexpr auto kAwake = std::chrono::microseconds(500);

}  // namespace

WorkerPool::WorkerPool(int workers) {
  // Signals are for the threads of the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (int i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

WorkerPool::~WorkerPool() {
  ending_ = true;
  calls_.fetch_add(1);
  calls_.notify_all();
  for (std::thread& t : workers_) t.join();
}

void WorkerPool::take_chunks() {
  WorkerPool* const saved = std::exchange(t_pool, kInChunk);
  for (int64_t i = next_.fetch_add(1); i < chunks_; i = next_.fetch_add(1)) fn_(context_, i);
  t_pool = saved;
}

void WorkerPool::run(int64_t chunks, void* context, ChunkFn fn) {
  context_ = context;
  fn_ = fn;
  chunks_ = chunks;
  next_.store(0);
  open_.store(true);
  calls_.fetch_add(1);
  if (sleeping_.load() > 0) calls_.notify_all();
  take_chunks();
  open_.store(false);
  // Whoever has joined runs its last chunk.
  for (int tries = 0; joined_.load() > 0; ++tries) {
    if (tries < 1 << 14) {
      _mm_pause();
    } else {
      sched_yield();
    }
  }
}

void WorkerPool::work() {
  using Clock = std::chrono::steady_clock;
  auto idle_since = Clock::now();
  while (!ending_.load(std::memory_order_relaxed)) {
    const uint32_t calls = calls_.load();
    if (open_.load()) {
      joined_.fetch_add(1);
      if (open_.load()) take_chunks();
      joined_.fetch_sub(1);
      // Until the caller has closed the range, there is nothing more in it.
      while (open_.load(std::memory_order_relaxed) && calls_.load() == calls) _mm_pause();
      idle_since = Clock::now();
      continue;
    }
    for (int i = 0; i < 32 && !open_.load(std::memory_order_relaxed); ++i) _mm_pause();
    if (Clock::now() - idle_since < kAwake) continue;
    sleeping_.fetch_add(1);
    if (!ending_.load() && !open_.load()) calls_.wait(calls);
    sleeping_.fetch_sub(1);
    idle_since = Clock::now();
  }
}

WorkerPoolScope::WorkerPoolScope(WorkerPool* pool) : saved_(t_pool) { t_pool = pool; }
WorkerPoolScope::~WorkerPoolScope() { t_pool = saved_; }

WorkerPool* detail::worker_pool() { return t_pool == kInChunk ? nullptr : t_pool; }
bool detail::in_worker_chunk() { return t_pool == kInChunk; }

}  // namespace paddle
