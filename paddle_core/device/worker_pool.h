// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Worker threads that belong to one thread, for one that runs many short ranges one after the other
// beside other threads of the process. OpenMP's workers go to sleep at once when the process has
// more of them than processors, and waking one takes longer than such a range.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "paddle_core/base/export.h"

namespace paddle {

class PADDLE_API WorkerPool {
 public:
  using ChunkFn = void (*)(void* context, int64_t chunk);

  explicit WorkerPool(int workers);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // fn(context, i) for i in [0, chunks), on this thread and the workers; a chunk that no worker has
  // begun is run here. Called by one thread; fn throws nothing.
  void run(int64_t chunks, void* context, ChunkFn fn);

 private:
  void work();
  void take_chunks();

  // Of the range that runs. Workers read them between joining, which `open_` allows, and leaving.
  void* context_ = nullptr;
  ChunkFn fn_ = nullptr;
  int64_t chunks_ = 0;
  alignas(64) std::atomic<int64_t> next_{0};
  alignas(64) std::atomic<bool> open_{false};
  std::atomic<int> joined_{0};
  alignas(64) std::atomic<uint32_t> calls_{0};  // what sleeping workers wait for
  std::atomic<int> sleeping_{0};
  std::atomic<bool> ending_{false};
  std::vector<std::thread> workers_;
};

// While it lives, ranges of this thread run on the workers of the pool.
class PADDLE_API WorkerPoolScope {
 public:
  explicit WorkerPoolScope(WorkerPool* pool);
  ~WorkerPoolScope();
  WorkerPoolScope(const WorkerPoolScope&) = delete;
  WorkerPoolScope& operator=(const WorkerPoolScope&) = delete;

 private:
  WorkerPool* saved_;
};

namespace detail {
// The pool of this thread, or null; and whether this thread runs a chunk for a pool.
WorkerPool* worker_pool();
bool in_worker_chunk();
}  // namespace detail

}  // namespace paddle
