// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Splitting, joining, and memory of the system.
#include "paddle_core/device/range_heap.h"

#include <sys/mman.h>

#include <iterator>
#include <new>

namespace paddle::host_memory {
namespace {

constexpr size_t kHuge = size_t{2} << 20;
constexpr int kAccess = PROT_READ | PROT_WRITE, kKind = MAP_PRIVATE | MAP_ANONYMOUS;

size_t whole_huge_pages(size_t bytes) { return (bytes + kHuge - 1) & ~(kHuge - 1); }

uintptr_t in_huge_pages(void* data, size_t bytes) {
  madvise(data, bytes, MADV_HUGEPAGE);
  return reinterpret_cast<uintptr_t>(data);
}

// 0 when the system has none.
uintptr_t map_anywhere(size_t bytes) {
  // The kernel gives huge pages only to aligned ranges: map more, cut both ends off.
  void* base = mmap(nullptr, bytes + kHuge, kAccess, kKind, -1, 0);
  if (base == MAP_FAILED) return 0;
  const auto at = reinterpret_cast<uintptr_t>(base);
  const uintptr_t begin = whole_huge_pages(at);
  if (begin > at) munmap(base, begin - at);
  if (at + kHuge > begin) munmap(reinterpret_cast<void*>(begin + bytes), at + kHuge - begin);
  return in_huge_pages(reinterpret_cast<void*>(begin), bytes);
}

// The `bytes` that end at `end`; 0 when they are not free or the system has none.
uintptr_t map_below(uintptr_t end, size_t bytes) {
  if (end <= bytes) return 0;
  void* wanted = reinterpret_cast<void*>(end - bytes);
  void* got = mmap(wanted, bytes, kAccess, kKind | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) return 0;
  if (got != wanted) {  // a kernel that takes the address for a wish
    munmap(got, bytes);
    return 0;
  }
  return in_huge_pages(got, bytes);
}

}  // namespace

// Far from where the system and others map memory, so that nothing lies below the heap when it
// grows. Nothing is reserved, which a limit of addresses (RLIMIT_AS) would count.
uintptr_t RangeHeap::first_end() const {
#if defined(__SANITIZE_THREAD__)
  // ThreadSanitizer keeps notes in the middle of the addresses: the lowest 512 GiB are the
  // program's.
  constexpr uintptr_t kTop = uintptr_t{512} << 30, kStep = uintptr_t{1} << 26;
#else
  constexpr uintptr_t kTop = uintptr_t{48} << 40, kStep = uintptr_t{1} << 30;
#endif
  const uintptr_t random = reinterpret_cast<uintptr_t>(this) >> 12;  // as the loader placed us
  return kTop - random % 4096 * kStep;
}

void* RangeHeap::take(size_t bytes) {
  // The last range that is large enough, the highest of its size: the lower end is where the heap
  // grows.
  auto fit = by_size_.upper_bound({UINTPTR_MAX, bytes});
  if (fit == by_size_.begin()) return nullptr;
  --fit;
  const Range found = *fit;
  const auto at = by_address_.find(found.begin);
  if (found.bytes == bytes) {
    remove(at);
  } else {
    auto node = by_size_.extract(fit);
    node.value().bytes -= bytes;
    by_size_.insert(std::move(node));
    at->second -= bytes;
    free_bytes_ -= bytes;
  }
  return reinterpret_cast<void*>(found.begin + found.bytes - bytes);
}

void* RangeHeap::grow(size_t bytes) {
  if (lowest_ == 0) lowest_ = first_end();
  const auto bottom = by_address_.find(lowest_);
  const size_t have = bottom == by_address_.end() ? 0 : bottom->second;
  size_t missing = whole_huge_pages(bytes - have);
  uintptr_t begin = map_below(lowest_, missing);
  if (begin == 0) {
    missing = whole_huge_pages(bytes);
    begin = map_anywhere(missing);
  }
  if (begin == 0) return nullptr;
  lowest_ = begin;
  put(reinterpret_cast<void*>(begin), missing);
  return take(bytes);
}

bool RangeHeap::take_at(uintptr_t begin, size_t bytes) {
  auto at = by_address_.upper_bound(begin);
  if (at == by_address_.begin()) return false;
  --at;
  const Range found{at->first, at->second};
  if (begin + bytes > found.begin + found.bytes) return false;
  remove(at);
  if (found.begin < begin) add(found.begin, begin - found.begin);
  const size_t behind = found.begin + found.bytes - (begin + bytes);
  if (behind > 0) add(begin + bytes, behind);
  return true;
}

void RangeHeap::move_to(RangeHeap& other) noexcept {
  for (const auto& [begin, bytes] : by_address_) other.put(reinterpret_cast<void*>(begin), bytes);
  by_address_.clear();
  by_size_.clear();
  free_bytes_ = 0;
}

void RangeHeap::put(void* data, size_t bytes) noexcept {
  try {
    add(reinterpret_cast<uintptr_t>(data), bytes);
  } catch (const std::bad_alloc&) {
    release({reinterpret_cast<uintptr_t>(data), bytes});
  }
}

void RangeHeap::add(uintptr_t begin, size_t bytes) {
  const size_t added = bytes;
  const auto after = by_address_.lower_bound(begin);
  const bool joins_after = after != by_address_.end() && after->first == begin + bytes;
  const bool joins_before =
      after != by_address_.begin() && std::prev(after)->first + std::prev(after)->second == begin;
  if (joins_after) bytes += after->second;
  if (joins_before) {
    const auto before = std::prev(after);
    auto node = by_size_.extract(Range{before->first, before->second});
    node.value().bytes += bytes;
    by_size_.insert(std::move(node));
    if (joins_after) by_size_.erase({after->first, after->second});
    before->second += bytes;
    if (joins_after) by_address_.erase(after);
  } else if (joins_after) {
    auto node = by_size_.extract(Range{after->first, after->second});
    node.value() = {begin, bytes};
    by_size_.insert(std::move(node));
    auto place = by_address_.extract(after);
    place.key() = begin;
    place.mapped() = bytes;
    by_address_.insert(std::move(place));
  } else {
    const auto sized = by_size_.insert({begin, bytes}).first;
    try {
      by_address_.emplace_hint(after, begin, bytes);
    } catch (...) {
      by_size_.erase(sized);
      throw;
    }
  }
  free_bytes_ += added;
}

void RangeHeap::remove(ByAddress::iterator range) {
  free_bytes_ -= range->second;
  by_size_.erase({range->first, range->second});
  by_address_.erase(range);
}

bool RangeHeap::shrink() noexcept {
  if (by_size_.empty()) return false;
  const Range largest = *by_size_.begin();
  remove(by_address_.find(largest.begin));
  if (largest.begin == lowest_) lowest_ += largest.bytes;
  release(largest);
  return true;
}

void RangeHeap::release(const Range& range) noexcept {
  munmap(reinterpret_cast<void*>(range.begin), range.bytes);
}

}  // namespace paddle::host_memory
