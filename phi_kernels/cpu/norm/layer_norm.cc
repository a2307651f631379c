// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of layer_norm and its gradient on the CPU. Mean and variance are computed in two passes
// over the row, which is in cache: no cancellation.
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/norm/norm_rows.h"

namespace paddle::cpu {
namespace {

// arguments: x, scale, bias, epsilon, begin_norm_axis; results: out, mean, variance
template <typename T>
void forward_kernel(KernelContext& c) {
  using A = RowType<T>;
  const Lanes l = norm_rows(c.in(0).shape, c.i(4));
  const int64_t n = l.length;
  const A epsilon = static_cast<A>(c.f(3)), count = static_cast<A>(n);
  const T* x = c.in_data<T>(0);
  T* out = c.out_data<T>(0);
  A *means = c.out_data<A>(1), *variances = c.out_data<A>(2);
  const RowKernels<A>& k = rows<A>();
  std::vector<A> w_buffer, b_buffer;
  const A* weight = optional_row<T>(c.has(1) ? c.in_data<T>(1) : nullptr, n, w_buffer);
  const A* bias = optional_row<T>(c.has(2) ? c.in_data<T>(2) : nullptr, n, b_buffer);
  parallel_for(0, l.outer, std::max<int64_t>(1, 16384 / std::max<int64_t>(n, 1)),
               [&](int64_t begin, int64_t end) {
                 std::vector<A> in_buffer, out_buffer;
                 for (int64_t i = begin; i < end; ++i) {
                   const A* row = load_row(x + i * n, n, in_buffer);
                   A* to = begin_row(out + i * n, n, out_buffer);
                   means[i] = k.sum(row, n) / count;
                   variances[i] = k.square_sum(row, means[i], n) / count;
                   k.affine(row, means[i], 1 / std::sqrt(variances[i] + epsilon), weight, bias, to,
                            n);
                   store_row(to, out + i * n, n);
                 }
               });
}

// arguments: x, scale, bias, mean, variance, out_grad, epsilon, begin_norm_axis
template <typename T>
void backward_kernel(KernelContext& c) {
  using A = RowType<T>;
  const Lanes l = norm_rows(c.in(0).shape, c.i(7));
  const A epsilon = static_cast<A>(c.f(6));
  const A* variances = c.in_data<A>(4);
  std::vector<A> factors(static_cast<size_t>(l.outer));
  for (int64_t i = 0; i < l.outer; ++i) {
    factors[static_cast<size_t>(i)] = 1 / std::sqrt(variances[i] + epsilon);
  }
  norm_backward<T>(l, true, c.in_data<T>(0), c.has(1) ? c.in_data<T>(1) : nullptr, c.in_data<T>(5),
                   c.in_data<A>(3), factors.data(), c.out_data<T>(0),
                   c.has(1) && c.wants(1) ? c.out_data<T>(1) : nullptr,
                   c.has(2) && c.wants(2) ? c.out_data<T>(2) : nullptr);
}

template <typename T>
void add_both(Registry& r) {
  r.kernel("layer_norm", DeviceKind::kCpu, {DTypeOf<T>::value}, forward_kernel<T>);
  r.kernel("layer_norm_grad", DeviceKind::kCpu, {DTypeOf<T>::value}, backward_kernel<T>);
}

}  // namespace

void register_layer_norm_cpu(Registry& r) {
  add_both<float>(r);
  add_both<double>(r);
  add_both<float16>(r);
  add_both<bfloat16>(r);
}

}  // namespace paddle::cpu
