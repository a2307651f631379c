// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of kthvalue, mode, cummax, cummin and searchsorted.
#include <algorithm>
#include <numeric>

#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/lanes.h"
#include "phi_kernels/cpu/order.h"

namespace paddle::cpu {
namespace {

// The positions 0 ... n - 1 and a view of one lane's values as keys.
template <typename T>
struct LaneKeys {
  std::vector<OrderKey<T>> values;
  std::vector<int64_t> order;

  void load(const T* x, const Lanes& l, int64_t base) {
    values.resize(static_cast<size_t>(l.length));
    order.resize(static_cast<size_t>(l.length));
    for (int64_t j = 0; j < l.length; ++j) {
      values[static_cast<size_t>(j)] = static_cast<OrderKey<T>>(x[base + j * l.inner]);
    }
    std::iota(order.begin(), order.end(), 0);
  }
  auto before() const {
    return [this](int64_t a, int64_t b) {
      const auto u = values[static_cast<size_t>(a)], v = values[static_cast<size_t>(b)];
      if (ordered_before(u, v)) return true;
      return !ordered_before(v, u) && a < b;
    };
  }
};

// Calls pick(keys) for every lane, which gives the position of the value that is written.
template <typename T, typename Pick>
void one_of_each_lane(KernelContext& k, int64_t axis, Pick pick) {
  const Lanes l = lanes_of(k.in(0).shape, axis);
  const T* x = k.in_data<T>(0);
  T* out = k.out_data<T>(0);
  int64_t* indices = k.out_data<int64_t>(1);
  parallel_for(0, l.length ? l.count() : 0,
               std::max<int64_t>(1, 4096 / std::max<int64_t>(l.length, 1)),
               [&](int64_t begin, int64_t end) {
                 LaneKeys<T> keys;
                 for (int64_t lane = begin; lane < end; ++lane) {
                   keys.load(x, l, l.base(lane));
                   const int64_t at = pick(keys);
                   out[lane] = x[l.base(lane) + at * l.inner];
                   indices[lane] = at;
                 }
               });
}

template <typename T>
void kthvalue_kernel(KernelContext& c) {
  const int64_t k = c.i(1);
  one_of_each_lane<T>(c, c.i(2), [k](LaneKeys<T>& keys) {
    const auto at = keys.order.begin() + (k - 1);
    std::nth_element(keys.order.begin(), at, keys.order.end(), keys.before());
    return *at;
  });
}

template <typename T>
void mode_kernel(KernelContext& c) {
  one_of_each_lane<T>(c, c.i(1), [](LaneKeys<T>& keys) {
    std::sort(keys.order.begin(), keys.order.end(), keys.before());
    int64_t best = keys.order[0];
    size_t longest = 0, run = 0;
    for (size_t j = 0; j < keys.order.size(); ++j) {
      const auto at = [&](size_t i) { return keys.values[static_cast<size_t>(keys.order[i])]; };
      run = j > 0 && !ordered_before(at(j - 1), at(j)) ? run + 1 : 1;
      if (run > longest) longest = run, best = keys.order[j];
    }
    return best;
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
      const int64_t base = l.base(lane);
      int64_t best = 0;
      for (int64_t j = 0; j < l.length; ++j) {
        const auto v = static_cast<OrderKey<T>>(x[base + j * l.inner]);
        const auto top = static_cast<OrderKey<T>>(x[base + best * l.inner]);
        if (v != v || (top == top && (kMax ? !(v < top) : !(top < v)))) best = j;
        out[base + j * l.inner] = x[base + best * l.inner];
        indices[base + j * l.inner] = static_cast<Index>(best);
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
  add_all<float16>(r);
  add_all<bfloat16>(r);
  add_all<float>(r);
  add_all<double>(r);
}

}  // namespace paddle::cpu
