// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// coo_matmul and coo_dots. Elements are brought into the order of their rows, so that threads share
// the rows of the result and each of these stays in registers.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "paddle_core/base/error.h"
#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/indices.h"
#include "phi_kernels/cpu/row_sums.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kGrainWork = 1 << 15;  // multiply-adds worth a thread

using Places = std::unique_ptr<int64_t[]>;

Places read_places(KernelContext& k, int arg, int64_t extent) {
  const TensorImpl& t = k.in(arg);
  const char* const name = arg == 0 ? "rows" : "cols";
  Places at(new int64_t[static_cast<size_t>(t.numel)]);
  const bool valid =
      t.dtype == DType::kInt32
          ? wrap_indices(static_cast<const int32_t*>(t.data()), t.numel, extent, at.get())
          : wrap_indices(static_cast<const int64_t*>(t.data()), t.numel, extent, at.get());
  for (int64_t i = 0; !valid && i < t.numel; ++i) {
    const int64_t v = index_at(t, i);
    PADDLE_CHECK_INDEX(v >= -extent && v < extent, k.op().name(), ": ", name, " holds ", v,
                       "; it must be in [", -extent, ", ", extent, ").");
  }
  return at;
}

// Elements row by row, in the order in which they are given: where their row of y begins.
template <typename T>
struct ByRows {
  Places begin, offset;
  const T* weight;
  std::unique_ptr<T[]> sorted;

  ByRows(const Places& rows, Places cols, const T* values, int64_t count, int64_t m, int64_t n)
      : begin(new int64_t[static_cast<size_t>(m) + 1]()), offset(std::move(cols)), weight(values) {
    for (int64_t i = 0; i < count; ++i) {
      ++begin[static_cast<size_t>(rows[static_cast<size_t>(i)]) + 1];
      offset[static_cast<size_t>(i)] *= n;
    }
    for (size_t i = 1; i <= static_cast<size_t>(m); ++i) begin[i] += begin[i - 1];
    if (!std::is_sorted(rows.get(), rows.get() + count)) sort(rows, count, m);
  }

 private:
  void sort(const Places& rows, int64_t count, int64_t m) {
    const Places given = std::move(offset);
    offset.reset(new int64_t[static_cast<size_t>(count)]);
    sorted.reset(new T[static_cast<size_t>(count)]);
    std::vector<int64_t> next(begin.get(), begin.get() + m);
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      const auto to = static_cast<size_t>(next[static_cast<size_t>(rows[i])]++);
      offset[to] = given[i];
      sorted[to] = weight[i];
    }
    weight = sorted.get();
  }
};

// arguments: rows, cols, values, y, m
template <typename T>
void coo_matmul_kernel(KernelContext& k) {
  const int64_t m = k.i(4), n = k.in(3).shape[1].value();
  const int64_t count = k.in(0).numel;
  const Places rows = read_places(k, 0, m);
  Places cols = read_places(k, 1, k.in(3).shape[0].value());
  if (k.out(0).numel == 0) return;
  T* const out = k.out_data<T>(0);
  if (count == 0) return std::fill(out, out + m * n, T(0));
  const ByRows<T> all(rows, std::move(cols), k.in_data<T>(2), count, m, n);
  const T* const y = k.in_data<T>(3);
  const int64_t work = count * n / m + n;
  parallel_for(0, m, std::max<int64_t>(1, kGrainWork / work), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t first = all.begin[static_cast<size_t>(row)];
      sum_rows(y, all.offset.get() + first, all.weight + first,
               all.begin[static_cast<size_t>(row) + 1] - first, n, false, out + row * n);
    }
  });
}

// arguments: rows, cols, x, y
template <typename T>
void coo_dots_kernel(KernelContext& k) {
  const int64_t n = k.in(2).shape[1].value();
  const Places rows = read_places(k, 0, k.in(2).shape[0].value());
  const Places offset = read_places(k, 1, k.in(3).shape[0].value());
  const int64_t count = k.in(0).numel;
  if (count == 0) return;
  for (int64_t i = 0; i < count; ++i) offset[static_cast<size_t>(i)] *= n;
  const T *x = k.in(2).numel ? k.in_data<T>(2) : nullptr, *y = n ? k.in_data<T>(3) : nullptr;
  T* const out = k.out_data<T>(0);
  parallel_for(0, count, kGrainWork / (n + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end;) {
      const int64_t row = rows[static_cast<size_t>(i)];
      int64_t last = i + 1;
      while (last < end && rows[static_cast<size_t>(last)] == row) ++last;
      dot_rows(x + row * n, y, offset.get() + i, last - i, n, out + i);
      i = last;
    }
  });
}

template <typename T>
void add_both(Registry& r) {
  r.kernel("coo_matmul", DeviceKind::kCpu, {DTypeOf<T>::value}, coo_matmul_kernel<T>);
  r.kernel("coo_dots", DeviceKind::kCpu, {DTypeOf<T>::value}, coo_dots_kernel<T>);
}

}  // namespace

void register_sparse_cpu(Registry& r) {
  add_both<float>(r);
  add_both<double>(r);
}

}  // namespace paddle::cpu
