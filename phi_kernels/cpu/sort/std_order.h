// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sorting and selection by keys alone that leave equal keys in the order in which std::sort and
// std::nth_element of the GNU library leave them: the one that programs know from PaddlePaddle,
// whose kernels call these. Introsort (Musser, 1997) whose partitions find the entries to exchange
// in blocks, without branches (Edelkamp and Weiss, arXiv 1604.06697): a Hoare partition exchanges
// the same pairs however it finds them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace paddle::cpu {

// A value's key, in the order of order.h, and its position along the axis.
template <typename K>
struct SortEntry {
  K key;
  uint32_t at;
};

template <typename K>
bool before_by_key(const SortEntry<K>& a, const SortEntry<K>& b) {
  return a.key < b.key;
}

namespace std_order {

// Partitions before a heap takes over.
inline int depth_of(int64_t n) { return 2 * (std::bit_width(static_cast<uint64_t>(n)) - 1); }

// Offsets of the entries of one block that stand on the wrong side of the pivot.
struct Misplaced {
  static constexpr int64_t kBlock = 64;
  uint8_t offsets[kBlock];
  int64_t width = 0, count = 0, next = 0;

  template <typename Test>
  void find(int64_t entries, Test test) {
    width = entries;
    count = next = 0;
    for (int64_t i = 0; i < width; ++i) {
      offsets[count] = static_cast<uint8_t>(i);
      count += test(i) ? 1 : 0;
    }
  }
  bool used_up() const { return next == count; }
};

template <typename K>
SortEntry<K>& median(SortEntry<K>& a, SortEntry<K>& b, SortEntry<K>& c) {
  if (a.key < b.key) return b.key < c.key ? b : a.key < c.key ? c : a;
  return a.key < c.key ? a : b.key < c.key ? c : b;
}

// Moves a pivot to the front; returns where keys not below it begin.
template <typename K>
__attribute__((noinline)) SortEntry<K>* partition(SortEntry<K>* first, SortEntry<K>* last) {
  std::swap(*first, median(first[1], first[(last - first) / 2], last[-1]));
  const K pivot = first->key;
  SortEntry<K>*low = first + 1, *high = last;
  Misplaced left, right;
  for (;;) {
    if (left.used_up()) low += std::exchange(left.width, 0);
    if (right.used_up()) high -= std::exchange(right.width, 0);
    const int64_t rest = (high - right.width) - (low + left.width);
    if (rest == 0 && (left.width == 0 || right.width == 0)) break;
    const int64_t block = std::min(Misplaced::kBlock, rest);
    if (left.width == 0) {
      const int64_t width = right.width == 0 ? std::min(block, rest / 2) : block;
      left.find(width, [&](int64_t i) { return !(low[i].key < pivot); });
    }
    if (right.width == 0) {
      const int64_t width = std::min(block, high - (low + left.width));
      right.find(width, [&](int64_t i) { return !(pivot < high[-1 - i].key); });
    }
    while (!left.used_up() && !right.used_up()) {
      std::swap(low[left.offsets[left.next++]], high[-1 - right.offsets[right.next++]]);
    }
  }
  if (!left.used_up()) low += left.offsets[left.next];
  if (!right.used_up()) high -= right.offsets[right.next];
  for (;;) {  // of the last block, one by one
    while (low->key < pivot) ++low;
    --high;
    while (pivot < high->key) --high;
    if (low >= high) return low;
    std::swap(*low++, *high);
  }
}

template <typename K>
void insertion_sort(SortEntry<K>* first, SortEntry<K>* last) {
  for (SortEntry<K>* e = first; e < last; ++e) {
    const SortEntry<K> entry = *e;
    SortEntry<K>* to = e;
    for (; to > first && entry.key < to[-1].key; --to) *to = to[-1];
    *to = entry;
  }
}

constexpr int64_t kFew = 16;  // entries left to insertion

template <typename K>
void sort(SortEntry<K>* first, SortEntry<K>* last, int depth) {
  for (; last - first > kFew; --depth) {
    if (depth == 0) return std::partial_sort(first, last, last, before_by_key<K>);
    SortEntry<K>* cut = partition(first, last);
    sort(cut, last, depth - 1);
    last = cut;
  }
  insertion_sort(first, last);
}

// Brings the smallest entries up to `nth` to the front, the largest of them at `first`.
template <typename K>
void heap_select(SortEntry<K>* first, SortEntry<K>* nth, SortEntry<K>* last) {
  SortEntry<K>* middle = nth + 1;
  std::make_heap(first, middle, before_by_key<K>);
  for (SortEntry<K>* e = middle; e < last; ++e) {
    if (!before_by_key(*e, *first)) continue;
    std::swap(*middle, *e);
    std::pop_heap(first, middle + 1, before_by_key<K>);
    std::swap(*middle, *e);
  }
}

}  // namespace std_order

template <typename K>
void std_sort(SortEntry<K>* first, SortEntry<K>* last) {
  if (first < last) std_order::sort(first, last, std_order::depth_of(last - first));
}

template <typename K>
void std_nth_element(SortEntry<K>* first, SortEntry<K>* nth, SortEntry<K>* last) {
  if (first == last || nth == last) return;
  for (int depth = std_order::depth_of(last - first); last - first > 3; --depth) {
    if (depth == 0) {
      std_order::heap_select(first, nth, last);
      std::swap(*first, *nth);
      return;
    }
    SortEntry<K>* cut = std_order::partition(first, last);
    (cut <= nth ? first : last) = cut;
  }
  std_order::insertion_sort(first, last);
}

// The entry that std_sort would put at `nth`, in linear time; the others are left in any order.
template <typename K>
SortEntry<K> std_sorted_at(SortEntry<K>* first, SortEntry<K>* nth, SortEntry<K>* last) {
  for (int depth = std_order::depth_of(last - first); last - first > std_order::kFew; --depth) {
    if (depth == 0) {
      std::partial_sort(first, last, last, before_by_key<K>);
      return *nth;
    }
    SortEntry<K>* cut = std_order::partition(first, last);
    (cut <= nth ? first : last) = cut;
  }
  std_order::insertion_sort(first, last);
  return *nth;
}

}  // namespace paddle::cpu
