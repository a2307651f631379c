// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of sgd_ and momentum_ on the CPU: one pass over the parameter.
#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/rows.h"

namespace paddle::cpu {
namespace {

double learning_rate(const TensorImpl& t) {
  return t.dtype == DType::kFloat64 ? *static_cast<const double*>(t.data())
                                    : static_cast<double>(*static_cast<const float*>(t.data()));
}

// update(gradient, parameter, first element, count) on rows of the computing type; `master` holds
// the parameter in that type when the parameter itself is narrower.
template <typename T, typename Update>
void each_block(int64_t numel, const T* grad, T* param, RowType<T>* master, Update&& update) {
  using A = RowType<T>;
  parallel_for(0, numel, 16384, [&](int64_t begin, int64_t end) {
    constexpr int64_t kBlock = 2048;
    std::vector<A> g_buffer, p_buffer;
    for (int64_t i = begin; i < end; i += kBlock) {
      const int64_t n = std::min(kBlock, end - i);
      const A* g = load_row(grad + i, n, g_buffer);
      A* p = begin_row(param + i, n, p_buffer);
      if (master) {
        p = master + i;
      } else if constexpr (!std::is_same_v<T, A>) {
        load_row(param + i, n, p_buffer);
      }
      update(g, p, i, n);
      if constexpr (std::is_same_v<T, A>) {
        if (master) std::copy(p, p + n, param + i);
      }
      store_row(p, param + i, n);
    }
  });
}

// arguments: param, learning_rate, grad, master_param; results: param, master_param
template <typename T>
void sgd_kernel(KernelContext& c) {
  using A = RowType<T>;
  const A rate = static_cast<A>(learning_rate(c.in(1)));
  const RowKernels<A>& k = rows<A>();
  each_block<T>(c.out(0).numel, c.in_data<T>(2), c.out_data<T>(0),
                c.has(3) && c.wants(1) ? c.out_data<A>(1) : nullptr,
                [&](const A* g, A* p, int64_t, int64_t n) { k.axpy(-rate, g, p, n); });
}

// arguments: param, grad, velocity, learning_rate, master_param, mu, use_nesterov,
// regularization_method, regularization_coeff, multi_precision, rescale_grad
template <typename T>
void momentum_kernel(KernelContext& c) {
  using A = RowType<T>;
  const A mu = static_cast<A>(c.f(5)), rate = static_cast<A>(learning_rate(c.in(3)));
  const A decay = c.text(7) == "l2_decay" ? static_cast<A>(c.f(8)) : A(0);
  const A rescale = static_cast<A>(c.f(10));
  const bool nesterov = c.b(6);
  A* velocity = c.out_data<A>(1);
  const RowKernels<A>& k = rows<A>();
  each_block<T>(c.out(0).numel, c.in_data<T>(1), c.out_data<T>(0),
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
