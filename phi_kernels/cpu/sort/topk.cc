// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of topk and argsort on the CPU. NaN counts as the largest value. Equal values keep their
// order in a stable argsort; elsewhere they come in the order in which PaddlePaddle leaves them, as
// label assignment in detection trains on the indices of equal scores.
#include <algorithm>

#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/rows/lanes.h"
#include "phi_kernels/cpu/sort/radix.h"

namespace paddle::cpu {
namespace {

template <typename K>
using Entries = std::vector<SortEntry<K>>;

// What std::partial_sort over all values leaves in front, with only the best ones copied: it keeps
// them in a heap, and passes over values that do not stand before its top.
template <typename T>
void scan_best(const T* x, int64_t length, int64_t step, int64_t kept, bool descending,
               Entries<SortKey<T>>& entries) {
  fill_entries<T>(entries, kept, descending, [=](int64_t j) { return x[j * step]; });
  entries.emplace_back();
  const auto begin = entries.begin(), end = begin + kept;
  const auto before = before_by_key<SortKey<T>>;
  std::make_heap(begin, end, before);
  for (int64_t j = kept; j < length; ++j) {
    const SortKey<T> key = sort_key(x[j * step], descending);
    if (key >= begin->key) [[likely]]
      continue;
    *end = {key, static_cast<uint32_t>(j)};
    std::pop_heap(begin, end + 1, before);
  }
  std::sort_heap(begin, end, before);
}

// The first `kept` entries become the best ones of a lane; `sorted`: best first.
template <typename T>
void select_best(const T* x, int64_t length, int64_t step, int64_t kept, bool descending,
                 bool sorted, Entries<SortKey<T>>& entries) {
  if (kept == 0) return;
  if (kept * 64 < length) return scan_best(x, length, step, kept, descending, entries);
  fill_entries<T>(entries, length, descending, [=](int64_t j) { return x[j * step]; });
  const auto begin = entries.data(), last = begin + kept - 1;
  std_nth_element(begin, last, begin + length);
  if (sorted) std_sort(begin, last);
}

// arguments: x, axis, descending, stable
template <typename T>
void argsort_kernel(KernelContext& c) {
  const Lanes l = lanes_of(c.in(0).shape, c.i(1));
  PADDLE_CHECK_VALUE(l.length <= UINT32_MAX, "argsort: x has shape ", c.in(0).shape,
                     "; at most 2^32 - 1 values can be sorted along an axis; split x.");
  const T* x = c.in_data<T>(0);
  T* out = c.out_data<T>(0);
  int64_t* indices = c.out_data<int64_t>(1);
  const bool descending = c.b(2), stable = c.b(3);
  parallel_for(0, l.length ? l.count() : 0,
               std::max<int64_t>(1, 2048 / std::max<int64_t>(1, l.length)),
               [&](int64_t begin, int64_t end) {
                 Entries<SortKey<T>> entries, spare;
                 for (int64_t lane = begin; lane < end; ++lane) {
                   const int64_t base = l.base(lane), inner = l.inner;
                   fill_entries<T>(entries, l.length, descending,
                                   [=](int64_t j) { return x[base + j * inner]; });
                   stable ? sort_entries(entries, spare) : sort_as_std(entries, spare);
                   for (int64_t j = 0; j < l.length; ++j) {
                     const int64_t at = entries[static_cast<size_t>(j)].at;
                     out[base + j * inner] = x[base + at * inner];
                     indices[base + j * inner] = at;
                   }
                 }
               });
}

// arguments: x, k, axis, largest, sorted
template <typename T>
void topk_kernel(KernelContext& c) {
  const Lanes l = lanes_of(c.in(0).shape, c.i(2));
  PADDLE_CHECK_VALUE(l.length <= UINT32_MAX, "topk: x has shape ", c.in(0).shape,
                     "; at most 2^32 - 1 values can be compared along an axis; split x.");
  Lanes kept = l;
  kept.length = std::min(c.scalar(1).to_int(), l.length);
  const T* x = c.in_data<T>(0);
  T* out = c.out_data<T>(0);
  int64_t* indices = c.out_data<int64_t>(1);
  const bool largest = c.b(3), sorted = c.b(4);
  parallel_for(0, l.length ? l.count() : 0,
               std::max<int64_t>(1, 4096 / std::max<int64_t>(1, l.length)),
               [&](int64_t begin, int64_t end) {
                 Entries<SortKey<T>> entries;
                 for (int64_t lane = begin; lane < end; ++lane) {
                   const T* from = x + l.base(lane);
                   const int64_t to = kept.base(lane);
                   select_best(from, l.length, l.inner, kept.length, largest, sorted, entries);
                   for (int64_t j = 0; j < kept.length; ++j) {
                     const int64_t at = entries[static_cast<size_t>(j)].at;
                     out[to + j * l.inner] = from[at * l.inner];
                     indices[to + j * l.inner] = at;
                   }
                 }
               });
}

template <typename T>
void add_both(Registry& r) {
  r.kernel("argsort", DeviceKind::kCpu, {DTypeOf<T>::value}, argsort_kernel<T>);
  r.kernel("topk", DeviceKind::kCpu, {DTypeOf<T>::value}, topk_kernel<T>);
}

}  // namespace

void register_topk_cpu(Registry& r) {
  add_both<float>(r);
  add_both<double>(r);
  add_both<float16>(r);
  add_both<bfloat16>(r);
  add_both<bool>(r);
  add_both<uint8_t>(r);
  add_both<int8_t>(r);
  add_both<int16_t>(r);
  add_both<int32_t>(r);
  add_both<int64_t>(r);
}

}  // namespace paddle::cpu
