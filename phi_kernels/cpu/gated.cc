// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of swiglu and its gradient on the CPU: blocks that stay in the first-level cache go
// through the loops of silu and its gradient.
#include <algorithm>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/rows.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kBlock = 1024;

template <typename A>
void silu_block(const A* x, A* out, int64_t n) {
  const void* in[] = {x};
  const int64_t stride[] = {1};
  loop_tables.unary[kSilu][static_cast<int>(DTypeOf<A>::value)].fn(n, out, in, stride, Params());
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

template <typename T>
void swiglu_block(const T* x, const T* y, T* out, int64_t n) {
  using A = RowType<T>;
  A gate[kBlock];
  std::vector<A> x_row, y_row, out_row;
  silu_block(load_row(x, n, x_row), gate, n);
  const A* other = load_row(y, n, y_row);
  A* to = begin_row(out, n, out_row);
  for (int64_t i = 0; i < n; ++i) to[i] = gate[i] * other[i];
  store_row(to, out, n);
}

template <typename T>
void swiglu_kernel(KernelContext& c) {
  const T* x = c.in_data<T>(0);
  T* out = c.out_data<T>(0);
  const int64_t total = c.out(0).numel;
  if (total == 0) return;
  if (c.has(1)) {
    const T* y = c.in_data<T>(1);
    return each_block(total, [&](int64_t i, int64_t n) { swiglu_block(x + i, y + i, out + i, n); });
  }
  const int64_t width = c.out(0).shape.back().value();
  parallel_for(0, total / width, std::max<int64_t>(1, 8 * kBlock / width),
               [&](int64_t begin, int64_t end) {
                 for (int64_t row = begin; row < end; ++row) {
                   const T* from = x + 2 * row * width;
                   for (int64_t i = 0; i < width; i += kBlock) {
                     swiglu_block(from + i, from + width + i, out + row * width + i,
                                  std::min(kBlock, width - i));
                   }
                 }
               });
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
    silu_block(of_x, gate, n);
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
