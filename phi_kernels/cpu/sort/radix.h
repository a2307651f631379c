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

#include "phi_kernels/cpu/sort/order.h"
#include "phi_kernels/cpu/sort/std_order.h"

namespace paddle::cpu {

template <typename T>
using SortKey = std::conditional_t<(sizeof(T) > 4), uint64_t, uint32_t>;

namespace detail {
template <size_t kBytes>
using Bits = std::conditional_t<
    kBytes == 8, uint64_t,
    std::conditional_t<kBytes == 4, uint32_t, std::conditional_t<kBytes == 2, uint16_t, uint8_t>>>;

template <typename T>
constexpr Bits<sizeof(T)> infinity_bits() {
  if constexpr (std::is_same_v<T, double>) return 0x7FF0000000000000;
  if constexpr (std::is_same_v<T, float16>) return 0x7C00;
  if constexpr (std::is_same_v<T, bfloat16>) return 0x7F80;
  if constexpr (std::is_same_v<T, float>) return 0x7F800000;
}
}  // namespace detail

// NaN becomes the largest key, -0 the key of 0.
template <typename T>
SortKey<T> sort_key(T v, bool descending) {
  using U = detail::Bits<sizeof(T)>;
  constexpr U kTop = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
  constexpr bool kFloat = !std::is_integral_v<T>;
  U bits = std::bit_cast<U>(v);
  if constexpr (kFloat) {
    constexpr U kInfinity = detail::infinity_bits<T>();
    if (bits == kTop) bits = 0;
    const bool is_nan = static_cast<U>(bits & ~kTop) > kInfinity;
    bits = bits & kTop ? static_cast<U>(~bits) : static_cast<U>(bits | kTop);
    if (is_nan) bits = static_cast<U>(-1);
  } else if constexpr (std::is_signed_v<T>) {
    bits ^= kTop;
  }
  const SortKey<T> key = bits;
  return descending ? ~key : key;
}

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
    std::sort(entries.begin(), entries.end(), [](const SortEntry<K>& a, const SortEntry<K>& b) {
      return a.key != b.key ? a.key < b.key : a.at < b.at;
    });
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

// As std::sort by keys alone orders entries whose positions ascend. Only equal keys need its steps,
// so digits come first unless many keys must be equal: of n among fewer than n^2 / 8, some are.
template <typename K>
void sort_as_std(std::vector<SortEntry<K>>& entries, std::vector<SortEntry<K>>& spare) {
  constexpr size_t kFewer = 128;
  const size_t n = entries.size();
  const auto [least, most] = std::minmax_element(entries.begin(), entries.end(), before_by_key<K>);
  if (n >= kFewer && most->key - least->key > n * n / 8) {
    const std::vector<SortEntry<K>> given = entries;
    sort_entries(entries, spare);
    const auto same = [](const SortEntry<K>& a, const SortEntry<K>& b) { return a.key == b.key; };
    if (std::adjacent_find(entries.begin(), entries.end(), same) == entries.end()) return;
    entries = given;
  }
  std_sort(entries.data(), entries.data() + n);
}

// Puts the k-th entry in its place, as a partial sort or std::nth_element by keys alone does.
template <typename K>
const SortEntry<K>& select_as_std(std::vector<SortEntry<K>>& entries, int64_t k) {
  SortEntry<K>*begin = entries.data(), *end = begin + entries.size();
  if (k * 64 < end - begin) {
    std::partial_sort(begin, begin + k, end, before_by_key<K>);
  } else {
    std_nth_element(begin, begin + k - 1, end);
  }
  return begin[k - 1];
}

}  // namespace paddle::cpu
