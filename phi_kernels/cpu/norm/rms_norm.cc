// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of rms_norm and its gradient on the CPU.
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/norm/norm_rows.h"

namespace paddle::cpu {
namespace {

int64_t first_axis(const KernelContext& c, int k) {
  const int64_t given = static_cast<int64_t>(c.ints(k).size());
  return static_cast<int64_t>(c.in(0).shape.size()) - (given == 0 ? 1 : given);
}

template <typename T>
void forward_kernel(KernelContext& c) {
  using A = RowType<T>;
  const Lanes l = norm_rows(c.in(0).shape, first_axis(c, 2));
  const int64_t n = l.length;
  const A epsilon = static_cast<A>(c.f(3));
  const T *x = c.in_data<T>(0), *w = c.has(1) ? c.in_data<T>(1) : nullptr;
  T* out = c.out_data<T>(0);
  A* factors = c.out_data<A>(1);
  const RowKernels<A>& k = rows<A>();
  std::vector<A> w_buffer;
  const A* weight = optional_row(w, n, w_buffer);
  parallel_for(0, l.outer, std::max<int64_t>(1, 16384 / std::max<int64_t>(n, 1)),
               [&](int64_t begin, int64_t end) {
                 std::vector<A> in_buffer, out_buffer;
                 for (int64_t i = begin; i < end; ++i) {
                   const A* row = load_row(x + i * n, n, in_buffer);
                   A* to = begin_row(out + i * n, n, out_buffer);
                   factors[i] = 1 / std::sqrt(k.dot(row, row, n) / static_cast<A>(n) + epsilon);
                   k.affine(row, 0, factors[i], weight, nullptr, to, n);
                   store_row(to, out + i * n, n);
                 }
               });
}

// arguments: x, scale, invvar, out_grad, normalized_shape, epsilon
template <typename T>
void backward_kernel(KernelContext& c) {
  using A = RowType<T>;
  const Lanes l = norm_rows(c.in(0).shape, first_axis(c, 4));
  const bool has_weight = c.has(1);
  norm_backward<T>(l, false, c.in_data<T>(0), has_weight ? c.in_data<T>(1) : nullptr,
                   c.in_data<T>(3), nullptr, c.in_data<A>(2), c.out_data<T>(0),
                   has_weight && c.wants(1) ? c.out_data<T>(1) : nullptr, nullptr);
}

template <typename T>
void add_both(Registry& r) {
  r.kernel("rms_norm", DeviceKind::kCpu, {DTypeOf<T>::value}, forward_kernel<T>);
  r.kernel("rms_norm_grad", DeviceKind::kCpu, {DTypeOf<T>::value}, backward_kernel<T>);
}

}  // namespace

void register_rms_norm_cpu(Registry& r) {
  add_both<float>(r);
  add_both<double>(r);
  add_both<float16>(r);
  add_both<bfloat16>(r);
}

}  // namespace paddle::cpu
