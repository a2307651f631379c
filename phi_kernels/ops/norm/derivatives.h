// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Gradient of a normalisation and the gradient of that gradient, shared by the norms. With
// r = 1 / sqrt(mean(d^2) + epsilon), d = x - mean(x) (or x itself), n = d r, out = n w + b, h = g
// w:
//
//   dx = r P(h),  P(u) = u - mean(u) - n mean(u n)   (no mean(u) without centring)
//   dw = sum g n, db = sum g
//
// Everything is recomputed from x in operators, so that it can be differentiated again.
#pragma once

#include "phi_kernels/ops/compose.h"

namespace paddle::ops {

struct NormTerms {
  Tensor n, r;      // normalised x and inverse deviation, in the computing dtype
  Shape axes;       // over which the moments are taken
  Shape sum_axes_;  // over which gradients of w and b are summed
  bool centred = true;

  Tensor project(const Tensor& u) const {
    const Tensor rest = n * mean(u * n, axes, true);
    return centred ? u - mean(u, axes, true) - rest : u - rest;
  }
};

inline NormTerms norm_terms(const Tensor& x, const Shape& axes, const Shape& sum_over,
                            double epsilon, bool centred) {
  NormTerms t;
  const Tensor d = centred ? x - mean(x, axes, true) : x;
  t.r = rsqrt(mean(d * d, axes, true) + Scalar(epsilon));
  t.n = d * t.r;
  t.axes = axes;
  t.sum_axes_ = sum_over;
  t.centred = centred;
  return t;
}

struct NormGrads {
  Tensor x, w, b;
};

// w broadcasts against g, or is undefined.
inline NormGrads norm_grads(const NormTerms& t, const Tensor& w, const Tensor& g) {
  return {t.r * t.project(scaled_by(g, w)), sum_axes(g * t.n, t.sum_axes_, true),
          sum_axes(g, t.sum_axes_, true)};
}

// The gradient by an optional parameter, in its shape and dtype.
inline Tensor grad_like(const Tensor& value, const Tensor& parameter) {
  if (!value.defined() || !parameter.defined()) return Tensor();
  return as_dtype(reshape(value, parameter.shape()), parameter.dtype());
}

struct NormSecondGrads {
  Tensor x, w, g;
};

// Gradients of <a, dx> + <b, dw> + <c, db>; a, b or c may be undefined.
inline NormSecondGrads norm_second_grads(const NormTerms& t, const Tensor& w, const Tensor& g,
                                         const Tensor& a, const Tensor& b, const Tensor& c) {
  NormSecondGrads out;
  Tensor by_n;  // through n with r fixed
  if (a.defined()) {
    const Tensor h = scaled_by(g, w), ra = t.r * t.project(a);
    out.g = scaled_by(ra, w);
    if (w.defined()) out.w = sum_axes(g * ra, t.sum_axes_, true);
    by_n = -(t.r * (a * mean(h * t.n, t.axes, true) + h * mean(a * t.n, t.axes, true)));
    // r itself: d r = -r^2 n / count, and <a, P(h)> summed over the row.
    out.x = -(t.r * t.r * t.n * mean(a * t.project(h), t.axes, true));
  }
  if (b.defined()) {
    out.g = plus(out.g, b * t.n);
    by_n = plus(by_n, b * g);
  }
  if (c.defined()) out.g = plus(out.g, expand(c, g.shape()));
  if (by_n.defined()) out.x = plus(out.x, t.r * t.project(by_n));
  return out;
}

inline Shape axis_range(int64_t begin, int64_t end) {
  Shape axes;
  for (int64_t i = begin; i < end; ++i) axes.push_back(i);
  return axes;
}

}  // namespace paddle::ops
