// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The host allocator with its fast path inline. Blocks up to 32 KiB come in size classes with four
// steps per doubling: those up to 4 KiB live on per-thread free lists that take no lock, larger
// ones on central bins under a mutex. Beyond that they are ranges of pages (range_heap.h). A block
// freed on another thread joins that thread's list.
//
// Bound: free bytes kept never exceed the peak of live bytes + 64 MiB. Under AddressSanitizer
// nothing is kept, so that every use after free is seen.
//
// Only code of the same shared library may use what is in this header; others use Allocator.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "paddle_core/device/device.h"

namespace paddle {
namespace host_memory {

inline constexpr size_t kSmallMax = 4096;
inline constexpr int kSmallClasses = 20;
inline constexpr size_t kSmallSize[kSmallClasses] = {64,   128,  192,  256,  320,  384,  448,
                                                     512,  640,  768,  896,  1024, 1280, 1536,
                                                     1792, 2048, 2560, 3072, 3584, 4096};
// Class of a block of n * 64 bytes, 1 <= n <= 64.
struct SmallClassTable {
  uint8_t of[kSmallMax / 64 + 1] = {};
  constexpr SmallClassTable() {
    for (size_t n = 1, c = 0; n <= kSmallMax / 64; ++n) {
      if (n * 64 > kSmallSize[c]) ++c;
      of[n] = static_cast<uint8_t>(c);
    }
  }
};
inline constexpr SmallClassTable kSmallClass;

struct FreeBlock {
  FreeBlock* next;
};

// Written by its own thread only; other threads read the counters (relaxed) for the statistics.
struct ThreadCache {
  FreeBlock* head[kSmallClasses] = {};
  std::atomic<uint32_t> count[kSmallClasses] = {};
  std::atomic<int64_t> pending{0};      // live bytes not yet added to the process-wide count
  std::atomic<int64_t> pending_max{0};  // the largest value of `pending` since it was last 0
  ThreadCache* next = nullptr;
  ThreadCache* previous = nullptr;
};

// Null until the thread's first allocation and after its exit.
extern __thread ThreadCache* t_cache
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

inline constexpr int64_t kPendingLimit = 64 << 10;
inline constexpr uint32_t count_limit(int c) {
  return static_cast<uint32_t>(65536 / kSmallSize[c] < 256 ? 65536 / kSmallSize[c] : 256);
}

__attribute__((visibility("hidden"))) void* allocate_slow(size_t bytes);
__attribute__((visibility("hidden"))) void free_slow(void* data, size_t bytes) noexcept;

inline void* allocate(size_t bytes) {
  ThreadCache* cache = t_cache;
  // bytes == 0 wraps around and goes to the slow path.
  if (bytes - 1 < kSmallMax && cache != nullptr) [[likely]] {
    const int c = kSmallClass.of[(bytes + 63) / 64];
    FreeBlock* block = cache->head[c];
    const auto size = static_cast<int64_t>(kSmallSize[c]);
    const int64_t pending = cache->pending.load(std::memory_order_relaxed) + size;
    if (block != nullptr && pending < kPendingLimit) [[likely]] {
      cache->head[c] = block->next;
      auto& count = cache->count[c];
      count.store(count.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
      cache->pending.store(pending, std::memory_order_relaxed);
      if (pending > cache->pending_max.load(std::memory_order_relaxed)) {
        cache->pending_max.store(pending, std::memory_order_relaxed);
      }
      return block;
    }
  }
  return allocate_slow(bytes);
}

inline void free(void* data, size_t bytes) noexcept {
  ThreadCache* cache = t_cache;
  if (bytes - 1 < kSmallMax && cache != nullptr) [[likely]] {
    const int c = kSmallClass.of[(bytes + 63) / 64];
    auto& count = cache->count[c];
    const uint32_t n = count.load(std::memory_order_relaxed);
    const int64_t pending =
        cache->pending.load(std::memory_order_relaxed) - static_cast<int64_t>(kSmallSize[c]);
    if (n < count_limit(c) && pending > -kPendingLimit) [[likely]] {
      auto* block = static_cast<FreeBlock*>(data);
      block->next = cache->head[c];
      cache->head[c] = block;
      count.store(n + 1, std::memory_order_relaxed);
      cache->pending.store(pending, std::memory_order_relaxed);
      return;
    }
  }
  free_slow(data, bytes);
}

}  // namespace host_memory
}  // namespace paddle
