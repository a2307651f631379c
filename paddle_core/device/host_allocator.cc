// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The slow paths of the host allocator: thread caches and their life, the central bins, the bound
// on what is kept, and the statistics.
#include "paddle_core/device/host_allocator.h"

#include <pthread.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "paddle_core/device/arena.h"
#include "paddle_core/device/range_heap.h"

namespace paddle {
namespace host_memory {

__thread ThreadCache* t_cache = nullptr;

namespace {

__thread Arena* t_arena = nullptr;  // where this thread's large blocks come from

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kCaching = false;
#else
constexpr bool kCaching = true;
#endif

constexpr size_t kMaxBytes = size_t{1} << 47;
constexpr size_t kRangeMin = kArenaMin;  // from here: ranges of pages
constexpr int64_t kSlack = int64_t{64} << 20;
constexpr int kLargeClasses = 4 * (15 - 12);  // up to 32 KiB
constexpr int kClasses = kSmallClasses + kLargeClasses;

constexpr int64_t thread_cache_bound() {
  int64_t sum = 0;
  for (int c = 0; c < kSmallClasses; ++c)
    sum += count_limit(c) * static_cast<int64_t>(kSmallSize[c]);
  return sum;
}

struct SizeClass {
  int index;
  size_t bytes;
};

SizeClass class_of(size_t bytes) {
  if (bytes <= kSmallMax) {
    const int c = kSmallClass.of[(bytes + 63) / 64];
    return {c, kSmallSize[c]};
  }
  // 2^p < bytes <= 2^(p+1), in four steps of 2^(p-2).
  const int p = std::bit_width(bytes - 1) - 1;
  const size_t step = size_t{1} << (p - 2);
  const size_t units = (bytes - (size_t{1} << p) + step - 1) / step;  // 1..4
  return {kSmallClasses + 4 * (p - 12) + static_cast<int>(units) - 1,
          (size_t{1} << p) + units * step};
}

void* system_allocate(size_t bytes) { return std::aligned_alloc(64, bytes); }

// ---- the central part ----

struct Bin {
  FreeBlock* head = nullptr;
  size_t bytes = 0;  // of one block of this class
};

struct Evicted {  // blocks on their way back to the system, linked through their first words
  FreeBlock* head[kClasses] = {};
};

}  // namespace

class Central {
 public:
  static Central& instance() {
    // Never destroyed: blocks are freed until the last thread ends.
    alignas(Central) static std::byte memory[sizeof(Central)];
    static Central* central = new (memory) Central;
    return *central;
  }

  void* allocate(size_t bytes) {
    const size_t taken = taken_by(bytes);
    void* data = try_allocate(bytes, taken);
    if (data == nullptr) {
      release_all();
      data = try_allocate(bytes, taken);
    }
    if (data == nullptr) [[unlikely]]
      throw_no_memory(bytes);
    add_live(static_cast<int64_t>(taken), static_cast<int64_t>(taken));
    return data;
  }

  void free(void* data, size_t bytes) {
    add_live(-static_cast<int64_t>(taken_by(bytes)), 0);
    if (!kCaching) return std::free(data);
    {
      const std::lock_guard lock(mutex_);
      if (bytes >= kRangeMin) {
        heap_of(data).put(data, RangeHeap::rounded(bytes));
      } else {
        put_locked(data, class_of(bytes));
      }
      if (cached_locked() <= bound_locked()) [[likely]]
        return;
    }
    trim(false);
  }

  // Up to `wanted` blocks of a small class that another thread left here.
  uint32_t refill(ThreadCache& cache, int c, uint32_t wanted) {
    const std::lock_guard lock(mutex_);
    uint32_t got = 0;
    while (got < wanted) {
      FreeBlock* block = pop_locked(c);
      if (block == nullptr) break;
      block->next = cache.head[c];
      cache.head[c] = block;
      ++got;
    }
    return got;
  }

  // Moves `n` blocks of a small class from a thread to the central bin.
  void drain(ThreadCache& cache, int c, uint32_t n) {
    {
      const std::lock_guard lock(mutex_);
      for (uint32_t i = 0; i < n; ++i) {
        FreeBlock* block = cache.head[c];
        cache.head[c] = block->next;
        put_locked(block, {c, kSmallSize[c]});
      }
    }
    auto& count = cache.count[c];
    count.store(count.load(std::memory_order_relaxed) - n, std::memory_order_relaxed);
    trim(false);
  }

  void enter(ThreadCache& cache) {
    const std::lock_guard lock(mutex_);
    cache.next = caches_;
    if (caches_) caches_->previous = &cache;
    caches_ = &cache;
    ++threads_;
  }

  void leave(ThreadCache& cache) {
    flush(cache);
    for (int c = 0; c < kSmallClasses; ++c) {
      const uint32_t n = cache.count[c].load(std::memory_order_relaxed);
      if (n != 0) drain(cache, c, n);
    }
    const std::lock_guard lock(mutex_);
    (cache.previous ? cache.previous->next : caches_) = cache.next;
    if (cache.next) cache.next->previous = cache.previous;
    --threads_;
  }

  // Adds a thread's counts to those of the process.
  void flush(ThreadCache& cache) {
    const int64_t delta = cache.pending.exchange(0, std::memory_order_relaxed);
    const int64_t highest = cache.pending_max.exchange(0, std::memory_order_relaxed);
    add_live(delta, std::max(delta, highest));
  }

  MemoryStats stats() {
    const std::lock_guard lock(mutex_);
    int64_t live = live_.load(), cached = cached_locked(), highest = 0;
    for (ThreadCache* t = caches_; t != nullptr; t = t->next) {
      const int64_t pending = t->pending.load(std::memory_order_relaxed);
      live += pending;
      highest += std::max<int64_t>(t->pending_max.load(std::memory_order_relaxed), pending);
      for (int c = 0; c < kSmallClasses; ++c) {
        cached += t->count[c].load(std::memory_order_relaxed) * static_cast<int64_t>(kSmallSize[c]);
      }
    }
    const int64_t peak = std::max({peak_.load(), live, live_.load() + highest});
    return {static_cast<size_t>(std::max<int64_t>(live, 0)), static_cast<size_t>(peak),
            static_cast<size_t>(cached)};
  }

  void reset_peak() {
    const std::lock_guard lock(mutex_);
    for (ThreadCache* t = caches_; t != nullptr; t = t->next) {
      t->pending_max.store(t->pending.load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    peak_ = live_.load();
  }

  void release_all() { trim(true); }

  void open(Arena& arena, size_t bytes) {
    if (!kCaching || bytes == 0) return;
    const std::lock_guard lock(mutex_);
    void* data = ranges_.take(bytes);
    if (data == nullptr) data = ranges_.grow(bytes);
    if (data == nullptr) return;
    arena.begin_ = reinterpret_cast<uintptr_t>(data);
    arena.bytes_ = bytes;
    arena.free_.put(data, bytes);
    arena.next_ = arenas_;
    arenas_ = &arena;
  }

  void close(Arena& arena) {
    if (arena.bytes_ == 0) return;
    {
      const std::lock_guard lock(mutex_);
      Arena** at = &arenas_;
      while (*at != &arena) at = &(*at)->next_;
      *at = arena.next_;
      arena.free_.move_to(ranges_);
      if (cached_locked() <= bound_locked()) [[likely]]
        return;
    }
    trim(false);
  }

  void expect(Arena& arena, std::span<const Arena::Block> blocks) {
    const std::lock_guard lock(mutex_);
    for (const Arena::Block& b : blocks) {
      if (arena.free_.take_at(arena.begin_ + b.offset, b.bytes)) arena.expected_.push_back(b);
    }
  }

  void put_expected_back(Arena& arena) {
    const std::lock_guard lock(mutex_);
    for (const Arena::Block& b : arena.expected_) {
      arena.free_.put(reinterpret_cast<void*>(arena.begin_ + b.offset), b.bytes);
    }
    arena.expected_.clear();
  }

  [[noreturn, gnu::cold]] void throw_no_memory(size_t bytes) {
    throw_error(ErrorKind::kMemory,
                str("allocate: size has value ", bytes, " bytes while ", stats().allocated,
                    " bytes are in use on Place(cpu); the system has no such block; use smaller "
                    "tensors or free others first."));
  }

 private:
  Central() {
    // A child of fork() must not inherit a lock that another thread of the parent holds.
    pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                   [] { instance().mutex_.unlock(); });
  }

  static size_t taken_by(size_t bytes) {
    if (!kCaching) return (bytes + 63) & ~size_t{63};
    return bytes >= kRangeMin ? RangeHeap::rounded(bytes) : class_of(bytes).bytes;
  }

  // Null when neither this nor the system has as much.
  void* try_allocate(size_t bytes, size_t taken) {
    if (kCaching) {
      const std::lock_guard lock(mutex_);
      if (bytes >= kRangeMin) {
        void* data = t_arena != nullptr ? t_arena->take(taken) : nullptr;
        if (data == nullptr) data = ranges_.take(taken);
        return data != nullptr ? data : ranges_.grow(taken);
      }
      if (FreeBlock* block = pop_locked(class_of(bytes).index)) return block;
    }
    return system_allocate(taken);
  }

  RangeHeap& heap_of(const void* data) {
    for (Arena* arena = arenas_; arena != nullptr; arena = arena->next_) {
      if (arena->holds(data)) return arena->free_;
    }
    return ranges_;
  }

  FreeBlock* pop_locked(int index) {
    Bin& bin = bins_[index];
    FreeBlock* block = bin.head;
    if (block == nullptr) return nullptr;
    bin.head = block->next;
    cached_ -= static_cast<int64_t>(bin.bytes);
    return block;
  }

  void put_locked(void* data, SizeClass k) {
    auto* block = static_cast<FreeBlock*>(data);
    Bin& bin = bins_[k.index];
    block->next = bin.head;
    bin.head = block;
    bin.bytes = k.bytes;
    cached_ += static_cast<int64_t>(k.bytes);
  }

  int64_t cached_locked() const { return cached_ + static_cast<int64_t>(ranges_.free_bytes()); }

  // What may be kept here, given that every thread's lists are as full as they may be.
  int64_t bound_locked() const {
    return peak_.load(std::memory_order_relaxed) + kSlack - threads_ * thread_cache_bound();
  }

  // Gives memory back until no more than may be kept is left, the largest parts first.
  void trim(bool everything) {
    Evicted evicted;
    {
      const std::lock_guard lock(mutex_);
      const int64_t limit = limit_locked(everything);
      while (cached_locked() > limit && ranges_.shrink()) {
      }
      trim_bins_locked(limit, evicted);
    }
    give_back(evicted);
  }

  int64_t limit_locked(bool everything) const {
    return everything ? 0 : std::max<int64_t>(bound_locked(), 0);
  }

  void trim_bins_locked(int64_t limit, Evicted& out) {
    for (int c = kClasses - 1; c >= 0; --c) {
      while (cached_locked() > limit && bins_[c].head != nullptr) {
        FreeBlock* block = pop_locked(c);
        block->next = out.head[c];
        out.head[c] = block;
      }
    }
  }

  static void give_back(Evicted& evicted) {
    for (FreeBlock* head : evicted.head) {
      while (FreeBlock* block = head) {
        head = block->next;
        std::free(block);
      }
    }
  }

  // `highest`: the largest value that the sum had on the way, relative to its value before.
  void add_live(int64_t delta, int64_t highest) {
    const int64_t before = live_.fetch_add(delta, std::memory_order_relaxed);
    int64_t peak = peak_.load(std::memory_order_relaxed);
    while (before + highest > peak && !peak_.compare_exchange_weak(peak, before + highest)) {
    }
  }

  std::mutex mutex_;
  Bin bins_[kClasses];
  RangeHeap ranges_;
  Arena* arenas_ = nullptr;  // open ones, whose memory is not part of `ranges_`
  int64_t cached_ = 0;       // in the bins
  int64_t threads_ = 0;
  ThreadCache* caches_ = nullptr;
  std::atomic<int64_t> live_{0}, peak_{0};
};

// ---- arenas ----

Arena::Arena(size_t bytes) { Central::instance().open(*this, bytes); }
Arena::~Arena() { Central::instance().close(*this); }

void* Arena::take(size_t bytes) {
  for (Block& b : expected_) {
    if (b.bytes != bytes) continue;
    void* data = reinterpret_cast<void*>(begin_ + b.offset);
    b = expected_.back();
    expected_.pop_back();
    return data;
  }
  return free_.take(bytes);
}

Arena::Step::Step(Arena& arena, std::span<const Block> expected)
    : before_(std::exchange(t_arena, arena.bytes_ > 0 ? &arena : nullptr)) {
  if (t_arena != nullptr && !expected.empty()) Central::instance().expect(arena, expected);
}

Arena::Step::~Step() {
  Arena* const arena = std::exchange(t_arena, before_);
  if (arena != nullptr && !arena->expected_.empty()) Central::instance().put_expected_back(*arena);
}

OutsideArena::OutsideArena() : before_(std::exchange(t_arena, nullptr)) {}
OutsideArena::~OutsideArena() { t_arena = before_; }

namespace {

// ---- life of a thread's cache ----

__thread bool t_exited __attribute__((tls_model("initial-exec"))) = false;

struct ExitHook {
  ~ExitHook() {
    t_exited = true;
    ThreadCache* cache = t_cache;
    t_cache = nullptr;
    if (cache == nullptr) return;
    Central::instance().leave(*cache);
    delete cache;
  }
};

// The thread's cache, made now if need be; null when there is none any more.
ThreadCache* own_cache() {
  if (!kCaching || t_exited) return nullptr;
  if (t_cache != nullptr) return t_cache;
  auto* cache = new (std::nothrow) ThreadCache;
  if (cache == nullptr) return nullptr;
  Central::instance().enter(*cache);
  t_cache = cache;
  static thread_local ExitHook hook;
  static_cast<void>(&hook);
  return cache;
}

void count_small(ThreadCache& cache, int64_t bytes) {
  const int64_t pending = cache.pending.load(std::memory_order_relaxed) + bytes;
  cache.pending.store(pending, std::memory_order_relaxed);
  if (pending > cache.pending_max.load(std::memory_order_relaxed)) {
    cache.pending_max.store(pending, std::memory_order_relaxed);
  }
  if (pending >= kPendingLimit || pending <= -kPendingLimit) Central::instance().flush(cache);
}

}  // namespace

void* allocate_slow(size_t bytes) {
  if (bytes == 0) return nullptr;
  Central& central = Central::instance();
  if (bytes > kMaxBytes) central.throw_no_memory(bytes);
  ThreadCache* cache = bytes <= kSmallMax ? own_cache() : nullptr;
  if (cache == nullptr) {
    if (t_cache != nullptr) central.flush(*t_cache);  // keeps the peak of a thread exact
    return central.allocate(bytes);
  }
  const int c = kSmallClass.of[(bytes + 63) / 64];
  if (cache->head[c] == nullptr) {
    const uint32_t got = central.refill(*cache, c, count_limit(c) / 2);
    cache->count[c].store(got, std::memory_order_relaxed);
  }
  void* data = cache->head[c];
  if (data != nullptr) {
    cache->head[c] = cache->head[c]->next;
    auto& count = cache->count[c];
    count.store(count.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  } else {
    data = system_allocate(kSmallSize[c]);
    if (data == nullptr) {
      central.release_all();
      data = system_allocate(kSmallSize[c]);
    }
    if (data == nullptr) central.throw_no_memory(bytes);
  }
  count_small(*cache, static_cast<int64_t>(kSmallSize[c]));
  return data;
}

void free_slow(void* data, size_t bytes) noexcept {
  if (data == nullptr || bytes == 0) return;
  Central& central = Central::instance();
  ThreadCache* cache = bytes <= kSmallMax ? own_cache() : nullptr;
  if (cache == nullptr) {
    if (t_cache != nullptr) central.flush(*t_cache);
    return central.free(data, bytes);
  }
  const int c = kSmallClass.of[(bytes + 63) / 64];
  if (cache->count[c].load(std::memory_order_relaxed) >= count_limit(c)) {
    central.drain(*cache, c, count_limit(c) / 2);
  }
  auto* block = static_cast<FreeBlock*>(data);
  block->next = cache->head[c];
  cache->head[c] = block;
  auto& count = cache->count[c];
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  count_small(*cache, -static_cast<int64_t>(kSmallSize[c]));
}

namespace {

class HostAllocator final : public Allocator {
 public:
  void* allocate(size_t bytes, Stream* = nullptr) override { return host_memory::allocate(bytes); }
  void free(void* data, size_t bytes, Stream* = nullptr) noexcept override {
    host_memory::free(data, bytes);
  }
  MemoryStats stats() const override { return Central::instance().stats(); }
  void reset_peak() override { Central::instance().reset_peak(); }
  void release_cached() override {
    if (ThreadCache* cache = t_cache) {
      for (int c = 0; c < kSmallClasses; ++c) {
        const uint32_t n = cache->count[c].load(std::memory_order_relaxed);
        if (n != 0) Central::instance().drain(*cache, c, n);
      }
    }
    Central::instance().release_all();
  }
};

}  // namespace
}  // namespace host_memory

Allocator& host_allocator() {
  static auto* allocator = new host_memory::HostAllocator;
  return *allocator;
}

}  // namespace paddle
