// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of rotate_halves on the CPU: rows of x, each with a row of the tables.
#include <algorithm>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/rows/rows.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kRun = 4096;  // elements that are widened together

// Which row of the tables belongs to a row of x, both contiguous.
class TableRows {
 public:
  TableRows(const Shape& x, const Shape& table) {
    const size_t axes = x.size() - 1;
    size_t last = axes;
    for (; last > 0 && (table[last - 1] == Dim(1) || x[last - 1] == Dim(1)); --last) {
      repeat_ *= x[last - 1].value();
    }
    int64_t stride = 1;
    for (size_t i = last; i-- > 0;) {
      extents_.push_back(x[i].value());
      strides_.push_back(table[i] == Dim(1) ? 0 : stride);
      stride *= table[i].value();
    }
  }
  int64_t repeat() const { return repeat_; }  // rows of x in a row that share one
  int64_t row(int64_t i) const {
    int64_t at = 0, rest = i / repeat_;
    for (size_t d = 0; d < extents_.size(); ++d) {
      at += rest % extents_[d] * strides_[d];
      rest /= extents_[d];
    }
    return at;
  }

 private:
  int64_t repeat_ = 1;
  std::vector<int64_t> extents_, strides_;  // from the last axis on
};

template <typename T>
void kernel(KernelContext& c) {
  using A = RowType<T>;
  const Shape& shape = c.in(0).shape;
  const int64_t n = shape.back().value();
  if (c.out(0).numel == 0) return;
  const TableRows tables(shape, c.in(1).shape);
  const T *x = c.in_data<T>(0), *cos = c.in_data<T>(1), *sin = c.in_data<T>(2);
  T* out = c.out_data<T>(0);
  const bool inverse = c.b(3);
  parallel_for(
      0, c.out(0).numel / n, std::max<int64_t>(1, 16384 / n), [&](int64_t begin, int64_t end) {
        std::vector<A> x_rows, cos_row, sin_row, out_rows;
        for (int64_t i = begin; i < end;) {
          const int64_t row = tables.row(i) * n, most = std::max<int64_t>(1, kRun / n),
                        count = std::min({end - i, tables.repeat() - i % tables.repeat(), most}),
                        size = count * n;
          A* to = begin_row(out + i * n, size, out_rows);
          rows<A>().rotate(load_row(x + i * n, size, x_rows), load_row(cos + row, n, cos_row),
                           load_row(sin + row, n, sin_row), inverse, to, n / 2, count);
          store_row(to, out + i * n, size);
          i += count;
        }
      });
}

}  // namespace

void register_rotary_cpu(Registry& r) {
  r.kernel("rotate_halves", DeviceKind::kCpu, {DType::kFloat32}, kernel<float>);
  r.kernel("rotate_halves", DeviceKind::kCpu, {DType::kFloat64}, kernel<double>);
  r.kernel("rotate_halves", DeviceKind::kCpu, {DType::kFloat16}, kernel<float16>);
  r.kernel("rotate_halves", DeviceKind::kCpu, {DType::kBFloat16}, kernel<bfloat16>);
}

}  // namespace paddle::cpu
