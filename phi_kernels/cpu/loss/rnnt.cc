// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of warprnnt and its gradient on the CPU: one sample a task, log probabilities in double.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"

namespace paddle::cpu {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kNever ? a : a + std::log1p(std::exp(b - a));
}

int64_t integer(const KernelContext& c, int k, int64_t i) {
  return c.in(k).dtype == DType::kInt64 ? c.in_data<int64_t>(k)[i] : c.in_data<int32_t>(k)[i];
}

template <typename A>
struct Sample {
  int64_t steps, columns, classes, width, blank;  // columns = labels + 1, width as stored
  const A* x;
  A* grad;
  std::vector<int64_t> label;

  int64_t row(int64_t t, int64_t u) const { return (t * width + u) * classes; }
  size_t at(int64_t t, int64_t u) const { return static_cast<size_t>(t * columns + u); }
  double stop(int64_t t, int64_t u) const { return static_cast<double>(x[row(t, u) + blank]); }
  double emit(int64_t t, int64_t u) const {
    return static_cast<double>(x[row(t, u) + label[static_cast<size_t>(u)]]);
  }

  double solve(double fastemit) {
    std::vector<double> alpha(static_cast<size_t>(steps * columns)), beta(alpha);
    for (int64_t t = 0; t < steps; ++t) {
      for (int64_t u = 0; u < columns; ++u) {
        const double down = t > 0 ? alpha[at(t - 1, u)] + stop(t - 1, u) : kNever;
        const double right = u > 0 ? alpha[at(t, u - 1)] + emit(t, u - 1) : kNever;
        alpha[at(t, u)] = t + u == 0 ? 0.0 : log_add(down, right);
      }
    }
    for (int64_t t = steps; t-- > 0;) {
      for (int64_t u = columns; u-- > 0;) {
        double total = t + 1 == steps && u + 1 == columns ? stop(t, u) : kNever;
        if (t + 1 < steps) total = log_add(total, beta[at(t + 1, u)] + stop(t, u));
        if (u + 1 < columns) total = log_add(total, beta[at(t, u + 1)] + emit(t, u));
        beta[at(t, u)] = total;
      }
    }
    const double total = beta[0];
    for (int64_t t = 0; t < steps; ++t) {
      for (int64_t u = 0; u < columns; ++u) {
        const double reach = alpha[at(t, u)] - total;
        const bool end = t + 1 == steps && u + 1 == columns;
        A* g = grad + row(t, u);
        if (end) g[blank] -= static_cast<A>(std::exp(reach + stop(t, u)));
        if (t + 1 < steps) {
          g[blank] -= static_cast<A>(std::exp(reach + stop(t, u) + beta[at(t + 1, u)]));
        }
        if (u + 1 < columns) {
          const double share = std::exp(reach + emit(t, u) + beta[at(t, u + 1)]);
          g[label[static_cast<size_t>(u)]] -= static_cast<A>((1 + fastemit) * share);
        }
      }
    }
    return -total;
  }
};

// arguments: input, label, input_lengths, label_lengths, blank, fastemit_lambda
template <typename A>
void forward_kernel(KernelContext& c) {
  const Shape& shape = c.in(0).shape;
  const int64_t batch = shape[0].value(), steps = shape[1].value(), width = shape[2].value();
  const int64_t classes = shape[3].value(), labels = c.in(1).shape[1].value();
  std::fill_n(c.out_data<A>(1), c.out(1).numel, A(0));
  std::vector<Sample<A>> samples(static_cast<size_t>(batch));
  for (int64_t b = 0; b < batch; ++b) {
    Sample<A>& s = samples[static_cast<size_t>(b)];
    s.steps = integer(c, 2, b);
    s.columns = integer(c, 3, b) + 1;
    PADDLE_CHECK_VALUE(s.steps >= 1 && s.steps <= steps, "warprnnt: input_lengths[", b, "] is ",
                       s.steps, "; it must be in [1, ", steps, "].");
    PADDLE_CHECK_VALUE(s.columns >= 1 && s.columns <= width, "warprnnt: label_lengths[", b, "] is ",
                       s.columns - 1, "; it must be in [0, ", labels, "].");
    s.classes = classes, s.width = width, s.blank = c.i(4);
    s.x = c.in_data<A>(0) + b * steps * width * classes;
    s.grad = c.out_data<A>(1) + b * steps * width * classes;
    for (int64_t u = 0; u + 1 < s.columns; ++u) {
      s.label.push_back(integer(c, 1, b * labels + u));
      PADDLE_CHECK_VALUE(s.label.back() >= 0 && s.label.back() < classes, "warprnnt: label[", b,
                         "][", u, "] is ", s.label.back(), "; input has ", classes, " classes.");
    }
  }
  A* loss = c.out_data<A>(0);
  const double fastemit = c.f(5);
  parallel_for(0, batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      loss[b] = static_cast<A>(samples[static_cast<size_t>(b)].solve(fastemit));
    }
  });
}

// arguments: input, label, input_lengths, label_lengths, warprnntgrad, loss_grad, ...
template <typename A>
void backward_kernel(KernelContext& c) {
  const int64_t batch = c.in(0).shape[0].value();
  const int64_t each = batch > 0 ? c.in(0).numel / batch : 0;
  const A *kept = c.in_data<A>(4), *g = c.in_data<A>(5);
  A* out = c.out_data<A>(0);
  parallel_for(0, batch, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, each)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin * each; i < end * each; ++i) out[i] = kept[i] * g[i / each];
               });
}

template <typename A>
void add_both(Registry& r) {
  r.kernel("warprnnt", DeviceKind::kCpu, {DTypeOf<A>::value}, forward_kernel<A>);
  r.kernel("warprnnt_grad", DeviceKind::kCpu, {DTypeOf<A>::value}, backward_kernel<A>);
}

}  // namespace

void register_rnnt_cpu(Registry& r) {
  add_both<float>(r);
  add_both<double>(r);
}

}  // namespace paddle::cpu
