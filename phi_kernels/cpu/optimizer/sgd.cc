// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of sgd_ and momentum_ on the CPU: one pass over the parameter.
#include "phi_kernels/cpu/optimizer/update.h"

namespace paddle::cpu {
namespace {

// arguments: param, learning_rate, grad, master_param; results: param, master_param
template <typename T>
void sgd_kernel(KernelContext& c) {
  using A = RowType<T>;
  const A rate = static_cast<A>(value_of(c.in(1)));
  const RowKernels<A>& k = rows<A>();
  each_block<T>(c.out(0).numel, c.in(2), c.out_data<T>(0),
                c.has(3) && c.wants(1) ? c.out_data<A>(1) : nullptr,
                [&](const A* g, A* p, int64_t, int64_t n) { k.axpy(-rate, g, p, n); });
}

// arguments: param, grad, velocity, learning_rate, master_param, mu, use_nesterov,
// regularization_method, regularization_coeff, multi_precision, rescale_grad
template <typename T>
void momentum_kernel(KernelContext& c) {
  using A = RowType<T>;
  const A mu = static_cast<A>(c.f(5)), rate = static_cast<A>(value_of(c.in(3)));
  const A decay = c.text(7) == "l2_decay" ? static_cast<A>(c.f(8)) : A(0);
  const A rescale = static_cast<A>(c.f(10));
  const bool nesterov = c.b(6);
  A* velocity = c.out_data<A>(1);
  const RowKernels<A>& k = rows<A>();
  each_block<T>(c.out(0).numel, c.in(1), c.out_data<T>(0),
                c.has(4) && c.wants(2) ? c.out_data<A>(2) : nullptr,
                [&](const A* g, A* p, int64_t i, int64_t n) {
                  k.momentum(mu, rate, decay, rescale, nesterov, g, p, velocity + i, n);
                });
}

template <typename T>
void add_both(Registry& r) {
  r.kernel("sgd_", DeviceKind::kCpu, {DTypeOf<T>::value}, sgd_kernel<T>);
  r.kernel("momentum_", DeviceKind::kCpu, {DTypeOf<T>::value}, momentum_kernel<T>);
}

}  // namespace

void register_sgd_cpu(Registry& r) {
  add_both<float>(r);
  add_both<double>(r);
  add_both<float16>(r);
  add_both<bfloat16>(r);
}

}  // namespace paddle::cpu
