// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Ranges stand in a fixed array of slots. One word of a slot holds its generation, the next chunk
// and the number of chunks; taking a chunk is one compare-and-swap on it. Whoever took a chunk may
// read the rest of the slot, which does not change before all chunks are done; whoever fails has
// touched nothing else, so that no reader has to be waited for.
#include "paddle_core/device/thread_pool.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <mutex>

namespace paddle::thread_pool {
namespace {

constexpr int kSlots = 32;
constexpr int kMaxWorkers = 4095;
constexpr int64_t kSpinNanoseconds = 50'000;

// [generation: 32][next chunk: 16][chunks: 16]
constexpr uint64_t kChunkBits = 16, kChunkMask = 0xffff;
uint64_t chunks_of(uint64_t word) { return word & kChunkMask; }
uint64_t next_of(uint64_t word) { return (word >> kChunkBits) & kChunkMask; }

struct alignas(64) Slot {
  std::atomic<uint64_t> word{0};
  std::atomic<bool> taken{false};
  std::atomic<uint32_t> done{0};
  std::atomic<bool> caller_sleeps{false};
  ChunkFn fn = nullptr;
  void* context = nullptr;
};

struct Pool {
  Slot slots[kSlots];
  alignas(64) std::atomic<uint32_t> epoch{0};  // grows with each range; what workers sleep on
  std::atomic<int> sleepers{0};
  std::atomic<int> workers{0};
  std::mutex creation;
};

Pool& pool() {
  static Pool* const instance = new Pool;  // workers outlive static objects
  return *instance;
}

__thread bool t_inside __attribute__((tls_model("initial-exec"))) = false;

void futex_wait(std::atomic<uint32_t>& word, uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}
void futex_wake(std::atomic<uint32_t>& word, int count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

int64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

// Spins until ready() or for kSpinNanoseconds; what ready() said last.
template <typename Ready>
bool spin(Ready&& ready) {
  const int64_t end = now_ns() + kSpinNanoseconds;
  do {
    for (int i = 0; i < 32; ++i) {
      if (ready()) return true;
      pause();
    }
  } while (now_ns() < end);
  return ready();
}

// Runs one chunk of the slot's range; false when none is left to begin.
bool run_one(Slot& slot) {
  uint64_t word = slot.word.load(std::memory_order_acquire);
  do {
    if (next_of(word) >= chunks_of(word)) return false;
  } while (!slot.word.compare_exchange_weak(word, word + (uint64_t{1} << kChunkBits),
                                            std::memory_order_acq_rel, std::memory_order_acquire));
  const auto chunks = static_cast<uint32_t>(chunks_of(word));
  slot.fn(slot.context, static_cast<int64_t>(next_of(word)));
  // The last one wakes the caller; after the addition the slot may be another range's.
  if (slot.done.fetch_add(1) + 1 == chunks && slot.caller_sleeps.load()) {
    futex_wake(slot.done, INT_MAX);
  }
  return true;
}

bool run_any(Pool& p) {
  bool found = false;
  for (Slot& slot : p.slots) {
    while (run_one(slot)) found = true;
  }
  return found;
}

void* work(void*) {
  t_inside = true;
  Pool& p = pool();
  for (;;) {
    const uint32_t epoch = p.epoch.load();
    if (run_any(p)) continue;
    if (spin([&] { return p.epoch.load(std::memory_order_relaxed) != epoch; })) continue;
    p.sleepers.fetch_add(1);
    futex_wait(p.epoch, epoch);
    p.sleepers.fetch_sub(1);
  }
}

// As many as the system allows; a range runs with those that there are.
void need_workers(Pool& p, int count) {
  if (p.workers.load(std::memory_order_relaxed) >= count) return;
  const std::lock_guard lock(p.creation);
  // Signals are for the threads of the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (p.workers.load() < count) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, work, nullptr) != 0) break;
    pthread_detach(thread);
    p.workers.fetch_add(1);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Slot* take_slot(Pool& p) {
  for (Slot& slot : p.slots) {
    if (!slot.taken.load(std::memory_order_relaxed) && !slot.taken.exchange(true)) return &slot;
  }
  return nullptr;
}

// Waits for chunks that workers have begun.
void wait_until_done(Slot& slot, uint32_t chunks) {
  const auto ready = [&] { return slot.done.load(std::memory_order_acquire) == chunks; };
  if (spin(ready)) return;
  slot.caller_sleeps.store(true);
  for (uint32_t done = slot.done.load(); done != chunks; done = slot.done.load()) {
    futex_wait(slot.done, done);
  }
  slot.caller_sleeps.store(false);
}

class Inside {
 public:
  Inside() { t_inside = true; }
  ~Inside() { t_inside = false; }
};

}  // namespace

bool is_inside() { return t_inside; }

void run(int64_t chunks, void* context, ChunkFn fn) {
  const Inside inside;
  Pool& p = pool();
  Slot* slot = chunks > 1 && chunks <= static_cast<int64_t>(kChunkMask) ? take_slot(p) : nullptr;
  if (!slot) {  // as many ranges run as there are slots
    for (int64_t i = 0; i < chunks; ++i) fn(context, i);
    return;
  }
  const int helpers = static_cast<int>(std::min<int64_t>(chunks - 1, kMaxWorkers));
  need_workers(p, helpers);
  slot->fn = fn;
  slot->context = context;
  slot->done.store(0, std::memory_order_relaxed);
  const uint64_t generation = (slot->word.load(std::memory_order_relaxed) >> 32) + 1;
  slot->word.store(generation << 32 | static_cast<uint64_t>(chunks));
  p.epoch.fetch_add(1);
  if (p.sleepers.load() > 0) futex_wake(p.epoch, helpers);
  while (run_one(*slot)) {
  }
  wait_until_done(*slot, static_cast<uint32_t>(chunks));
  slot->taken.store(false, std::memory_order_release);
}

}  // namespace paddle::thread_pool
