// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the parameter updates with state per element, for float32 and float64: one pass over
// parameter, gradient and state. The formulas are those of ops/optimizer/adaptive.cc, which serve
// the other dtypes.
#include <cmath>
#include <numeric>

#include "paddle_core/type/rounding.h"
#include "phi_kernels/cpu/optimizer/update.h"

namespace paddle::cpu {
namespace {

// The state tensor in result k, in place of argument `arg`.
template <typename T>
T* state(KernelContext& c, int k, int arg) {
  PADDLE_CHECK_TYPE(c.in(arg).dtype == DTypeOf<T>::value, c.op().name(), ": a state has dtype ",
                    c.in(arg).dtype, " and param has dtype ", c.in(0).dtype,
                    "; they must be equal; rebuild the optimizer state for this parameter.");
  return c.out_data<T>(k);
}

template <typename T, typename Step>
__attribute__((target("avx2,fma"), flatten)) void each_step(const Step& step, const T* g, T* p,
                                                            int64_t first, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) p[i] = step(first + i, g[i], p[i]);
}

// step(i, gradient, parameter) gives the next value of parameter i and replaces its state.
template <typename T, typename Step>
void update(KernelContext& c, int grad, int master, int master_out, Step step) {
  T* kept = c.has(master) && c.wants(master_out) ? c.out_data<T>(master_out) : nullptr;
  each_block<T>(
      c.out(0).numel, c.in(grad), c.out_data<T>(0), kept,
      [&](const T* g, T* p, int64_t first, int64_t n) { each_step(step, g, p, first, n); });
}

// arguments: param, grad, moment, learning_rate, master_param, epsilon, multi_precision
template <typename T>
void adagrad_kernel(KernelContext& c) {
  T* moment = state<T>(c, 1, 2);
  const T rate = T(value_of(c.in(3))), epsilon = T(c.f(5));
  update<T>(c, 1, 4, 2, [=](int64_t i, T g, T p) {
    const T m = moment[i] + g * g;
    moment[i] = m;
    return p - rate * g / (std::sqrt(m) + epsilon);
  });
}

// arguments: param, grad, avg_squared_grad, avg_squared_update, learning_rate, master_param, rho,
// epsilon, multi_precision
template <typename T>
void adadelta_kernel(KernelContext& c) {
  T *grads = state<T>(c, 1, 2), *updates = state<T>(c, 2, 3);
  const T rate = T(value_of(c.in(4))), rho = T(c.f(6)), rest = T(1 - c.f(6)), epsilon = T(c.f(7));
  update<T>(c, 1, 5, 3, [=](int64_t i, T g, T p) {
    const T square = rho * grads[i] + rest * g * g;
    const T step = std::sqrt((updates[i] + epsilon) / (square + epsilon)) * g;
    grads[i] = square;
    updates[i] = rho * updates[i] + rest * step * step;
    return p - rate * step;
  });
}

// arguments: param, mean_square, grad, moment, learning_rate, mean_grad, master_param, epsilon,
// decay, momentum, centered, multi_precision
template <typename T>
void rmsprop_kernel(KernelContext& c) {
  T *moment = state<T>(c, 1, 3), *squares = state<T>(c, 2, 1);
  const T rate = T(value_of(c.in(4))), epsilon = T(c.f(7)), momentum = T(c.f(9));
  const T rho = T(c.f(8)), rest = T(1 - c.f(8));
  if (!c.b(10)) {
    return update<T>(c, 2, 6, 4, [=](int64_t i, T g, T p) {
      const T square = rho * squares[i] + rest * g * g;
      const T m = momentum * moment[i] + rate * g / std::sqrt(square + epsilon);
      squares[i] = square;
      moment[i] = m;
      return p - m;
    });
  }
  T* means = state<T>(c, 3, 5);
  update<T>(c, 2, 6, 4, [=](int64_t i, T g, T p) {
    const T square = rho * squares[i] + rest * g * g, mean = rho * means[i] + rest * g;
    const T m = momentum * moment[i] + rate * g / std::sqrt(square - mean * mean + epsilon);
    squares[i] = square;
    means[i] = mean;
    moment[i] = m;
    return p - m;
  });
}

// arguments: param, grad, learning_rate, moment, inf_norm, beta1_pow, master_param, beta1, beta2,
// epsilon, multi_precision
template <typename T>
void adamax_kernel(KernelContext& c) {
  T *moment = state<T>(c, 1, 3), *norms = state<T>(c, 2, 4);
  const T rate = T(value_of(c.in(2)) / (1 - value_of(c.in(5))));
  const T beta1 = T(c.f(7)), rest = T(1 - c.f(7)), beta2 = T(c.f(8)), epsilon = T(c.f(9));
  update<T>(c, 1, 6, 3, [=](int64_t i, T g, T p) {
    const T m = beta1 * moment[i] + rest * g, old = beta2 * norms[i] + epsilon;
    const T size = std::fabs(g), norm = size < old || old != old ? old : size;
    moment[i] = m;
    norms[i] = norm;
    return p - rate * m / norm;
  });
}

// Adam's two moments, each with the next gradient in it.
template <typename T>
struct Moments {
  Moments(KernelContext& c, int out1, int arg1, double beta1, double beta2)
      : m1(state<T>(c, out1, arg1)),
        m2(state<T>(c, out1 + 1, arg1 + 1)),
        keep1(T(beta1)),
        add1(T(1 - beta1)),
        keep2(T(beta2)),
        add2(T(1 - beta2)) {}
  T first(int64_t i, T g) const { return m1[i] = keep1 * m1[i] + add1 * g; }
  T second(int64_t i, T g) const { return m2[i] = keep2 * m2[i] + add2 * g * g; }

  T *m1, *m2;
  T keep1, add1, keep2, add2;
};

// arguments: param, grad, learning_rate, momentum_decay_pow, beta2_pow, mu_product, moment1,
// moment2, master_param, beta1, beta2, epsilon, momentum_decay, multi_precision
template <typename T>
void nadam_kernel(KernelContext& c) {
  constexpr double kBase = 0.96;  // of the momentum schedule, Dozat 2016
  const double beta1 = c.f(9), beta2 = c.f(10), decay = c.f(12);
  const double decay_pow = value_of(c.in(3)) * kBase, beta2_pow = value_of(c.in(4)) * beta2;
  const double schedule = std::pow(decay_pow, decay);
  const double mu = beta1 * (1 - 0.5 * schedule);
  const double mu_next = beta1 * (1 - 0.5 * schedule * std::pow(kBase, decay));
  const double product = value_of(c.in(5)) * mu;
  const Moments<T> moments(c, 4, 6, beta1, beta2);
  const T rate = T(value_of(c.in(2))), epsilon = T(c.f(11)), spread = T(1 / (1 - beta2_pow));
  const T of_mean = T(mu_next / (1 - product * mu_next)), of_grad = T((1 - mu) / (1 - product));
  update<T>(c, 1, 8, 6, [=](int64_t i, T g, T p) {
    const T mean = of_mean * moments.first(i, g) + of_grad * g;
    return p - rate * mean / (std::sqrt(moments.second(i, g) * spread) + epsilon);
  });
  put_value(c.out(1), decay_pow);
  put_value(c.out(2), beta2_pow);
  put_value(c.out(3), product);
}

// arguments: param, grad, learning_rate, beta1_pow, beta2_pow, rho, moment1, moment2, master_param,
// beta1, beta2, epsilon, multi_precision
template <typename T>
void radam_kernel(KernelContext& c) {
  const double beta1 = c.f(9), beta2 = c.f(10), limit = 2 / (1 - beta2) - 1;
  const double pow1 = value_of(c.in(3)) * beta1, pow2 = value_of(c.in(4)) * beta2;
  const double rho = (value_of(c.in(5)) * (beta2 - pow2) + pow2) / (1 - pow2);
  const double length = limit - 2 * rho, rate = value_of(c.in(2)) / (1 - pow1);
  const Moments<T> moments(c, 4, 6, beta1, beta2);
  if (length > 5) {
    const double rectifier =
        std::sqrt((length - 4) * (length - 2) / length * limit / ((limit - 4) * (limit - 2)));
    const T scaled = T(rate * rectifier * std::sqrt(1 - pow2)), epsilon = T(c.f(11));
    update<T>(c, 1, 8, 6, [=](int64_t i, T g, T p) {
      const T m1 = moments.first(i, g);
      return p - scaled * m1 / (std::sqrt(moments.second(i, g)) + epsilon);
    });
  } else {
    update<T>(c, 1, 8, 6, [moments, rate = T(rate)](int64_t i, T g, T p) {
      moments.second(i, g);
      return p - rate * moments.first(i, g);
    });
  }
  put_value(c.out(1), pow1);
  put_value(c.out(2), pow2);
  put_value(c.out(3), rho);
}

// arguments: param, grad, learning_rate, d, y, n, master_param, multi_precision
template <typename T>
void asgd_kernel(KernelContext& c) {
  T *sum = state<T>(c, 1, 3), *oldest = state<T>(c, 2, 4);
  const T rate = T(value_of(c.in(2)) / value_of(c.in(5)));
  update<T>(c, 1, 6, 3, [=](int64_t i, T g, T p) {
    const T d = sum[i] - oldest[i] + g;
    sum[i] = d;
    oldest[i] = g;
    return p - rate * d;
  });
}

template <typename T>
__attribute__((target("avx2,fma"))) double sum_of_squares(const T* values, int64_t n) {
  constexpr int64_t kLanes = 16;
  double sums[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t l = 0; l < kLanes; ++l) {
      const double v = values[i + l];
      sums[l] += v * v;
    }
  }
  for (; i < n; ++i) sums[0] += static_cast<double>(values[i]) * values[i];
  return std::accumulate(sums, sums + kLanes, 0.0);
}

// Sums of squares over blocks of fixed size, so that they do not depend on the threads.
class Squares {
 public:
  static constexpr int64_t kBlock = 16384;
  explicit Squares(int64_t numel) : sums_(static_cast<size_t>((numel + kBlock - 1) / kBlock)) {}
  template <typename T>
  void add(int64_t first, const T* values, int64_t n) {
    sums_[static_cast<size_t>(first / kBlock)] += sum_of_squares(values, n);
  }
  double root() const { return std::sqrt(std::accumulate(sums_.begin(), sums_.end(), 0.0)); }

 private:
  std::vector<double> sums_;
};

// The direction of the step, which takes the place of the gradient, and the norms of both.
template <typename T>
class Lamb {
 public:
  explicit Lamb(KernelContext& c)
      : numel_(c.out(0).numel), parameter_(numel_), direction_(numel_), steps_(numel_) {
    const double beta1 = as_held(c.f(10), c.in(5).dtype);
    const double beta2 = as_held(c.f(11), c.in(6).dtype);
    const double pow1 = value_of(c.in(5)), pow2 = value_of(c.in(6));
    const T spread1 = T(1 / (1 - pow1)), spread2 = T(1 / (1 - pow2));
    const T epsilon = T(c.f(12)), decay = T(c.f(9));
    const Moments<T> moments(c, 1, 3, beta1, beta2);
    T* to = steps_.data();
    const auto direction = [=](int64_t i, T g, T p) {
      const T m1 = moments.first(i, g) * spread1, m2 = moments.second(i, g) * spread2;
      to[i] = m1 / (std::sqrt(m2) + epsilon) + decay * p;
      return p;
    };
    T* kept = c.has(7) && c.wants(5) ? c.out_data<T>(5) : nullptr;
    each_block<T>(numel_, c.in(1), c.out_data<T>(0), kept,
                  [&](const T* g, T* p, int64_t first, int64_t n) {
                    each_step(direction, g, p, first, n);
                    parameter_.add(first, p, n);
                    direction_.add(first, to + first, n);
                  });
    put_value(c.out(3), pow1 * beta1);
    put_value(c.out(4), pow2 * beta2);
  }

  void run(KernelContext& c) const {
    double rate = value_of(c.in(2));
    const double length = parameter_.root(), size = direction_.root();
    if ((c.f(9) != 0 || c.b(13)) && length > 0 && size > 0) rate *= length / size;
    const T* steps = steps_.data();
    update<T>(c, 1, 7, 5,
              [steps, rate = T(rate)](int64_t i, T, T p) { return p - rate * steps[i]; });
  }

 private:
  int64_t numel_;
  Squares parameter_, direction_;
  std::vector<T> steps_;
};

// arguments: param, grad, learning_rate, moment1, moment2, beta1_pow, beta2_pow, master_param,
// skip_update, weight_decay, beta1, beta2, epsilon, always_adapt, multi_precision
template <typename T>
void lamb_kernel(KernelContext& c) {
  if (c.has(8) && c.in_tensor(8).item().to_bool()) return;
  Lamb<T>(c).run(c);
}

// arguments: param, grad, prev, learning_rate, master_param, learning_rate_range, etas,
// multi_precision
template <typename T>
void rprop_kernel(KernelContext& c) {
  const auto entry = [&](int k, int64_t i) {
    const Tensor pair = c.in_tensor(k);
    const int64_t offset = i * static_cast<int64_t>(size_of(pair.dtype()));
    return T(Tensor::alias(pair, Shape{}, Strides{}, offset).item().to_double());
  };
  PADDLE_CHECK_VALUE(c.in(2).numel == c.out(0).numel && c.in(3).numel == c.out(0).numel,
                     c.op().name(), ": prev has shape ", c.in(2).shape, ", learning_rate ",
                     c.in(3).shape, " and param ", c.out(0).shape, "; they must be equal.");
  T *previous = state<T>(c, 1, 2), *rates = state<T>(c, 2, 3);
  const T least = entry(5, 0), most = entry(5, 1), slower = entry(6, 0), faster = entry(6, 1);
  update<T>(c, 1, 4, 3, [=](int64_t i, T g, T p) {
    const T agreement = g * previous[i], rate = rates[i];
    const T grown = rate * faster, shrunk = rate * slower;  // what is no number stays so
    const T up = grown < most || grown != grown ? grown : most;
    const T down = shrunk > least || shrunk != shrunk ? shrunk : least;
    const T opposite = agreement < T(0) ? down : rate;
    const T next = agreement > T(0) ? up : opposite;
    const T used = agreement < T(0) ? T(0) : g;
    previous[i] = used;
    rates[i] = next;
    const T positive = used > T(0) ? next : used * T(0);  // not a number stays so
    return p - (used < T(0) ? -next : positive);
  });
}

template <typename T>
void register_type(Registry& r) {
  const auto add = [&](const char* op, KernelFn fn) {
    r.kernel(op, DeviceKind::kCpu, {DTypeOf<T>::value}, fn);
  };
  add("adagrad_", adagrad_kernel<T>);
  add("adadelta_", adadelta_kernel<T>);
  add("rmsprop_", rmsprop_kernel<T>);
  add("adamax_", adamax_kernel<T>);
  add("nadam_", nadam_kernel<T>);
  add("radam_", radam_kernel<T>);
  add("asgd_", asgd_kernel<T>);
  add("lamb_", lamb_kernel<T>);
  add("rprop_", rprop_kernel<T>);
}

}  // namespace

void register_adaptive_cpu(Registry& r) {
  register_type<float>(r);
  register_type<double>(r);
}

}  // namespace paddle::cpu
