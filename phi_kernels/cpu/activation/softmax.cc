// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of softmax, log_softmax and their gradients on the CPU: row by row in cache, or where the
// axis is not the last one, several lanes beside each other at a time.
#include <cmath>

#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/isa/batch_invariant.h"
#include "phi_kernels/cpu/rows/lanes.h"

namespace paddle::cpu {
namespace {

// columns(base) for lanes in groups as wide as the row kernels take them, lane(base) for the
// others. body(begin, end) over ranges of groups, which do not depend on the number of threads.
struct LaneGroups {
  const Lanes& l;
  int64_t width;

  template <typename T>
  static LaneGroups of(const Lanes& l) {
    const bool grouped = std::is_same_v<T, RowType<T>> && l.inner > 1 && !batch_invariant();
    return {l, grouped ? rows<RowType<T>>().columns : 1};
  }
  int64_t in_a_line() const { return (l.inner + width - 1) / width; }

  template <typename Body>
  void parallel(Body&& body) const {
    if (l.length == 0) return;
    parallel_for(0, l.outer * in_a_line(), std::max<int64_t>(1, 16384 / (l.length * width)),
                 std::forward<Body>(body));
  }

  template <typename Columns, typename Lane>
  void each(int64_t begin, int64_t end, Columns&& columns, Lane&& lane) const {
    for (int64_t group = begin; group < end; ++group) {
      const int64_t first = group % in_a_line() * width, count = std::min(width, l.inner - first);
      const int64_t base = group / in_a_line() * l.length * l.inner + first;
      if (count == width && width > 1) {
        columns(base);
      } else {
        for (int64_t i = 0; i < count; ++i) lane(base + i);
      }
    }
  }
};

template <typename T, bool kLog>
void softmax_kernel(KernelContext& c) {
  using A = RowType<T>;
  const Lanes l = lanes_of(c.in(0).shape, c.i(1));
  const T* x = c.in_data<T>(0);
  T* out = c.out_data<T>(0);
  const RowKernels<A>& k = rows<A>();
  const LaneGroups groups = LaneGroups::of<T>(l);
  groups.parallel([&](int64_t begin, int64_t end) {
    std::vector<A> in_buffer, out_buffer;
    const auto columns = [&](int64_t base) {
      if constexpr (std::is_same_v<T, A>) {
        in_buffer.resize(static_cast<size_t>(l.length * k.columns));
        k.softmax_columns(kLog, x + base, l.length, l.inner, in_buffer.data(), nullptr, out + base);
      }
    };
    groups.each(begin, end, columns, [&](int64_t base) {
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
  const LaneGroups groups = LaneGroups::of<T>(l);
  groups.parallel([&](int64_t begin, int64_t end) {
    std::vector<A> y_buffer, g_buffer, out_buffer;
    const auto columns = [&](int64_t base) {
      if constexpr (std::is_same_v<T, A>) {
        k.softmax_grad_columns(kLog, y + base, g + base, l.length, l.inner, out + base);
      }
    };
    groups.each(begin, end, columns, [&](int64_t base) {
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
