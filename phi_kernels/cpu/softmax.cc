// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of softmax, log_softmax and their gradients on the CPU: row by row in cache, or where the
// axis is not the last one, several lanes beside each other at a time.
#include <cmath>

#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/lanes.h"

namespace paddle::cpu {
namespace {

// Calls columns(base) for lanes in groups as wide as the row kernels take them, and lane(base) for
// the others.
template <typename T, typename Columns, typename Lane>
void each_lane_group(const Lanes& l, int64_t begin, int64_t end, Columns&& columns, Lane&& lane) {
  const int64_t width = std::is_same_v<T, RowType<T>> ? rows<RowType<T>>().columns : l.inner + 1;
  for (int64_t at = begin; at < end;) {
    if (std::min(l.inner - at % l.inner, end - at) < width) {
      lane(l.base(at));
      ++at;
    } else {
      columns(l.base(at));
      at += width;
    }
  }
}

template <typename T, bool kLog>
void softmax_kernel(KernelContext& c) {
  using A = RowType<T>;
  const Lanes l = lanes_of(c.in(0).shape, c.i(1));
  const T* x = c.in_data<T>(0);
  T* out = c.out_data<T>(0);
  const RowKernels<A>& k = rows<A>();
  parallel_lanes(l, [&](int64_t begin, int64_t end) {
    std::vector<A> in_buffer, out_buffer;
    const auto columns = [&](int64_t base) {
      if constexpr (std::is_same_v<T, A>) {
        in_buffer.resize(static_cast<size_t>(l.length * k.columns));
        k.softmax_columns(kLog, x + base, l.length, l.inner, in_buffer.data(), out + base);
      }
    };
    each_lane_group<T>(l, begin, end, columns, [&](int64_t base) {
      const A* row = load_lane(x, l, base, in_buffer);
      A* to = begin_lane(out, l, base, out_buffer);
      const A top = k.max(row, l.length);
      if constexpr (kLog) {
        const A total = k.exp_shift(row, top, nullptr, l.length);
        k.affine(row, top, 1, nullptr, nullptr, to, l.length);
        k.shift(to, -std::log(total), to, l.length);
      } else {
        const A total = k.exp_shift(row, top, to, l.length);
        k.scale(to, 1 / total, to, l.length);
      }
      store_lane(to, out, l, base);
    });
  });
}

// softmax: y * (g - sum(g * y)); log_softmax: g - exp(y) * sum(g).
template <typename T, bool kLog>
void softmax_grad_kernel(KernelContext& c) {
  using A = RowType<T>;
  const Lanes l = lanes_of(c.in(0).shape, c.i(2));
  const T *y = c.in_data<T>(0), *g = c.in_data<T>(1);
  T* out = c.out_data<T>(0);
  const RowKernels<A>& k = rows<A>();
  parallel_lanes(l, [&](int64_t begin, int64_t end) {
    std::vector<A> y_buffer, g_buffer, out_buffer;
    const auto columns = [&](int64_t base) {
      if constexpr (std::is_same_v<T, A>) {
        k.softmax_grad_columns(kLog, y + base, g + base, l.length, l.inner, out + base);
      }
    };
    each_lane_group<T>(l, begin, end, columns, [&](int64_t base) {
      const A* y_row = load_lane(y, l, base, y_buffer);
      const A* g_row = load_lane(g, l, base, g_buffer);
      A* to = begin_lane(out, l, base, out_buffer);
      if constexpr (kLog) {
        const A total = k.sum(g_row, l.length);
        k.exp_shift(y_row, 0, to, l.length);
        k.scale(to, -total, to, l.length);
        k.axpy(1, g_row, to, l.length);
      } else {
        k.softmax_grad(y_row, g_row, k.dot(g_row, y_row, l.length), to, l.length);
      }
      store_lane(to, out, l, base);
    });
  });
}

template <typename T>
void add_all(Registry& r) {
  const DType t = DTypeOf<T>::value;
  r.kernel("softmax", DeviceKind::kCpu, {t}, softmax_kernel<T, false>);
  r.kernel("log_softmax", DeviceKind::kCpu, {t}, softmax_kernel<T, true>);
  r.kernel("softmax_grad", DeviceKind::kCpu, {t}, softmax_grad_kernel<T, false>);
  r.kernel("log_softmax_grad", DeviceKind::kCpu, {t}, softmax_grad_kernel<T, true>);
}

}  // namespace

void register_softmax_cpu(Registry& r) {
  add_all<float>(r);
  add_all<double>(r);
  add_all<float16>(r);
  add_all<bfloat16>(r);
}

}  // namespace paddle::cpu
