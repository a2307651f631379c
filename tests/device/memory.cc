// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The two mappings, and blocks of them.
#include "tests/device/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/device/stream.h"

namespace paddle::lagging {
namespace {

std::atomic<long long> g_allocations{0};

constexpr size_t kCapacity = size_t{8} << 30;  // of addresses; pages come with the first write

struct Mapping {
  char* seen = nullptr;  // no access
  char* real = nullptr;
  std::atomic<size_t> used{0};

  Mapping() {
    const int file = memfd_create("lagging device", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, kCapacity) != 0) std::abort();
    void* a = mmap(nullptr, kCapacity, PROT_NONE, MAP_SHARED, file, 0);
    void* b = mmap(nullptr, kCapacity, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (a == MAP_FAILED || b == MAP_FAILED) std::abort();
    close(file);
    seen = static_cast<char*>(a);
    real = static_cast<char*>(b);
  }
  static Mapping& instance() {
    static Mapping* mapping = new Mapping;
    return *mapping;
  }
};

// Sizes are rounded so that blocks fit again.
size_t rounded(size_t bytes) {
  size_t size = 64;
  while (size < bytes && size < (size_t{1} << 20)) size *= 2;
  return bytes <= size ? size : (bytes + 0xfffff) & ~size_t{0xfffff};
}

}  // namespace

bool is_device_memory(const void* address) {
  const Mapping& m = Mapping::instance();
  const char* a = static_cast<const char*>(address);
  return a >= m.seen && a < m.seen + kCapacity;
}

void* translated(const void* address) {
  Mapping& m = Mapping::instance();
  if (!is_device_memory(address)) {
    std::fprintf(stderr, "lagging device: %p is no device memory\n", address);
    std::abort();
  }
  return m.real + (static_cast<const char*>(address) - m.seen);
}

bool LaggingAllocator::reusable(const Freed& block, Stream* stream) const {
  if (block.stream != stream && block.stream != nullptr && !block.stream->query()) return false;
  return std::all_of(block.pending.begin(), block.pending.end(),
                     [](const auto& event) { return event->query(); });
}

long long LaggingAllocator::allocations() { return g_allocations.load(); }

void* PinnedAllocator::allocate(size_t bytes, Stream*) {
  if (bytes == 0) return nullptr;
  live_.fetch_add(bytes);
  return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
}

void PinnedAllocator::free(void* data, size_t bytes, Stream*) noexcept {
  live_.fetch_sub(bytes);
  std::free(data);
}

void* LaggingAllocator::allocate(size_t bytes, Stream* stream) {
  if (bytes == 0) return nullptr;
  g_allocations.fetch_add(1);
  PADDLE_CHECK_KIND(ErrorKind::kMemory, bytes < kCapacity, "allocate: size has value ", bytes,
                    " bytes; the lagging device has ", kCapacity, ".");
  const size_t size = rounded(bytes);
  void* data = nullptr;
  {
    const std::lock_guard lock(mutex_);
    std::vector<Freed>& list = free_[size];
    for (size_t i = list.size(); i-- > 0 && !data;) {
      if (!reusable(list[i], stream)) continue;
      data = list[i].data;
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
      stats_.cached -= size;
    }
    if (!data) {
      Mapping& m = Mapping::instance();
      const size_t at = m.used.fetch_add(size);
      PADDLE_CHECK_KIND(ErrorKind::kMemory, at + size <= kCapacity, "allocate: size has value ",
                        bytes, " bytes while ", at, " of the lagging device's ", kCapacity,
                        " were given out.");
      data = m.seen + at;
    }
    stats_.allocated += size;
    stats_.peak_allocated = std::max(stats_.peak_allocated, stats_.allocated);
  }
  void* real = translated(data);
  const auto poison = [real, size] { std::memset(real, 0xA5, size); };
  stream ? static_cast<LaggingStream*>(stream)->issue(poison) : poison();
  return data;
}

void LaggingAllocator::free(void* data, size_t bytes, Stream* stream) noexcept {
  if (bytes == 0) return;
  const size_t size = rounded(bytes);
  Freed block{data, stream, {}};
  std::set<Stream*> users;
  {
    const std::lock_guard lock(mutex_);
    if (const auto it = users_.find(data); it != users_.end()) {
      users = std::move(it->second);
      users_.erase(it);
    }
  }
  for (Stream* user : users) block.pending.emplace_back(user->record().release(), ReleaseEvent{});
  const std::lock_guard lock(mutex_);
  stats_.allocated -= size;
  stats_.cached += size;
  free_[size].push_back(std::move(block));
}

void LaggingAllocator::record_stream(void* data, Stream& stream) {
  const std::lock_guard lock(mutex_);
  users_[data].insert(&stream);
}

MemoryStats LaggingAllocator::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

void LaggingAllocator::reset_peak() {
  const std::lock_guard lock(mutex_);
  stats_.peak_allocated = stats_.allocated;
}

}  // namespace paddle::lagging
