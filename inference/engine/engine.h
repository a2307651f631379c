// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The thread that runs a model for many requests.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "inference/engine/model_runner.h"
#include "inference/engine/scheduler.h"
#include "paddle_core/base/export.h"

namespace paddle::engine {

struct EngineOptions {
  Limits limits;
  int64_t max_queue = 256;  // requests that wait
  int64_t block_size = 16;
};

// A program of another model, with a cache of its own; without a program there is none.
struct DraftProgram {
  std::shared_ptr<pir::Executable> program;
  TensorList cache;
};

struct EngineStats {
  SchedulerCounts counts;
  int64_t waiting = 0, running = 0, steps = 0, step_tokens = 0;
  int64_t blocks = 0, blocks_used = 0, blocks_shared = 0;
  double step_seconds = 0;
};

// All functions may be called from any thread.
class PADDLE_API Engine {
 public:
  // RuntimeError when the program, at a first run, does not give logits of the vocabulary.
  // make_masks: for requests with a constraint; null where there are none.
  // adapted: the program of steps in which requests have adapters; null where none may have one.
  Engine(std::shared_ptr<pir::Executable> program, TensorList cache, Vocabulary vocabulary,
         EngineOptions options, MaskMaker make_masks = nullptr,
         std::shared_ptr<pir::Executable> adapted = nullptr, DraftProgram draft = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // The id of the request. ValueError for a request that can never be answered.
  // 0: too many requests wait.
  uint64_t submit(Request request);
  void cancel(uint64_t request);
  // Prompts that were answered share nothing with those that come; for a model whose weights have
  // changed while no request ran.
  void forget();
  // What has been answered since the last call; waits for so many seconds where nothing has. Empty
  // after that time, and when the engine is closed.
  std::vector<Piece> poll(double seconds);
  EngineStats stats() const;
  // Cancels all requests and ends the thread.
  void close();
  bool is_closed() const;

 private:
  void work();
  bool take_orders(std::unique_lock<std::mutex>& lock, std::vector<Piece>& pieces);
  void step(std::vector<Piece>& pieces);
  void publish(std::vector<Piece> pieces);

  const EngineOptions options_;
  const Vocabulary vocabulary_;
  const MaskMaker make_masks_;
  const ModelRunner runner_;
  BlockCache cache_;
  const std::unique_ptr<DraftModel> draft_model_;
  Scheduler scheduler_;

  mutable std::mutex mutex_;
  std::condition_variable ordered_, answered_;
  std::vector<RequestPtr> requests_;  // that the thread has not seen yet
  std::vector<uint64_t> cancellations_;
  std::vector<Piece> pieces_;
  EngineStats stats_;
  uint64_t last_id_ = 0;
  bool forgets_ = false, closing_ = false, closed_ = false;
  std::mutex joining_;
  std::thread thread_;
};

}  // namespace paddle::engine
