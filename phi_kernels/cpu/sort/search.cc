// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of kthvalue, mode, median_positions, cummax, cummin and searchsorted.
#include <algorithm>
#include <limits>

#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/in_float32.h"
#include "phi_kernels/cpu/rows/lanes.h"
#include "phi_kernels/cpu/sort/radix.h"

namespace paddle::cpu {
namespace {

template <typename T>
using Entries = std::vector<SortEntry<SortKey<T>>>;

// Calls pick(entries of the lane) for every lane, which gives the position of the value that is
// written.
template <typename T, typename Pick>
void one_of_each_lane(KernelContext& k, int64_t axis, Pick pick) {
  const Lanes l = lanes_of(k.in(0).shape, axis);
  PADDLE_CHECK_VALUE(l.length <= UINT32_MAX, k.op().name(), ": x has shape ", k.in(0).shape,
                     "; at most 2^32 - 1 values can be compared along an axis; split x.");
  const T* x = k.in_data<T>(0);
  T* out = k.out_data<T>(0);
  int64_t* indices = k.out_data<int64_t>(1);
  parallel_for(
      0, l.length ? l.count() : 0, std::max<int64_t>(1, 4096 / std::max<int64_t>(l.length, 1)),
      [&](int64_t begin, int64_t end) {
        Entries<T> entries, spare;
        for (int64_t lane = begin; lane < end; ++lane) {
          const int64_t base = l.base(lane), inner = l.inner;
          fill_entries<T>(entries, l.length, false, [=](int64_t j) { return x[base + j * inner]; });
          const int64_t at = pick(entries, spare);
          out[lane] = x[base + at * inner];
          indices[lane] = at;
        }
      });
}

template <typename T>
void kthvalue_kernel(KernelContext& c) {
  const int64_t k = c.i(1);
  one_of_each_lane<T>(
      c, c.i(2), [k](Entries<T>& entries, Entries<T>&) { return select_as_std(entries, k).at; });
}

template <typename T>
void mode_kernel(KernelContext& c) {
  one_of_each_lane<T>(c, c.i(1), [](Entries<T>& entries, Entries<T>& spare) {
    sort_as_std(entries, spare);
    uint32_t best = entries[0].at;
    size_t longest = 0, run = 0;
    for (size_t j = 0; j < entries.size(); ++j) {
      run = j > 0 && entries[j - 1].key == entries[j].key ? run + 1 : 1;
      if (run > longest) longest = run, best = entries[j].at;
    }
    return best;
  });
}

// Positions of the two middle entries of the first `numbers` of a row in ascending order; every
// NaN stands behind them. `entries` is left in any order.
struct Middle {
  int64_t low, high;
};

// In the stable order: by keys, then by positions.
template <typename K>
Middle stable_middle(std::vector<SortEntry<K>>& entries, int64_t numbers) {
  const int64_t rank = std::max<int64_t>((numbers - 1) / 2, 0);
  std_nth_element(entries.data(), entries.data() + rank, entries.data() + entries.size());
  const K middle = entries[static_cast<size_t>(rank)].key;
  std::vector<uint32_t> equal;
  int64_t smaller = 0;
  SortEntry<K> next{static_cast<K>(-1), UINT32_MAX};
  for (const SortEntry<K>& e : entries) {
    if (e.key < middle) ++smaller;
    if (e.key == middle) equal.push_back(e.at);
    const bool nearer = e.key < next.key || (e.key == next.key && e.at < next.at);
    if (e.key > middle && nearer) next = e;
  }
  const auto low = equal.begin() + (rank - smaller);
  std::nth_element(equal.begin(), low, equal.end());
  if (numbers == 0 || numbers % 2 != 0) return {*low, *low};
  return {*low, low + 1 < equal.end() ? *std::min_element(low + 1, equal.end()) : next.at};
}

// The order of a sorted topk of `kept` entries, of which one is asked for.
template <typename K>
int64_t middle_of_best(std::vector<SortEntry<K>>& entries, int64_t kept, int64_t rank) {
  SortEntry<K>*begin = entries.data(), *last = begin + kept - 1;
  std_nth_element(begin, last, begin + entries.size());
  return rank == kept - 1 ? last->at : std_sorted_at(begin, begin + rank, last).at;
}

// nan: the key of NaN, if the row may hold one.
template <typename K>
__attribute__((noinline)) Middle middle_of(std::vector<SortEntry<K>>& entries, const K* nan,
                                           bool skips, bool average) {
  const auto length = static_cast<int64_t>(entries.size());
  int64_t numbers = length, first_nan = -1;
  for (int64_t i = length - 1; nan && i >= 0; --i) {
    if (entries[static_cast<size_t>(i)].key == *nan) --numbers, first_nan = i;
  }
  if (first_nan >= 0 && !skips) return {first_nan, first_nan};
  if (average) return stable_middle(entries, numbers);
  const int64_t kept = skips ? length : length / 2 + 1;
  const int64_t at = middle_of_best(entries, kept, std::max<int64_t>((numbers - 1) / 2, 0));
  return {at, at};
}

// arguments: x, skip_nan, average
template <typename T>
void median_positions_kernel(KernelContext& c) {
  const Lanes l = lanes_of(c.in(0).shape, -1);
  PADDLE_CHECK_VALUE(l.length <= UINT32_MAX, "median: x has shape ", c.in(0).shape,
                     "; at most 2^32 - 1 values can be compared along an axis; split x.");
  const T* x = c.in_data<T>(0);
  int64_t *low = c.out_data<int64_t>(0), *high = c.out_data<int64_t>(1);
  const bool skips = c.b(1), average = c.b(2);
  const SortKey<T>* nan = nullptr;
  if constexpr (!std::is_integral_v<T>) {
    static const SortKey<T> key = sort_key(T(std::numeric_limits<float>::quiet_NaN()), false);
    nan = &key;
  }
  parallel_for(0, l.count(), std::max<int64_t>(1, 4096 / l.length), [&](int64_t b, int64_t e) {
    Entries<T> entries;
    for (int64_t lane = b; lane < e; ++lane) {
      const T* row = x + lane * l.length;
      fill_entries<T>(entries, l.length, false, [row](int64_t i) { return row[i]; });
      const Middle m = middle_of(entries, nan, skips, average);
      low[lane] = m.low, high[lane] = m.high;
    }
  });
}

template <typename T, typename Index, bool kMax>
void running_extreme(KernelContext& c) {
  const Lanes l = lanes_of(c.in(0).shape, c.i(1));
  const T* x = c.in_data<T>(0);
  T* out = c.out_data<T>(0);
  Index* indices = c.out_data<Index>(1);
  parallel_lanes(l, [&](int64_t begin, int64_t end) {
    for (int64_t lane = begin; lane < end; ++lane) {
      const int64_t base = l.base(lane), step = l.inner;
      T given = x[base];
      auto top = static_cast<OrderKey<T>>(given);
      Index best = 0;
      for (int64_t j = 0, at = base; j < l.length; ++j, at += step) {
        const auto v = static_cast<OrderKey<T>>(x[at]);
        // Few elements are a new extreme, or a NaN among the two.
        if (!(kMax ? v < top : top < v) && (top == top || v != v)) [[unlikely]] {
          top = v;
          given = x[at];
          best = static_cast<Index>(j);
        }
        out[at] = given;
        indices[at] = best;
      }
    }
  });
}

template <typename T, bool kMax>
void running_kernel(KernelContext& c) {
  c.dtype(2) == DType::kInt32 ? running_extreme<T, int32_t, kMax>(c)
                              : running_extreme<T, int64_t, kMax>(c);
}

template <typename T, typename Index>
void search_rows(KernelContext& c) {
  const TensorImpl &rows = c.in(0), &values = c.in(1);
  const int64_t n = rows.shape.back().value();
  const int64_t per_row =
      rows.shape.size() == 1 ? std::max<int64_t>(values.numel, 1) : values.shape.back().value();
  const bool right = c.b(3);
  const T* sequence = rows.numel ? c.in_data<T>(0) : nullptr;
  const T* x = values.numel ? c.in_data<T>(1) : nullptr;
  Index* out = values.numel ? c.out_data<Index>(0) : nullptr;
  parallel_for(0, values.numel, 4096, [&](int64_t begin, int64_t end) {
    using Key = OrderKey<T>;
    for (int64_t i = begin; i < end; ++i) {
      const T* row = sequence + i / per_row * n;
      const Key v = static_cast<Key>(x[i]);
      const T* at =
          right ? std::partition_point(row, row + n,
                                       [v](T e) { return !ordered_before(v, static_cast<Key>(e)); })
                : std::partition_point(row, row + n,
                                       [v](T e) { return ordered_before(static_cast<Key>(e), v); });
      out[i] = static_cast<Index>(at - row);
    }
  });
}

template <typename T>
void searchsorted_kernel(KernelContext& c) {
  c.b(2) ? search_rows<T, int32_t>(c) : search_rows<T, int64_t>(c);
}

template <typename T>
void add_all(Registry& r) {
  constexpr DType t = DTypeOf<T>::value;
  r.kernel("kthvalue", DeviceKind::kCpu, {t}, kthvalue_kernel<T>);
  r.kernel("mode", DeviceKind::kCpu, {t}, mode_kernel<T>);
  if constexpr (!std::is_integral_v<T> || std::is_same_v<T, int64_t>) {
    r.kernel("median_positions", DeviceKind::kCpu, {t}, median_positions_kernel<T>);
  }
  r.kernel("cummax", DeviceKind::kCpu, {t}, running_kernel<T, true>);
  r.kernel("cummin", DeviceKind::kCpu, {t}, running_kernel<T, false>);
  r.kernel("searchsorted", DeviceKind::kCpu, {t}, searchsorted_kernel<T>);
}

}  // namespace

void register_search_cpu(Registry& r) {
  add_all<bool>(r);
  add_all<uint8_t>(r);
  add_all<int8_t>(r);
  add_all<int16_t>(r);
  add_all<int32_t>(r);
  add_all<int64_t>(r);
  add_all<float>(r);
  add_all<double>(r);
  const auto add = [&](const char* op, KernelFn fn) {
    r.kernel(op, DeviceKind::kCpu, {DType::kFloat16, DType::kBFloat16}, fn);
  };
  add("kthvalue", in_float32<kthvalue_kernel<float>>);
  add("mode", in_float32<mode_kernel<float>>);
  add("median_positions", in_float32<median_positions_kernel<float>>);
  add("cummax", in_float32<running_kernel<float, true>>);
  add("cummin", in_float32<running_kernel<float, false>>);
  add("searchsorted", in_float32<searchsorted_kernel<float>>);
}

}  // namespace paddle::cpu
