// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Memory for large blocks: ranges of pages that are split for smaller blocks and joined with their
// neighbours when they are free again, so that tensors of many sizes share the same memory. New
// memory comes in huge pages below the last, far from what others map, and joins as well.
// Not thread-safe: the host allocator locks it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

namespace paddle::host_memory {

class RangeHeap {
 public:
  // What a block of `bytes` takes: whole pages. Blocks of a whole number of MiB get one more, as
  // memory is slow (half as fast) when operands lie a large power of two apart.
  static size_t rounded(size_t bytes) {
    const size_t pages = (bytes + kPage - 1) & ~(kPage - 1);
    return pages % kMiB == 0 ? pages + kPage : pages;
  }

  // A block of rounded size out of the smallest free range that holds it; null when there is none.
  void* take(size_t bytes);
  // The same after asking the system for as much as is missing; null when it has no more.
  void* grow(size_t bytes);
  // The block at `begin`; false when a part of it is taken.
  bool take_at(uintptr_t begin, size_t bytes);
  void put(void* data, size_t bytes) noexcept;
  // All that is free goes to `other`.
  void move_to(RangeHeap& other) noexcept;
  size_t free_bytes() const { return free_bytes_; }

  // Gives the largest free range back to the system; false when there is none.
  bool shrink() noexcept;

 private:
  static constexpr size_t kPage = 4096, kMiB = size_t{1} << 20;
  struct Range {
    uintptr_t begin;
    size_t bytes;
  };
  struct LargerFirst {
    bool operator()(const Range& a, const Range& b) const {
      return a.bytes != b.bytes ? a.bytes > b.bytes : a.begin < b.begin;
    }
  };
  using ByAddress = std::map<uintptr_t, size_t>;

  void add(uintptr_t begin, size_t bytes);
  void remove(ByAddress::iterator range);
  uintptr_t first_end() const;
  static void release(const Range& range) noexcept;

  ByAddress by_address_;
  std::set<Range, LargerFirst> by_size_;
  uintptr_t lowest_ = 0;  // where the memory that came last begins
  size_t free_bytes_ = 0;
};

}  // namespace paddle::host_memory
