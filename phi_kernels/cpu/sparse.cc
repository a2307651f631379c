// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// coo_matmul and coo_dots. Elements are brought into the order of their rows, so that threads share
// the rows of the result and each of these stays in registers.
#include <algorithm>
#include <vector>

#include "paddle_core/base/error.h"
#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/indices.h"
#include "phi_kernels/cpu/row_sums.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kGrainWork = 1 << 15;  // multiply-adds worth a thread

using Places = std::vector<int64_t>;

Places read_places(KernelContext& k, int arg, int64_t extent) {
  const TensorImpl& t = k.in(arg);
  Places at(static_cast<size_t>(t.numel));
  for (int64_t i = 0; i < t.numel; ++i) {
    const int64_t v = index_at(t, i);
    PADDLE_CHECK_INDEX(v >= -extent && v < extent, k.op().name(), ": ", arg == 0 ? "rows" : "cols",
                       " holds ", v, "; it must be in [", -extent, ", ", extent, ").");
    at[static_cast<size_t>(i)] = v < 0 ? v + extent : v;
  }
  return at;
}

// Elements row by row, in the order in which they are given: where their row of y begins.
template <typename T>
struct ByRows {
  Places begin, offset;
  std::vector<T> weight;

  ByRows(const Places& rows, const Places& cols, const T* values, int64_t m, int64_t n)
      : begin(static_cast<size_t>(m) + 1, 0), offset(rows.size()), weight(rows.size()) {
    for (const int64_t row : rows) ++begin[static_cast<size_t>(row) + 1];
    for (size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    Places next(begin.begin(), begin.end() - 1);
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto to = static_cast<size_t>(next[static_cast<size_t>(rows[i])]++);
      offset[to] = cols[i] * n;
      weight[to] = values[i];
    }
  }
};

// arguments: rows, cols, values, y, m
template <typename T>
void coo_matmul_kernel(KernelContext& k) {
  const int64_t m = k.i(4), n = k.in(3).shape[1].value();
  const Places rows = read_places(k, 0, m), cols = read_places(k, 1, k.in(3).shape[0].value());
  if (k.out(0).numel == 0) return;
  T* const out = k.out_data<T>(0);
  if (rows.empty()) return std::fill(out, out + m * n, T(0)), void();
  const ByRows<T> all(rows, cols, k.in_data<T>(2), m, n);
  const T* const y = k.in_data<T>(3);
  const auto work = static_cast<int64_t>(rows.size()) * n / m + n;
  parallel_for(0, m, std::max<int64_t>(1, kGrainWork / work), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const auto first = static_cast<size_t>(all.begin[static_cast<size_t>(row)]);
      const int64_t count = all.begin[static_cast<size_t>(row) + 1] - all.begin[static_cast<size_t>(row)];
      sum_rows(y, all.offset.data() + first, all.weight.data() + first, count, n, false,
               out + row * n);
    }
  });
}

// arguments: rows, cols, x, y
template <typename T>
void coo_dots_kernel(KernelContext& k) {
  const int64_t n = k.in(2).shape[1].value();
  const Places rows = read_places(k, 0, k.in(2).shape[0].value());
  Places offset = read_places(k, 1, k.in(3).shape[0].value());
  for (int64_t& at : offset) at *= n;
  const auto count = static_cast<int64_t>(rows.size());
  if (count == 0) return;
  const T *x = k.in(2).numel ? k.in_data<T>(2) : nullptr, *y = n ? k.in_data<T>(3) : nullptr;
  T* const out = k.out_data<T>(0);
  parallel_for(0, count, kGrainWork / (n + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end;) {
      const int64_t row = rows[static_cast<size_t>(i)];
      int64_t last = i + 1;
      while (last < end && rows[static_cast<size_t>(last)] == row) ++last;
      dot_rows(x + row * n, y, offset.data() + i, last - i, n, out + i);
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
