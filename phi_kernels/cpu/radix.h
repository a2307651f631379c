// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sorting by keys: every value becomes an unsigned integer in the order of order.h, and
// sort_entries() orders (key, position) pairs digit by digit, equal keys by position. Positions are
// below 2^32. Where the order of equal values is not promised, programs see the one in which
// PaddlePaddle's calls of the standard library leave them (sort_as_std, select_as_std).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "phi_kernels/cpu/order.h"

namespace paddle::cpu {

template <typename T>
using SortKey = std::conditional_t<
    (sizeof(OrderKey<T>) > 4), uint64_t,
    std::conditional_t<(sizeof(OrderKey<T>) > 2), uint32_t,
                       std::conditional_t<(sizeof(OrderKey<T>) > 1), uint16_t, uint8_t>>>;

// NaN becomes the largest key, -0 the key of 0.
template <typename T>
SortKey<T> sort_key(T given, bool descending) {
  using K = SortKey<T>;
  constexpr K kTop = static_cast<K>(K{1} << (8 * sizeof(K) - 1));
  const auto v = static_cast<OrderKey<T>>(given);
  K key;
  if constexpr (std::is_floating_point_v<OrderKey<T>>) {
    const K bits = std::bit_cast<K>(v + 0);
    key = bits & kTop ? static_cast<K>(~bits) : static_cast<K>(bits | kTop);
    if (v != v) key = static_cast<K>(-1);
  } else if constexpr (std::is_signed_v<OrderKey<T>>) {
    key = static_cast<K>(static_cast<K>(v) ^ kTop);
  } else {
    key = static_cast<K>(v);
  }
  return descending ? static_cast<K>(~key) : key;
}

template <typename K>
struct SortEntry {
  K key;
  uint32_t at;
  friend bool operator<(const SortEntry& a, const SortEntry& b) {
    return a.key != b.key ? a.key < b.key : a.at < b.at;
  }
};

// The entries of n values, value(i) being the i-th.
template <typename T, typename Value>
void fill_entries(std::vector<SortEntry<SortKey<T>>>& entries, int64_t n, bool descending,
                  Value value) {
  entries.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    entries[static_cast<size_t>(i)] = {sort_key<T>(value(i), descending), static_cast<uint32_t>(i)};
  }
}

// Orders entries, whose positions must ascend. `spare` is memory of the same use.
template <typename K>
void sort_entries(std::vector<SortEntry<K>>& entries, std::vector<SortEntry<K>>& spare) {
  constexpr int kDigit = 8, kDigits = sizeof(K), kValues = 1 << kDigit;
  const size_t n = entries.size();
  if (n < 128) {
    std::sort(entries.begin(), entries.end());
    return;
  }
  std::array<std::array<uint32_t, kValues>, kDigits> counts{};
  for (const auto& e : entries) {
    for (int d = 0; d < kDigits; ++d) {
      ++counts[static_cast<size_t>(d)][(e.key >> (kDigit * d)) & (kValues - 1)];
    }
  }
  spare.resize(n);
  for (int d = 0; d < kDigits; ++d) {
    auto& starts = counts[static_cast<size_t>(d)];
    if (starts[(entries[0].key >> (kDigit * d)) & (kValues - 1)] == n) continue;  // all the same
    uint32_t sum = 0;
    for (auto& s : starts) {
      const uint32_t own = s;
      s = sum;
      sum += own;
    }
    for (const auto& e : entries) spare[starts[(e.key >> (kDigit * d)) & (kValues - 1)]++] = e;
    entries.swap(spare);
  }
}

template <typename K>
bool before_by_key(const SortEntry<K>& a, const SortEntry<K>& b) {
  return a.key < b.key;
}

// As std::sort by keys alone orders entries whose positions ascend. Only equal keys need its steps.
template <typename K>
void sort_as_std(std::vector<SortEntry<K>>& entries, std::vector<SortEntry<K>>& spare) {
  constexpr size_t kFewer = 128;
  if (entries.size() >= kFewer) {
    const std::vector<SortEntry<K>> given = entries;
    sort_entries(entries, spare);
    const auto same = [](const SortEntry<K>& a, const SortEntry<K>& b) { return a.key == b.key; };
    if (std::adjacent_find(entries.begin(), entries.end(), same) == entries.end()) return;
    entries = given;
  }
  std::sort(entries.begin(), entries.end(), before_by_key<K>);
}

// Puts the k-th entry in its place, as a partial sort or std::nth_element by keys alone does.
template <typename K>
const SortEntry<K>& select_as_std(std::vector<SortEntry<K>>& entries, int64_t k) {
  const auto begin = entries.begin(), end = begin + k;
  if (k * 64 < static_cast<int64_t>(entries.size())) {
    std::partial_sort(begin, end, entries.end(), before_by_key<K>);
  } else {
    std::nth_element(begin, end - 1, entries.end(), before_by_key<K>);
  }
  return *(end - 1);
}

}  // namespace paddle::cpu
