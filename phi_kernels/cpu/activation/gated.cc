// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of swiglu, its gradient and glu on the CPU.
#include <algorithm>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/rows/rows.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kBlock = 1024;

const Loop& loop_of(int op, DType t) { return loop_tables.binary[op][static_cast<int>(t)]; }

// The two halves of x along the axis before `width` elements of the result, as operands of op.
void halves_kernel(KernelContext& c, int op, int64_t width) {
  const TensorImpl& out = c.out(0);
  if (out.numel == 0) return;
  const Shape shape{Dim(out.numel / width), Dim(width)};
  const Strides strides{2 * width, 1};
  const Tensor x = c.in_tensor(0).contiguous_copy_if_needed(),
               first = Tensor::alias(x, shape, strides, 0),
               second = Tensor::alias(x, shape, strides,
                                      width * static_cast<int64_t>(size_of(out.dtype))),
               to = Tensor::alias(Tensor(IntrusivePtr<TensorImpl>::share(&c.out(0))), shape,
                                  contiguous_strides(shape), 0);
  const TensorImpl* in[] = {first.impl(), second.impl()};
  run_loop(loop_of(op, out.dtype), *to.impl(), in, 2, Params());
}

void swiglu_kernel(KernelContext& c) {
  const TensorImpl& out = c.out(0);
  if (!c.has(1)) return halves_kernel(c, kSwiglu, out.shape.back().value());
  const TensorImpl* in[] = {&c.in(0), &c.in(1)};
  run_loop(loop_of(kSwiglu, out.dtype), out, in, 2, Params());
}

void glu_kernel(KernelContext& c) {
  const Shape& shape = c.out(0).shape;
  int64_t width = 1;
  const size_t rank = shape.size(), first = static_cast<size_t>(c.i(1));
  for (size_t d = c.i(1) < 0 ? first + rank : first; d < rank; ++d) width *= shape[d].value();
  halves_kernel(c, kGlu, width);
}

template <typename T>
void swiglu_grad_kernel(KernelContext& c) {
  using A = RowType<T>;
  const T *x = c.in_data<T>(0), *y = c.in_data<T>(1), *g = c.in_data<T>(2);
  T *dx = c.out_data<T>(0), *dy = c.out_data<T>(1);
  parallel_for(0, c.out(0).numel, 8 * kBlock, [&](int64_t begin, int64_t end) {
    std::vector<A> x_row, y_row, g_row, dx_row, dy_row;
    for (int64_t i = begin; i < end; i += kBlock) {
      const int64_t n = std::min(kBlock, end - i);
      A *to_x = begin_row(dx + i, n, dx_row), *to_y = begin_row(dy + i, n, dy_row);
      rows<A>().swiglu_grad(load_row(x + i, n, x_row), load_row(y + i, n, y_row),
                            load_row(g + i, n, g_row), to_x, to_y, n);
      store_row(to_x, dx + i, n);
      store_row(to_y, dy + i, n);
    }
  });
}

template <typename T>
void add_both(Registry& r) {
  r.kernel("swiglu", DeviceKind::kCpu, {DTypeOf<T>::value}, swiglu_kernel, true);
  r.kernel("glu", DeviceKind::kCpu, {DTypeOf<T>::value}, glu_kernel);
  r.kernel("swiglu_grad", DeviceKind::kCpu, {DTypeOf<T>::value}, swiglu_grad_kernel<T>);
}

}  // namespace

void register_gated_cpu(Registry& r) {
  init_loop_tables();
  add_both<float>(r);
  add_both<double>(r);
  add_both<float16>(r);
  add_both<bfloat16>(r);
}

}  // namespace paddle::cpu
