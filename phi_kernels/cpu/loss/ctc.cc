// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of warpctc and its gradient on the CPU: one sample a task, log probabilities in double.
#include <algorithm>
#include <cmath>
#include <limits>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/indices.h"
#include "phi_kernels/cpu/loops/loops.h"
#include "phi_kernels/cpu/rows/rows.h"

namespace paddle::cpu {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kNever ? a : a + std::log1p(std::exp(b - a));
}

void apply(UnaryOp op, double* x, int64_t n) {
  const void* in[] = {x};
  constexpr int64_t kDense = 1;
  loop_tables.unary[op][static_cast<int>(DType::kFloat64)].fn(n, x, in, &kDense, Params());
}

// x = exp(x); what vanishes beside 1 does not go down to subnormal numbers, which take long.
void exp_in_place(double* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] = x[i] < -700 ? -700 : x[i];
  apply(kExp, x, n);
}

// to[i] = log(exp(x[i]) + exp(x[n + i]) + exp(x[2n + i])). x, of 3n, is overwritten.
void log_add_three(double* x, int64_t n, double* to) {
  double *y = x + n, *z = y + n;
  for (int64_t i = 0; i < n; ++i) {
    to[i] = std::max(x[i], std::max(y[i], z[i]));
    const double top = to[i] == kNever ? 0 : to[i];
    x[i] -= top;
    y[i] -= top;
    z[i] -= top;
  }
  exp_in_place(x, 3 * n);
  for (int64_t i = 0; i < n; ++i) x[i] += y[i] + z[i];
  apply(kLog, x, n);
  for (int64_t i = 0; i < n; ++i) to[i] += to[i] == kNever ? 0 : x[i];
}

// An integer tensor as int64, or `fill` for each sample when absent.
std::vector<int64_t> integers(const KernelContext& c, int k, int64_t count, int64_t fill) {
  std::vector<int64_t> out(static_cast<size_t>(count), fill);
  if (!c.has(k)) return out;
  const bool wide = c.in(k).dtype == DType::kInt64;
  PADDLE_CHECK_TYPE(wide || c.in(k).dtype == DType::kInt32, c.op().name(), ": ",
                    c.op().schema().args[static_cast<size_t>(k)].name, " has dtype ", c.in(k).dtype,
                    "; it must be int32 or int64; cast it with astype().");
  const Tensor source = c.in_tensor(k);
  for (int64_t i = 0; i < count; ++i) {
    out[static_cast<size_t>(i)] = wide ? source.data<int64_t>()[i] : source.data<int32_t>()[i];
  }
  return out;
}

struct Sample {
  int64_t steps, states, blank;
  std::vector<int64_t> classes;  // of the states
  std::vector<double> emit;      // [steps, states]
  std::vector<double> terms;     // [3, states]: of the sums at one step

  bool may_skip(int64_t s) const {
    return s >= 2 && classes[at(s)] != blank && classes[at(s)] != classes[at(s - 2)];
  }
  static size_t at(int64_t i) { return static_cast<size_t>(i); }

  // alpha[t][s] includes the emission at t.
  std::vector<double> forward() {
    std::vector<double> a(at(steps * states), kNever);
    for (int64_t s = 0; s < std::min<int64_t>(2, states); ++s) a[at(s)] = emit[at(s)];
    for (int64_t t = 1; t < steps; ++t) {
      const double* old = a.data() + (t - 1) * states;
      double *now = a.data() + t * states, *x = terms.data();
      for (int64_t s = 0; s < states; ++s) {
        x[s] = old[s];
        x[states + s] = s >= 1 ? old[s - 1] : kNever;
        x[2 * states + s] = may_skip(s) ? old[s - 2] : kNever;
      }
      log_add_three(x, states, now);
      for (int64_t s = 0; s < states; ++s) now[s] += emit[at(t * states + s)];
    }
    return a;
  }
  double total(const std::vector<double>& a) const {
    const double last = a[at(steps * states - 1)];
    return states > 1 ? log_add(last, a[at(steps * states - 2)]) : last;
  }
  // beta at the step before `next`, without that step's emission.
  void back(const double* next, const double* next_emit, double* to) {
    double* x = terms.data();
    const auto from = [&](int64_t s) { return s < states ? next[s] + next_emit[s] : kNever; };
    for (int64_t s = 0; s < states; ++s) {
      x[s] = from(s);
      x[states + s] = from(s + 1);
      x[2 * states + s] = s + 2 < states && may_skip(s + 2) ? from(s + 2) : kNever;
    }
    log_add_three(x, states, to);
  }
};

template <typename A>
struct Problem {
  int64_t steps, batch, classes, longest, blank;
  bool norm_by_times;
  std::vector<int64_t> label, length, label_length;
  const A* logits;
  A* loss;
  A* grad;
};

template <typename A>
void solve(const Problem<A>& p, int64_t b) {
  const RowKernels<A>& k = rows<A>();
  Sample s;
  s.steps = p.length[static_cast<size_t>(b)];
  s.blank = p.blank;
  const int64_t n = p.label_length[static_cast<size_t>(b)];
  s.states = 2 * n + 1;
  s.classes.assign(Sample::at(s.states), p.blank);
  for (int64_t i = 0; i < n; ++i) {
    s.classes[Sample::at(2 * i + 1)] = p.label[Sample::at(b * p.longest + i)];
  }
  const auto row = [&](int64_t t) { return (t * p.batch + b) * p.classes; };
  // The gradient's memory holds softmax first.
  s.emit.resize(Sample::at(s.steps * s.states));
  s.terms.resize(Sample::at(3 * s.states));
  for (int64_t t = 0; t < p.steps; ++t) {
    if (t >= s.steps) {
      std::fill_n(p.grad + row(t), p.classes, A(0));
      continue;
    }
    const A* x = p.logits + row(t);
    const A top = k.max(x, p.classes);
    const A sum = k.exp_shift(x, top, p.grad + row(t), p.classes);
    k.scale(p.grad + row(t), 1 / sum, p.grad + row(t), p.classes);
    const double shift = static_cast<double>(top) + std::log(static_cast<double>(sum));
    for (int64_t i = 0; i < s.states; ++i) {
      s.emit[Sample::at(t * s.states + i)] =
          static_cast<double>(x[s.classes[Sample::at(i)]]) - shift;
    }
  }
  const std::vector<double> alpha = s.steps > 0 ? s.forward() : std::vector<double>();
  const double total = s.steps > 0 ? s.total(alpha) : (n == 0 ? 0.0 : kNever);
  p.loss[b] = total == kNever ? A(0) : static_cast<A>(-total);
  if (s.steps == 0) return;
  std::vector<double> beta(Sample::at(s.states), kNever), before(beta);
  beta[Sample::at(s.states - 1)] = 0;
  if (s.states > 1) beta[Sample::at(s.states - 2)] = 0;
  const A factor = p.norm_by_times ? A(1) / static_cast<A>(s.steps) : A(1);
  for (int64_t t = s.steps; t-- > 0;) {
    A* g = p.grad + row(t);
    if (total == kNever || std::isnan(total)) {
      std::fill_n(g, p.classes, total == kNever ? A(0) : static_cast<A>(total));
      continue;
    }
    if (t + 1 < s.steps) {
      s.back(beta.data(), s.emit.data() + (t + 1) * s.states, before.data());
      std::swap(beta, before);
    }
    double* share = s.terms.data();
    for (int64_t i = 0; i < s.states; ++i) {
      share[i] = alpha[Sample::at(t * s.states + i)] + beta[Sample::at(i)] - total;
    }
    exp_in_place(share, s.states);
    for (int64_t i = 0; i < s.states; ++i) {
      g[s.classes[Sample::at(i)]] -= static_cast<A>(share[i]);
    }
    if (p.norm_by_times) k.scale(g, factor, g, p.classes);
  }
}

template <typename A>
void check(const Problem<A>& p) {
  for (int64_t b = 0; b < p.batch; ++b) {
    const int64_t t = p.length[static_cast<size_t>(b)], n = p.label_length[static_cast<size_t>(b)];
    PADDLE_CHECK_VALUE(t >= 0 && t <= p.steps, "warpctc: logits_length[", b, "] is ", t,
                       "; logits has ", p.steps, " steps.");
    PADDLE_CHECK_VALUE(n >= 0 && n <= p.longest, "warpctc: labels_length[", b, "] is ", n,
                       "; label has room for ", p.longest, ".");
    for (int64_t i = 0; i < n; ++i) {
      const int64_t y = p.label[static_cast<size_t>(b * p.longest + i)];
      PADDLE_CHECK_VALUE(y >= 0 && y < p.classes, "warpctc: label[", b, "][", i, "] is ", y,
                         "; logits has ", p.classes, " classes.");
    }
  }
}

// arguments: logits, label, logits_length, labels_length, blank, norm_by_times
template <typename A>
void forward_kernel(KernelContext& c) {
  const Shape& x = c.in(0).shape;
  Problem<A> p;
  p.steps = x[0].value(), p.batch = x[1].value(), p.classes = x[2].value();
  p.longest = c.in(1).shape[1].value();
  p.blank = c.i(4);
  p.norm_by_times = c.b(5);
  p.label = integers(c, 1, p.batch * p.longest, 0);
  p.length = integers(c, 2, p.batch, p.steps);
  p.label_length = integers(c, 3, p.batch, p.longest);
  p.logits = c.in_data<A>(0);
  p.loss = c.out_data<A>(0);
  p.grad = c.out_data<A>(1);
  check(p);
  parallel_for(0, p.batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) solve(p, b);
  });
}

// arguments: logits, label, logits_length, labels_length, warpctcgrad, loss_grad, ...
template <typename A>
void backward_kernel(KernelContext& c) {
  const Shape& x = c.in(0).shape;
  const int64_t batch = x[1].value(), classes = x[2].value();
  const A *kept = c.in_data<A>(4), *g = c.in_data<A>(5);
  A* out = c.out_data<A>(0);
  const RowKernels<A>& k = rows<A>();
  parallel_for(0, x[0].value() * batch, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, classes)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   k.scale(kept + i * classes, g[i % batch], out + i * classes, classes);
                 }
               });
}

template <typename A>
void add_both(Registry& r) {
  r.kernel("warpctc", DeviceKind::kCpu, {DTypeOf<A>::value}, forward_kernel<A>);
  r.kernel("warpctc_grad", DeviceKind::kCpu, {DTypeOf<A>::value}, backward_kernel<A>);
}

}  // namespace

void register_ctc_cpu(Registry& r) {
  add_both<float>(r);
  add_both<double>(r);
}

}  // namespace paddle::cpu
