// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The thread takes what was ordered, makes a batch, runs it, chooses, and hands the pieces out.
#include "inference/engine/engine.h"

#include <chrono>

#include "inference/engine/sampler.h"
#include "paddle_core/base/error.h"
#include "paddle_core/device/parallel.h"
#include "paddle_core/device/worker_pool.h"
#include "paddle_core/dispatch/state.h"

namespace paddle::engine {

namespace {

using Clock = std::chrono::steady_clock;

void check(const Request& r, const Vocabulary& vocabulary, const Limits& limits) {
  const auto tokens = std::ssize(r.prompt);
  PADDLE_CHECK_VALUE(tokens > 0, "Engine: the prompt has no tokens.");
  PADDLE_CHECK_VALUE(tokens < limits.max_length, "Engine: the prompt has ", tokens,
                     " tokens; with an answer of at least one token the bound is ",
                     limits.max_length, " (max_model_len).");
  const auto known = [&](TokenId t) { return t >= 0 && t < vocabulary.size(); };
  for (const TokenId t : r.prompt) {
    PADDLE_CHECK_VALUE(known(t), "Engine: the prompt has token ", t, "; the vocabulary has ",
                       vocabulary.size(), ".");
  }
  for (const auto& [t, bias] : r.sampling.logit_bias) {
    PADDLE_CHECK_VALUE(known(t), "Engine: logit_bias names token ", t, "; the vocabulary has ",
                       vocabulary.size(), ".");
  }
  PADDLE_CHECK_VALUE(r.max_tokens > 0, "Engine: max_tokens has the value ", r.max_tokens,
                     "; it must be positive.");
  PADDLE_CHECK_VALUE(r.answers > 0, "Engine: n has the value ", r.answers,
                     "; it must be positive.");
  for (const std::string& s : r.stop) {
    PADDLE_CHECK_VALUE(!s.empty(), "Engine: a text of `stop` is empty.");
  }
}

}  // namespace

Engine::Engine(std::shared_ptr<pir::Executable> program, TensorList cache, Vocabulary vocabulary,
               EngineOptions options, MaskMaker make_masks,
               std::shared_ptr<pir::Executable> adapted, DraftProgram draft)
    : options_(options),
      vocabulary_(std::move(vocabulary)),
      make_masks_(std::move(make_masks)),
      runner_(std::move(program), std::move(adapted), std::move(cache)),
      cache_(runner_.num_blocks(), options.block_size,
             [this](int32_t from, int32_t to) { runner_.copy_block(from, to); }),
      draft_model_(draft.program ? std::make_unique<DraftModel>(
                                       std::move(draft.program), std::move(draft.cache),
                                       options.block_size, options.limits.max_step_tokens)
                                 : nullptr),
      scheduler_(options.limits, vocabulary_, cache_, draft_model_.get()) {
  const Limits& limits = options_.limits;
  PADDLE_CHECK_VALUE(limits.max_batch > 0 && limits.max_step_tokens >= limits.max_batch,
                     "Engine: max_batch is ", limits.max_batch, " and max_step_tokens ",
                     limits.max_step_tokens,
                     "; the first must be positive, the second at least as large.");
  PADDLE_CHECK_VALUE(runner_.num_blocks() * options_.block_size >= limits.max_length,
                     "Engine: the cache has room for ", runner_.num_blocks() * options_.block_size,
                     " tokens; one request may need ", limits.max_length,
                     ". Give more cache_bytes or a smaller max_model_len.");
  stats_.blocks = runner_.num_blocks();
  thread_ = std::thread([this] { work(); });
}

Engine::~Engine() { close(); }

uint64_t Engine::submit(Request request) {
  check(request, vocabulary_, options_.limits);
  PADDLE_CHECK_VALUE(request.adapter_slot == 0 || runner_.knows_adapters(),
                     "Engine: the request has an adapter, and there is no program for adapters.");
  PADDLE_CHECK_VALUE(!request.constraint || make_masks_,
                     "Engine: the request has a constraint, and nobody makes its masks.");
  const std::lock_guard lock(mutex_);
  PADDLE_CHECK_RUNTIME(!closing_, "Engine: it is closed.");
  if (stats_.waiting + std::ssize(requests_) >= options_.max_queue) return 0;
  request.id = ++last_id_;
  requests_.push_back(std::make_shared<const Request>(std::move(request)));
  ordered_.notify_one();
  return last_id_;
}

void Engine::cancel(uint64_t request) {
  const std::lock_guard lock(mutex_);
  cancellations_.push_back(request);
  ordered_.notify_one();
}

void Engine::forget() {
  const std::lock_guard lock(mutex_);
  forgets_ = true;
}

std::vector<Piece> Engine::poll(double seconds) {
  std::unique_lock lock(mutex_);
  answered_.wait_for(lock, std::chrono::duration<double>(seconds),
                     [&] { return !pieces_.empty() || closed_; });
  return std::exchange(pieces_, {});
}

EngineStats Engine::stats() const {
  const std::lock_guard lock(mutex_);
  EngineStats out = stats_;
  out.waiting += std::ssize(requests_);
  return out;
}

bool Engine::is_closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

void Engine::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    ordered_.notify_one();
  }
  const std::lock_guard lock(joining_);
  if (thread_.joinable()) thread_.join();
}

// False when the engine closes. Waits while there is nothing to do.
bool Engine::take_orders(std::unique_lock<std::mutex>& lock, std::vector<Piece>& pieces) {
  const bool idle = scheduler_.num_running() + scheduler_.num_waiting() == 0;
  if (idle) {
    ordered_.wait(lock, [&] { return closing_ || !requests_.empty() || !cancellations_.empty(); });
  }
  for (const RequestPtr& r : requests_) scheduler_.add(r);
  requests_.clear();
  for (const uint64_t id : cancellations_) scheduler_.cancel(id, pieces);
  cancellations_.clear();
  // Last: the blocks of an answer that was cancelled are kept for others.
  if (std::exchange(forgets_, false)) cache_.forget();
  return !closing_;
}

void Engine::step(std::vector<Piece>& pieces) {
  const auto begin = Clock::now();
  Batch batch;
  try {
    batch = scheduler_.next();
    if (batch.empty()) return;
    const Tensor logits = runner_.run(batch);
    scheduler_.accept(batch, choose(batch, logits, make_masks_), pieces);
  } catch (const std::exception& e) {
    // What the cache holds of the answers of this step is not known.
    scheduler_.end_all(Finish::kError, e.what(), pieces);
    cache_.forget();
  }
  const std::lock_guard lock(mutex_);
  stats_.step_seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  ++stats_.steps;
  stats_.step_tokens += std::ssize(batch.ids);
}

void Engine::publish(std::vector<Piece> pieces) {
  const std::lock_guard lock(mutex_);
  stats_.counts = scheduler_.counts();
  stats_.waiting = static_cast<int64_t>(scheduler_.num_waiting());
  stats_.running = static_cast<int64_t>(scheduler_.num_running());
  stats_.blocks_used = cache_.num_blocks() - cache_.num_available();
  stats_.blocks_shared = cache_.num_shared();
  if (pieces.empty()) return;
  pieces_.insert(pieces_.end(), std::make_move_iterator(pieces.begin()),
                 std::make_move_iterator(pieces.end()));
  answered_.notify_all();
}

void Engine::work() {
  const ModeGuard no_grad(kModeAutograd);
  WorkerPool workers(num_threads() - 1);
  const WorkerPoolScope scope(&workers);
  std::vector<Piece> pieces;
  for (;;) {
    bool goes_on;
    {
      std::unique_lock lock(mutex_);
      goes_on = take_orders(lock, pieces);
    }
    if (!goes_on) break;
    step(pieces);
    publish(std::exchange(pieces, {}));
  }
  scheduler_.end_all(Finish::kCancelled, "", pieces);
  publish(std::move(pieces));
  const std::lock_guard lock(mutex_);
  closed_ = true;
  answered_.notify_all();
}

}  // namespace paddle::engine
