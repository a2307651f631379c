// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Scans along one axis: cumsum, cumprod, and the first-order linear recurrence in which the
// gradient of cumprod is written, so that it holds where x is zero.
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/creation.h"
#include "phi_kernels/ops/elementwise.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/operators.h"
#include "phi_kernels/ops/reduce.h"
#include "phi_kernels/ops/reduce/axes.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

DType scan_dtype(DType x) { return is_bool(x) ? DType::kInt64 : x; }

void infer_cumsum(Infer& c) {
  if (c.b(2)) {
    c.out(0, Shape{numel_of(c.shape(0))}, scan_dtype(c.dtype(0)));
    return;
  }
  PADDLE_CHECK_VALUE(c.is_constant(1),
                     "cumsum: axis is a tensor without a known value; the axis must be known "
                     "before the program runs; pass a Python int.");
  normalize_axis(c.scalar(1).to_int(), c.rank(0), "cumsum");
  c.out(0, c.shape(0), scan_dtype(c.dtype(0)));
}

void infer_cumprod(Infer& c) {
  normalize_axis(c.i(1), c.rank(0), "cumprod", "dim");
  c.out(0, c.shape(0), scan_dtype(c.dtype(0)));
}

Tensor conj_if_complex(const Tensor& t) { return is_complex(t.dtype()) ? conj(t) : t; }

// Moves t by one place along `axis`: towards the end, or towards the start when `back`; the place
// that becomes free holds 0.
Tensor shifted(const Tensor& t, int64_t axis, bool back) {
  const Dim n = t.shape()[static_cast<size_t>(axis)];
  Shape edge = t.shape();
  edge[static_cast<size_t>(axis)] = 1;
  const Tensor zero = full(edge, Scalar(0.0), t.dtype(), t.place());
  const Shape begin{back ? Dim(1) : Dim(0)}, end{back ? n : n - 1};
  const Tensor kept = slice(t, Shape{axis}, begin, end, Shape{1}, Shape());
  return concat(back ? TensorList{kept, zero} : TensorList{zero, kept}, Scalar(axis));
}

// out_i = prod_{k <= i} x_k gives dx_j = (prod_{k < j} x_k) * S_j with S_j = g_j + x_{j+1} S_{j+1}.
// The exclusive form is the inclusive one moved by one place; the reverse form is mirrored.
void cumprod_vjp(Vjp& v) {
  const Tensor x = v.in(0);
  if (x.ndim() == 0) {
    // The exclusive product of one element is the constant 1.
    if (!v.b(2)) v.set(0, v.grad());
    return;
  }
  const int64_t axis = normalize_axis(v.i(1), x.ndim(), "cumprod", "dim");
  if (decide_eq(x.shape()[static_cast<size_t>(axis)], 0, false)) return v.set(0, v.grad());
  const bool reverse = v.b(3);
  const Tensor xc = conj_if_complex(x);
  const Tensor g = v.b(2) ? shifted(v.grad(), axis, !reverse) : v.grad();
  const Tensor tail = linear_scan(shifted(xc, axis, !reverse), g, axis, !reverse);
  v.set(0, cumprod(xc, axis, true, reverse) * tail);
}

void cumsum_vjp(Vjp& v) {
  const Shape shape = v.in(0).shape();
  const Tensor g = cumsum(v.grad(), v.scalar(1), false, v.b(3), !v.b(4));
  v.set(0, v.b(2) ? reshape(g, shape) : g);
}

// s_j = b_j + a_j s_{j-1}: db is the mirrored recurrence r_j = g_j + a_{j+1} r_{j+1}, da_j = r_j
// s_{j-1}.
void linear_scan_vjp(Vjp& v) {
  const int64_t axis = normalize_axis(v.i(2), v.in(1).ndim(), "linear_scan");
  const bool reverse = v.b(3);
  const Tensor a = conj_if_complex(v.in(0));
  const Tensor r = linear_scan(shifted(a, axis, !reverse), v.grad(), axis, !reverse);
  if (v.needs(0)) v.set(0, r * conj_if_complex(shifted(v.out(), axis, reverse)));
  if (v.needs(1)) v.set(1, r);
}

// a - b, and 0 where both are the same infinity.
Tensor log_ratio(const Tensor& a, const Tensor& b) {
  return where(equal(a, b), full(Shape(), Scalar(0.0), a.dtype(), a.place()), a - b);
}

// dx_j = sum_{i >= j} g_i exp(x_j - out_i) = exp(x_j - out_j) s_j with the recurrence
// s_j = g_j + exp(out_j - out_{j+1}) s_{j+1}, in which no exponent is positive.
void logcumsumexp_vjp(Vjp& v) {
  const Shape shape = v.in(0).shape();
  const bool exclusive = v.b(3), reverse = v.b(4);
  if (shape.empty() && !v.b(2)) {
    if (!exclusive) v.set(0, v.grad());
    return;
  }
  const Tensor x = v.b(2) ? reshape(v.in(0), v.out().shape()) : v.in(0);
  const int64_t axis = v.b(2) ? 0 : normalize_axis(v.i(1), x.ndim(), "logcumsumexp");
  const Dim n = x.shape()[static_cast<size_t>(axis)];
  if (decide_eq(n, 0, false)) return v.set(0, reshape(v.grad(), shape));
  const auto part = [&](const Tensor& t, Dim begin, Dim end) {
    return slice(t, Shape{axis}, Shape{begin}, Shape{end}, Shape{1}, Shape());
  };
  // Every element's successor; the last one follows itself.
  const auto next = [&](const Tensor& t) {
    if (reverse) return concat({part(t, 0, 1), part(t, 0, n - 1)}, Scalar(axis));
    return concat({part(t, 1, n), part(t, n - 1, n)}, Scalar(axis));
  };
  const Tensor out = v.out(), following = next(out);
  Tensor s = linear_scan(exp(log_ratio(out, following)), v.grad(), axis, !reverse);
  if (exclusive) {
    s = shifted(s, axis, !reverse) * exp(log_ratio(x, following));
  } else {
    s = s * exp(log_ratio(x, out));
  }
  v.set(0, reshape(s, shape));
}

}  // namespace

void register_cumulative(Registry& r) {
  r.op("cumsum")
      .schema(
          "cumsum(Tensor x, Scalar@int32 axis=-1, bool flatten=false, bool exclusive=false, bool "
          "reverse=false) -> (Tensor out)")
      .doc(
          "Running sum along `axis`; with flatten=True along the flattened tensor. exclusive "
          "leaves out the element itself, reverse runs from the end.",
          "paddle._C_ops.cumsum(paddle.to_tensor([1.0, 2.0, 3.0]), 0, False, False, False)")
      .runtime("axis", RuntimeValue::kAxisOfSameShape)
      .alias("input", "x")
      .alias("dim", "axis")
      .spmd(sharding::running_sum)
      .primitive("a scan is sequential; reductions of slices would be quadratic")
      .amp_class(AmpClass::kHigh)
      .kernel_dtype_of("x")
      .infer(infer_cumsum)
      .vjp(cumsum_vjp);
  r.op("cumprod")
      .schema(
          "cumprod(Tensor x, int dim, bool exclusive=false, bool reverse=false) -> (Tensor out)")
      .doc(
          "Running product along `dim`. exclusive leaves out the element itself, reverse runs from "
          "the end.",
          "paddle._C_ops.cumprod(paddle.to_tensor([1.0, 2.0, 3.0]), 0, False, False)")
      .alias("input", "x")
      .alias("axis", "dim")
      .spmd(sharding::one_axis)
      .primitive("a scan is sequential; reductions of slices would be quadratic")
      .amp_class(AmpClass::kHigh)
      .kernel_dtype_of("x")
      .infer(infer_cumprod)
      .saves({"x"})
      .vjp(cumprod_vjp);
  r.op("linear_scan")
      .schema("linear_scan(Tensor a, Tensor b, int64 axis, bool reverse=false) -> (Tensor out)")
      .doc("The recurrence s_j = b_j + a_j * s_(j-1) along `axis` (from the end when reverse).",
           "paddle._C_ops.linear_scan(paddle.to_tensor([0.0, 2.0]), paddle.to_tensor([1.0, 1.0]), "
           "0, False)")
      .spmd(sharding::recurrence)
      .primitive("a scan is sequential")
      .infer([](Infer& c) {
        c.require_floating(0);
        c.require_same_dtype(0, 1);
        bool same = c.rank(0) == c.rank(1);
        for (size_t d = 0; same && d < c.shape(0).size(); ++d) {
          same = decide_eq(c.shape(0)[d], c.shape(1)[d], true);
        }
        PADDLE_CHECK_VALUE(same, "linear_scan: a has shape ", c.shape(0), " and b has shape ",
                           c.shape(1), "; they must be equal; expand one.");
        c.require_rank_at_least(0, 1);
        c.axis(2, c.rank(0));
        c.out(0, c.shape(0), c.dtype(0));
      })
      .saves({"a", "out"})
      .vjp(linear_scan_vjp);
  r.op("logcumsumexp")
      .schema(
          "logcumsumexp(Tensor x, int axis=-1, bool flatten=false, bool exclusive=false, bool "
          "reverse=false) -> (Tensor out)")
      .doc("log of the running sum of exp(x) along `axis`; with flatten=True of the flattened x.",
           "paddle.logcumsumexp(paddle.to_tensor([1.0, 2.0, 3.0]))")
      .spmd(sharding::one_axis)
      .primitive("a scan is sequential")
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) {
        c.require_floating(0);
        if (c.b(2)) return c.out(0, Shape{numel_of(c.shape(0))}, c.dtype(0));
        c.axis(1, c.rank(0));
        c.out(0, c.shape(0), c.dtype(0));
      })
      .saves({"x", "out"})
      .vjp(logcumsumexp_vjp);
}

}  // namespace paddle::ops
