// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of swiglu, its gradient and glu on the CPU: blocks that stay in the first-level cache go
// through the loops of silu and its gradient, and of sigmoid.
#include <algorithm>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/rows.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kBlock = 1024;

template <typename A>
void gate_block(int op, const A* x, A* out, int64_t n) {
  const void* in[] = {x};
  const int64_t stride[] = {1};
  loop_tables.unary[op][static_cast<int>(DTypeOf<A>::value)].fn(n, out, in, stride, Params());
}

template <typename A>
void silu_grad_block(const A* x, const A* g, A* out, int64_t n) {
  const void* in[] = {x, g};
  const int64_t stride[] = {1, 1};
  loop_tables.binary[kSiluGrad][static_cast<int>(DTypeOf<A>::value)].fn(n, out, in, stride,
                                                                        Params());
}

template <typename Body>
void each_block(int64_t n, Body&& body) {
  parallel_for(0, n, 8 * kBlock, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += kBlock) body(i, std::min(kBlock, end - i));
  });
}

// op(x) * y
template <typename T>
void gated_block(int op, const T* x, const T* y, T* out, int64_t n) {
  using A = RowType<T>;
  A gate[kBlock];
  std::vector<A> x_row, y_row, out_row;
  gate_block(op, load_row(x, n, x_row), gate, n);
  const A* other = load_row(y, n, y_row);
  A* to = begin_row(out, n, out_row);
  for (int64_t i = 0; i < n; ++i) to[i] = gate[i] * other[i];
  store_row(to, out, n);
}

// Rows of twice `width` elements: op of the half that begins `gate` elements from their start times
// the half that begins at `other`.
template <typename T>
void gated_rows(KernelContext& c, int op, int64_t width, int64_t gate, int64_t other) {
  const T* x = c.in_data<T>(0);
  T* out = c.out_data<T>(0);
  const int64_t blocks = (width + kBlock - 1) / kBlock;
  parallel_for(0, c.out(0).numel / width * blocks, std::max<int64_t>(1, 8 * kBlock / width),
               [&](int64_t begin, int64_t end) {
                 for (int64_t b = begin; b < end; ++b) {
                   const int64_t row = b / blocks, i = b % blocks * kBlock;
                   const T* from = x + 2 * row * width + i;
                   gated_block(op, from + gate, from + other, out + row * width + i,
                               std::min(kBlock, width - i));
                 }
               });
}

template <typename T>
void swiglu_kernel(KernelContext& c) {
  const int64_t total = c.out(0).numel;
  if (total == 0) return;
  if (c.has(1)) {
    const T *x = c.in_data<T>(0), *y = c.in_data<T>(1);
    T* out = c.out_data<T>(0);
    return each_block(total,
                      [&](int64_t i, int64_t n) { gated_block(kSilu, x + i, y + i, out + i, n); });
  }
  const int64_t width = c.out(0).shape.back().value();
  gated_rows<T>(c, kSilu, width, 0, width);
}

template <typename T>
void glu_kernel(KernelContext& c) {
  const Shape& shape = c.out(0).shape;
  if (c.out(0).numel == 0) return;
  int64_t width = 1;
  const size_t rank = shape.size(), first = static_cast<size_t>(c.i(1));
  for (size_t d = c.i(1) < 0 ? first + rank : first; d < rank; ++d) width *= shape[d].value();
  gated_rows<T>(c, kSigmoid, width, width, 0);
}

template <typename T>
void swiglu_grad_kernel(KernelContext& c) {
  using A = RowType<T>;
  const T *x = c.in_data<T>(0), *y = c.in_data<T>(1), *g = c.in_data<T>(2);
  T *dx = c.out_data<T>(0), *dy = c.out_data<T>(1);
  each_block(c.out(0).numel, [&](int64_t i, int64_t n) {
    A product[kBlock], gate[kBlock];
    std::vector<A> x_row, y_row, g_row, dx_row, dy_row;
    const A *of_x = load_row(x + i, n, x_row), *of_y = load_row(y + i, n, y_row),
            *of_g = load_row(g + i, n, g_row);
    for (int64_t j = 0; j < n; ++j) product[j] = of_g[j] * of_y[j];
    gate_block(kSilu, of_x, gate, n);
    A* to_y = begin_row(dy + i, n, dy_row);
    for (int64_t j = 0; j < n; ++j) to_y[j] = of_g[j] * gate[j];
    A* to_x = begin_row(dx + i, n, dx_row);
    silu_grad_block(of_x, product, to_x, n);
    store_row(to_x, dx + i, n);
    store_row(to_y, dy + i, n);
  });
}

template <typename T>
void add_both(Registry& r) {
  r.kernel("swiglu", DeviceKind::kCpu, {DTypeOf<T>::value}, swiglu_kernel<T>);
  r.kernel("glu", DeviceKind::kCpu, {DTypeOf<T>::value}, glu_kernel<T>);
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
