// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// smooth_product: what derivatives of tanh, sigmoid, silu, gelu, sin and the like are made of.
#include "phi_kernels/ops/elementwise/smooth_product.h"

#include <algorithm>

#include "phi_kernels/ops/elementwise/rules.h"

namespace paddle::ops {
namespace {

constexpr double kRootHalf = 0.70710678118654752, kRootTwoPiInverse = 0.39894228040143268;

Coefficients power_derivative(const Coefficients& c) {
  Coefficients d;
  for (size_t k = 1; k < c.size(); ++k) d.push_back(static_cast<double>(k) * c[k]);
  return d;
}

Coefficients plus(Coefficients a, const Coefficients& b) {
  a.resize(std::max(a.size(), b.size()));
  for (size_t k = 0; k < b.size(); ++k) a[k] += b[k];
  return a;
}

// c(s) times s' = s - s^2.
Coefficients times_slope(const Coefficients& c) {
  Coefficients out(c.size() + 2);
  for (size_t k = 0; k < c.size(); ++k) {
    out[k + 1] += c[k];
    out[k + 2] -= c[k];
  }
  return out;
}

Coefficients first_half(const Coefficients& c) {
  return {c.begin(), c.begin() + static_cast<std::ptrdiff_t>(c.size() / 2)};
}
Coefficients second_half(const Coefficients& c) {
  return {c.begin() + static_cast<std::ptrdiff_t>(c.size() / 2), c.end()};
}

// (s' (P + x Q))' = s' ((1 - 2 s) (P + x Q) + s' (P' + x Q') + Q)
Coefficients logistic_derivative(const Coefficients& c) {
  const Coefficients p = first_half(c), q = second_half(c);
  const auto part = [](const Coefficients& f) {
    Coefficients out = plus(f, times_slope(power_derivative(f)));
    out.resize(f.size() + 1);
    for (size_t k = 0; k < f.size(); ++k) out[k + 1] -= 2 * f[k];
    return out;
  };
  Coefficients out = plus(part(p), q);
  const Coefficients next = part(q);
  out.insert(out.end(), next.begin(), next.end());
  return out;
}

// (a Phi + phi p)' = phi (a + p' - x p)
Coefficients normal_derivative(const Coefficients& c) {
  const Coefficients p(c.begin() + 1, c.end());
  Coefficients next{c[0]};
  next = plus(next, power_derivative(p));
  next.resize(std::max(next.size(), p.size() + 1));
  for (size_t k = 0; k < p.size(); ++k) next[k + 1] -= p[k];
  next.insert(next.begin(), 0.0);
  return next;
}

// Terms that are zero, off the high end.
void trim(std::string_view basis, Coefficients& c) {
  if (basis == kWave || basis == kLogistic) return;
  while (!c.empty() && c.back() == 0) c.pop_back();
}

Tensor polynomial(const Tensor& x, const Coefficients& c) {
  if (c.empty()) return full_like(x, Scalar(0), x.dtype(), x.place());
  Tensor sum = full_like(x, Scalar(c.back()), x.dtype(), x.place());
  for (size_t k = c.size() - 1; k-- > 0;) sum = sum * x + Scalar(c[k]);
  return sum;
}

Tensor value(const Tensor& x, std::string_view basis, const Coefficients& c) {
  if (basis == kPower) return polynomial(x, c);
  if (basis == kWave) return sin(x) * Scalar(c[0]) + cos(x) * Scalar(c[1]);
  if (basis == kLogistic) {
    const Tensor s = sigmoid(x);
    return s * sigmoid(-x) * (polynomial(s, first_half(c)) + x * polynomial(s, second_half(c)));
  }
  const Tensor density = exp(square(x) * Scalar(-0.5)) * Scalar(kRootTwoPiInverse);
  return (erf(x * Scalar(kRootHalf)) + Scalar(1)) * Scalar(0.5 * c[0]) +
         density * polynomial(x, Coefficients(c.begin() + 1, c.end()));
}

bool alike(const TensorImpl& a, const Tensor& b) {
  if (a.dtype != b.dtype() || a.shape.size() != b.shape().size()) return false;
  for (size_t d = 0; d < a.shape.size(); ++d) {
    if (!decide_eq(a.shape[d], b.shape()[d], true)) return false;
  }
  return true;
}

Coefficients floats(const Slot& s) { return {s.floats, s.floats + s.count}; }

void infer_smooth_product(Infer& c) {
  const auto factors = c.list(1);
  PADDLE_CHECK_TYPE(is_floating(c.dtype(0)), "smooth_product: x has dtype ", c.dtype(0),
                    "; it must be a floating-point number; cast x first.");
  PADDLE_CHECK_VALUE(!factors.empty(),
                     "smooth_product: factors is an empty list; pass one or more.");
  for (size_t i = 0; i < factors.size(); ++i) {
    PADDLE_CHECK_VALUE(alike(*c.slot(0).tensor, factors[i]), "smooth_product: factors[", i,
                       "] has shape ", factors[i].shape(), " and dtype ", factors[i].dtype(),
                       " where x has ", c.shape(0), " and ", c.dtype(0),
                       "; all must be alike; expand or cast the factor.");
  }
  const std::string_view basis = c.text(2);
  const size_t n = c.slot(3).count;
  const bool known = basis == kPower || (basis == kWave && n == 2) ||
                     (basis == kLogistic && n % 2 == 0) || (basis == kNormal && n >= 1);
  PADDLE_CHECK_VALUE(known, "smooth_product: basis has value ", basis, " with ", n,
                     " coefficients; it must be power, wave with two, logistic with an even number "
                     "or normal with one or more.");
  c.out(0, c.shape(0), c.dtype(0));
}

void vjp_smooth_product(Vjp& v) {
  const Tensor x = v.in(0);
  const TensorList factors = v.list(1);
  const std::string_view basis = v.text(2);
  const Coefficients c = floats(v.args().slot(3));
  if (v.needs(0)) {
    TensorList all = factors;
    all.push_back(v.grad());
    v.set(0, smooth(x, std::move(all), basis, derivative(basis, c)));
  }
  if (!v.needs(1)) return;
  TensorList gradients(factors.size());
  for (size_t i = 0; i < factors.size(); ++i) {
    if (factors[i]->stop_gradient) continue;
    TensorList others = factors;
    others[i] = v.grad();
    gradients[i] = smooth(x, std::move(others), basis, c);
  }
  v.set_list(1, std::move(gradients));
}

}  // namespace

Coefficients derivative(std::string_view basis, const Coefficients& c) {
  if (basis == kPower) return power_derivative(c);
  if (basis == kWave) return {-c[1], c[0]};
  return basis == kLogistic ? logistic_derivative(c) : normal_derivative(c);
}

Tensor smooth(const Tensor& x, TensorList factors, std::string_view basis, Coefficients c) {
  trim(basis, c);
  if (std::all_of(c.begin(), c.end(), [](double v) { return v == 0; })) return {};
  if (basis == kPower && c.size() == 1 && factors.size() > 1) {  // x itself takes no part
    const Tensor first = factors.back();
    factors.pop_back();
    return smooth(first, std::move(factors), kPower, {0, c[0]});
  }
  const bool plain =
      is_floating(x.dtype()) && std::all_of(factors.begin(), factors.end(),
                                            [&](const Tensor& f) { return alike(*x.impl(), f); });
  if (plain) return smooth_product(x, factors, basis, c);
  Tensor out = value(x, basis, c);
  for (const Tensor& f : factors) out = out * f;
  return out;
}

void register_smooth_product(Registry& r) {
  r.op("smooth_product")
      .schema(
          "smooth_product(Tensor x, Tensor[] factors, str basis, float[] coefficients) -> "
          "(Tensor out)")
      .doc(
          "Elementwise: out = f(x) times all factors, which have the shape of x. The basis is "
          "power: f(x) = sum of c[k] x^k; wave: c[0] sin(x) + c[1] cos(x); logistic: s (1 - s) "
          "(P(s) + x Q(s)) with s = sigmoid(x), P and Q the halves of c; normal: c[0] Phi(x) + "
          "phi(x) times the polynomial of the rest. Each basis is closed under differentiation.",
          "paddle._C_ops.smooth_product(paddle.ones([2]), [paddle.ones([2])], 'power', [1.0, 2.0])")
      .infer(infer_smooth_product)
      .saves({"x", "factors"})
      .vjp(vjp_smooth_product)
      .decompose([](Args& a) -> TensorList {
        Tensor out = value(a.tensor(0), a.text(2), floats(a.slot(3)));
        for (const Tensor& f : a.list(1)) out = out * f;
        return {out};
      });
}

}  // namespace paddle::ops
