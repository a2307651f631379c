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
#include "phi_kernels/cpu/loops/indices.h"
#include "phi_kernels/cpu/rows/row_sums.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kGrainWork = 1 << 15;  // multiply-adds worth a thread

using Places = std::unique_ptr<int64_t[]>;

// Indices in [0, extent): those of the tensor itself where they are that already.
struct Indices {
  const int64_t* at;
  Places own;

  Indices(KernelContext& k, int arg, int64_t extent) {
    const TensorImpl& t = k.in(arg);
    at = static_cast<const int64_t*>(t.data());
    if (t.dtype == DType::kInt64 && all_inside(at, t.numel, extent)) return;
    own.reset(new int64_t[static_cast<size_t>(t.numel)]);
    at = own.get();
    const bool valid =
        t.dtype == DType::kInt32
            ? wrap_indices(static_cast<const int32_t*>(t.data()), t.numel, extent, own.get())
            : wrap_indices(static_cast<const int64_t*>(t.data()), t.numel, extent, own.get());
    const char* const name = arg == 0 ? "rows" : "cols";
    for (int64_t i = 0; !valid && i < t.numel; ++i) {
      const int64_t v = index_at(t, i);
      PADDLE_CHECK_INDEX(v >= -extent && v < extent, k.op().name(), ": ", name, " holds ", v,
                         "; it must be in [", -extent, ", ", extent, ").");
    }
  }

  // The same times n.
  void scale(int64_t n, int64_t count) {
    if (n == 1) return;
    Places product(new int64_t[static_cast<size_t>(count)]);
    for (int64_t i = 0; i < count; ++i) product[static_cast<size_t>(i)] = at[i] * n;
    own = std::move(product);
    at = own.get();
  }
};

// Elements row by row, in the order in which they are given: where their row of y begins.
template <typename T>
struct ByRows {
  Places begin;
  Indices offset;
  const T* weight;
  std::unique_ptr<T[]> sorted;

  ByRows(const Indices& rows, Indices cols, const T* values, int64_t count, int64_t m, int64_t n)
      : begin(new int64_t[static_cast<size_t>(m) + 1]()), offset(std::move(cols)), weight(values) {
    offset.scale(n, count);
    if (std::is_sorted(rows.at, rows.at + count)) {  // rows without elements end where others do
      for (int64_t i = 0; i < count; ++i) begin[static_cast<size_t>(rows.at[i]) + 1] = i + 1;
      for (size_t i = 1; i <= static_cast<size_t>(m); ++i) {
        begin[i] = std::max(begin[i], begin[i - 1]);
      }
      return;
    }
    for (int64_t i = 0; i < count; ++i) ++begin[static_cast<size_t>(rows.at[i]) + 1];
    for (size_t i = 1; i <= static_cast<size_t>(m); ++i) begin[i] += begin[i - 1];
    sort(rows.at, count, m);
  }

 private:
  void sort(const int64_t* rows, int64_t count, int64_t m) {
    Places moved(new int64_t[static_cast<size_t>(count)]);
    sorted.reset(new T[static_cast<size_t>(count)]);
    std::vector<int64_t> next(begin.get(), begin.get() + m);
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      const auto to = static_cast<size_t>(next[static_cast<size_t>(rows[i])]++);
      moved[to] = offset.at[i];
      sorted[to] = weight[i];
    }
    offset.own = std::move(moved);
    offset.at = offset.own.get();
    weight = sorted.get();
  }
};

// arguments: rows, cols, values, y, m
template <typename T>
void coo_matmul_kernel(KernelContext& k) {
  const int64_t m = k.i(4), n = k.in(3).shape[1].value();
  const int64_t count = k.in(0).numel;
  const Indices rows(k, 0, m);
  Indices cols(k, 1, k.in(3).shape[0].value());
  if (k.out(0).numel == 0) return;
  T* const out = k.out_data<T>(0);
  if (count == 0) return std::fill(out, out + m * n, T(0));
  const ByRows<T> all(rows, std::move(cols), k.in_data<T>(2), count, m, n);
  const T* const y = k.in_data<T>(3);
  const int64_t work = count * n / m + n;
  parallel_for(0, m, std::max<int64_t>(1, kGrainWork / work), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t first = all.begin[static_cast<size_t>(row)];
      sum_rows(y, all.offset.at + first, all.weight + first,
               all.begin[static_cast<size_t>(row) + 1] - first, n, false, out + row * n);
    }
  });
}

// arguments: rows, cols, x, y
template <typename T>
void coo_dots_kernel(KernelContext& k) {
  const int64_t n = k.in(2).shape[1].value();
  const Indices rows(k, 0, k.in(2).shape[0].value());
  Indices offset(k, 1, k.in(3).shape[0].value());
  const int64_t count = k.in(0).numel;
  if (count == 0) return;
  offset.scale(n, count);
  const T *x = k.in(2).numel ? k.in_data<T>(2) : nullptr, *y = n ? k.in_data<T>(3) : nullptr;
  T* const out = k.out_data<T>(0);
  parallel_for(0, count, kGrainWork / (n + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end;) {
      const int64_t row = rows.at[i];
      int64_t last = i + 1;
      while (last < end && rows.at[last] == row) ++last;
      dot_rows(x + row * n, y, offset.at + i, last - i, n, out + i);
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
