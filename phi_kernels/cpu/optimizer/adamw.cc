// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of adam_ and adamw_ on the CPU: one pass over parameter, gradient and moments.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "paddle_core/type/rounding.h"
#include "phi_kernels/cpu/optimizer/update.h"

namespace paddle::cpu {
namespace {

// Tensor arguments: param, grad, learning_rate, moment1, moment2, moment2_max, beta1_pow,
// beta2_pow, master_param, skip_update. Results: param, moment1, moment2, moment2_max, beta1_pow,
// beta2_pow, master_param, each in the memory of its argument.
struct Options {
  double beta1, beta2, epsilon, keep, rate_factor;
  bool global_pow, amsgrad, lazy;
};

// The comparison of neighbours is what the C library does fastest; n > 0.
template <typename A>
bool all_zero(const A* g, int64_t n) {
  if (std::memcmp(g, g + 1, static_cast<size_t>(n - 1) * sizeof(A)) == 0) return g[0] == A(0);
  return std::all_of(g, g + n, [](A x) { return x == A(0); });
}

template <typename T>
void step_all(KernelContext& c, Options o) {
  using A = RowType<T>;
  o.beta1 = as_held(o.beta1, c.in(6).dtype);
  o.beta2 = as_held(o.beta2, c.in(7).dtype);
  if (c.has(9) && *c.in_data<bool>(9)) return;
  const double pow1 = value_of(c.in(6)), pow2 = value_of(c.in(7));
  const double correction = std::sqrt(1 - pow2);
  const double learning_rate = value_of(c.in(2)) * o.rate_factor;
  const AdamStep step{o.beta1, o.beta2, learning_rate * correction / (1 - pow1),
                      o.epsilon * correction, 1 - learning_rate * o.keep};
  T* param = c.out_data<T>(0);
  const GradientRows<T> grad(c.in(1));
  A *m1 = c.out_data<A>(1), *m2 = c.out_data<A>(2);
  A* m2_max = o.amsgrad && c.has(5) ? c.out_data<A>(3) : nullptr;
  A* master = c.has(8) && c.wants(6) ? c.out_data<A>(6) : nullptr;
  const RowKernels<A>& k = rows<A>();
  // Lazy steps leave rows of the table without gradient as they are: blocks are whole rows then.
  const int64_t count = c.out(0).numel;
  const int64_t row = o.lazy && count ? count / c.out(0).shape[0].value() : 2048;
  const int64_t block = row * std::max<int64_t>(1, 128 / row);
  parallel_for(0, (count + block - 1) / block, 16384 / block + 1, [&](int64_t begin, int64_t end) {
    std::vector<A> g_buffer, p_buffer;
    for (int64_t i = begin * block; i < std::min(end * block, count); i += block) {
      const int64_t n = std::min(block, count - i);
      const A* g = grad.row(i, n, g_buffer);
      if (o.lazy && all_zero(g, n)) continue;
      A* p = master ? master + i : begin_row(param + i, n, p_buffer);
      if constexpr (!std::is_same_v<T, A>) {
        if (!master) load_row(param + i, n, p_buffer);
      }
      for (int64_t j = 0; j < n; j += row) {
        const int64_t length = std::min(row, n - j), at = i + j;
        if (o.lazy && all_zero(g + j, length)) continue;
        k.adam(step, g + j, p + j, m1 + at, m2 + at, m2_max ? m2_max + at : nullptr, length);
      }
      if (master && std::is_same_v<T, A>) k.scale(p, 1, reinterpret_cast<A*>(param + i), n);
      store_row(p, param + i, n);
    }
  });
  if (!o.global_pow) {
    put_value(c.out(4), pow1 * o.beta1);
    put_value(c.out(5), pow2 * o.beta2);
  }
}

// adam_: beta1, beta2, epsilon, lazy_mode, min_row_size..., multi_precision, use_global_beta_pow,
// amsgrad from argument 10 on.
template <typename T>
void adam_kernel(KernelContext& c) {
  step_all<T>(c, {c.scalar(10).to_double(), c.scalar(11).to_double(), c.scalar(12).to_double(), 0,
                  1, c.b(16), c.b(17), c.b(13) && c.out(0).shape.size() > 0});
}

// adamw_: beta1, beta2, epsilon, lr_ratio, coeff, with_decay, lazy_mode, min_row_size...,
// multi_precision, use_global_beta_pow, amsgrad.
template <typename T>
void adamw_kernel(KernelContext& c) {
  step_all<T>(c, {c.scalar(10).to_double(), c.scalar(11).to_double(), c.scalar(12).to_double(),
                  c.b(15) ? c.f(14) : 0.0, c.f(13), c.b(19), c.b(20),
                  c.b(16) && c.out(0).shape.size() > 0});
}

template <typename T>
void add_both(Registry& r) {
  r.kernel("adam_", DeviceKind::kCpu, {DTypeOf<T>::value}, adam_kernel<T>);
  r.kernel("adamw_", DeviceKind::kCpu, {DTypeOf<T>::value}, adamw_kernel<T>);
}

}  // namespace

void register_adamw_cpu(Registry& r) {
  add_both<float>(r);
  add_both<double>(r);
  add_both<float16>(r);
  add_both<bfloat16>(r);
}

}  // namespace paddle::cpu
