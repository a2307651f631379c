// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reductions that add or multiply: sum, mean, prod, squared_l2_norm, logsumexp, l2_norm, p_norm.
#include <cmath>

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

DType sum_dtype(DType x, DType asked) {
  if (asked != DType::kUndefined) return asked;
  return is_bool(x) || is_integer(x) ? DType::kInt64 : x;
}

void infer_sum(Infer& c) {
  c.out(0, reduced_shape(c.shape(0), infer_reduce_axes(c), c.b(3)),
        sum_dtype(c.dtype(0), c.dtype_attr(2)));
}

void infer_reduce(Infer& c) {
  c.out(0, reduced_shape(c.shape(0), infer_reduce_axes(c), c.b(2)), c.dtype(0));
}

// The axes of a call whose argument 1 is `axis`.
Axes axes_of(const Args& a) { return reduce_axes(a.ints(1), a.tensor(0).ndim(), a.op().name()); }

// n as a 0-d tensor of t's dtype. A symbolic n is counted when the program runs.
Tensor count_like(Dim n, const Tensor& t) {
  if (!n.is_symbolic()) {
    return full(Shape(), Scalar(static_cast<double>(n.value())), t.dtype(), t.place());
  }
  const Tensor one = full(Shape(), Scalar(1.0), t.dtype(), t.place());
  return sum(expand(one, Shape{n}), Shape(), DType::kUndefined, false);
}

// Extents that are kept, then all reduced ones as a single axis: x becomes [kept..., n].
struct ReducedLast {
  Tensor x;
  Shape permutation;  // from x to the moved order
  Shape moved, flat;  // shapes before and after the reduced axes are merged
};

ReducedLast move_reduced_last(const Tensor& x, const Axes& axes) {
  ReducedLast r;
  Dim n = 1;
  for (int64_t d = 0; d < x.ndim(); ++d) {
    if (!contains(axes, d)) r.permutation.push_back(d), r.flat.push_back(x.shape()[size_t(d)]);
  }
  for (const int64_t a : axes) {
    r.permutation.push_back(a);
    n = n * x.shape()[static_cast<size_t>(a)];
  }
  for (const Dim d : r.permutation) r.moved.push_back(x.shape()[static_cast<size_t>(d.value())]);
  r.flat.push_back(n);
  r.x = reshape(transpose(x, r.permutation), r.flat);
  return r;
}

Tensor move_reduced_back(const Tensor& t, const ReducedLast& r) {
  Shape inverse(r.permutation.size());
  for (size_t i = 0; i < r.permutation.size(); ++i) {
    inverse[static_cast<size_t>(r.permutation[i].value())] = static_cast<int64_t>(i);
  }
  return transpose(reshape(t, r.moved), inverse);
}

// d prod / d x_j is the product of all others: exact also where x holds zeros.
void prod_vjp(Vjp& v) {
  const Axes axes = axes_of(v.args());
  const Tensor x = v.in(0), g = unreduce(v.grad(), x.shape(), axes);
  if (x.ndim() == 0) return v.set(0, g);
  const ReducedLast r = move_reduced_last(x, axes);
  const Tensor left = cumprod(r.x, -1, true, false), right = cumprod(r.x, -1, true, true);
  Tensor others = left * right;
  if (is_complex(x.dtype())) others = conj(others);
  v.set(0, g * move_reduced_back(others, r));
}

TensorList logsumexp_decompose(Args& a) {
  Tensor x = a.tensor(0);
  if (is_bool(x.dtype()) || is_integer(x.dtype())) x = cast(x, DType::kFloat32);
  const Axes axes = axes_of(a);
  if (decide_eq(reduced_count(x.shape(), axes), 0, false)) {
    return {log(sum(x, a.ints(1), DType::kUndefined, a.b(2)))};
  }
  const Tensor top = max(x, a.ints(1), true);
  // An infinite maximum would give inf - inf: shift by 0 there.
  const Tensor finite = where(isfinite(top), top, full_like(top, Scalar(0.0)));
  const Tensor out = log(sum(exp(x - finite), a.ints(1), DType::kUndefined, true)) + finite;
  return {a.b(2) ? out : reshape(out, reduced_shape(x.shape(), axes, false))};
}

void logsumexp_vjp(Vjp& v) {
  const Tensor x = v.in(0);
  const Axes axes = axes_of(v.args());
  const Tensor out = with_reduced_axes(v.out(), x.shape(), axes);
  v.set(0, with_reduced_axes(v.grad(), x.shape(), axes) * exp(x - out));
}

Axes norm_axes(const Args& a) {
  const int64_t rank = a.tensor(0).ndim();
  if (a.b(5)) return reduce_axes(Shape(), rank, a.op().name());
  return rank == 0 ? Axes() : Axes{normalize_axis(a.i(2), rank, a.op().name())};
}

Shape to_shape(const Axes& axes) { return Shape(axes.begin(), axes.end()); }

void infer_p_norm(Infer& c) {
  c.require_floating(0);
  Axes axes;
  if (c.b(5)) {
    axes = reduce_axes(Shape(), c.rank(0), c.op_name());
  } else if (c.rank(0) > 0) {
    axes.push_back(c.axis(2, c.rank(0)));
  }
  c.out(0, reduced_shape(c.shape(0), axes, c.b(4)), real_of(c.dtype(0)));
}

TensorList p_norm_decompose(Args& a) {
  const Shape axis = to_shape(norm_axes(a));
  const double p = a.f(1);
  const bool keep = a.b(4);
  if (p == 2 && !is_complex(a.tensor(0).dtype()) && a.tensor(0).ndim() > 0) {
    return {l2_norm(a.tensor(0), axis, keep)};
  }
  const Tensor x = abs(a.tensor(0));
  if (axis.empty() && x.ndim() == 0)
    return {p == 0 ? cast(not_equal(x, full_like(x, Scalar(0.0))), x.dtype()) : x};
  if (p == 0)
    return {sum(cast(not_equal(x, full_like(x, Scalar(0.0))), x.dtype()), axis, DType::kUndefined,
                keep)};
  if (std::isinf(p)) return {p > 0 ? max(x, axis, keep) : min(x, axis, keep)};
  if (p == 1) return {sum(x, axis, DType::kUndefined, keep)};
  if (p == 2) return {sqrt(sum(x * x, axis, DType::kUndefined, keep))};
  return {pow(sum(pow(x, Scalar(p)), axis, DType::kUndefined, keep), Scalar(1 / p))};
}

// x / |x|; 0 where the norm is 0 (its subgradient).
Tensor l2_norm_slope(const Tensor& x, const Tensor& norm, const Tensor& g) {
  const Tensor zero = full_like(norm, Scalar(0.0)), is_zero = equal(norm, zero);
  return x * where(is_zero, zero, g / where(is_zero, full_like(norm, Scalar(1.0)), norm));
}

void l2_norm_vjp(Vjp& v) {
  const Tensor x = v.in(0);
  const Axes axes = axes_of(v.args());
  v.set(0, l2_norm_slope(x, with_reduced_axes(v.out(), x.shape(), axes),
                         with_reduced_axes(v.grad(), x.shape(), axes)));
}

// d|x|_p / dx = sign(x) |x|^(p-1) / |x|_p^(p-1); 0 where the norm is 0 (its subgradient).
void p_norm_vjp(Vjp& v) {
  const Tensor x = v.in(0);
  const Axes axes = norm_axes(v.args());
  const double p = v.f(1);
  if (p == 0) return v.set(0, full_like(x, Scalar(0.0)));
  const Tensor g = with_reduced_axes(v.grad(), x.shape(), axes);
  const Tensor norm = with_reduced_axes(v.out(), x.shape(), axes);
  if (p == 2) return v.set(0, l2_norm_slope(x, norm, g));
  const Tensor zero = full_like(norm, Scalar(0.0)), one = full_like(norm, Scalar(1.0));
  const Tensor is_zero = equal(norm, zero);
  const Tensor safe = where(is_zero, one, norm);
  const Tensor size = abs(x);
  if (std::isinf(p)) {
    return v.set(0, sign(x) * (cast(equal(size, norm), norm.dtype()) * g));
  }
  if (p == 1) return v.set(0, sign(x) * g);
  const Tensor x_zero = equal(size, full_like(size, Scalar(0.0)));
  const Tensor ratio = where(x_zero, full_like(size, Scalar(1.0)), size) / safe;
  const Tensor slope = where(x_zero, full_like(size, Scalar(0.0)), pow(ratio, Scalar(p - 1)));
  v.set(0, sign(x) * (slope * where(is_zero, zero, g)));
}

void register_sums(Registry& r) {
  r.op("sum")
      .schema(
          "sum(Tensor x, IntArray@operand axis={}, DType dtype=Undefined, bool keepdim=false) -> "
          "(Tensor out)")
      .spmd(sharding::sum)
      .doc(
          "Sum of the elements; bool and integers are added as int64, 16-bit floats in float32.\n"
          "x: A Tensor of any dtype.\n"
          "dtype: x is cast to it first; None: no cast.\n"
          "Returns: A Tensor without the reduced axes (0-d when all are).",
          "paddle.sum(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), axis=0).tolist()  # [4.0, 6.0]")
      .runtime("axis")
      .python("paddle.sum(x, axis=None, dtype=None, keepdim=False, name=None, *, out=None)")
      .python("Tensor.sum(axis=None, dtype=None, keepdim=False, name=None, *, out=None)")
      .overload("paddle.sum(x, dim, keepdim: bool, *, dtype=None, out=None)")
      .overload("Tensor.sum(x, dim, keepdim: bool, *, dtype=None, out=None)")
      .alias("input", "x")
      .alias("dim", "axis")
      .reduction("axis", "keepdim")
      .primitive("the additive reduction that the others are written with")
      .amp_class(AmpClass::kHigh)
      .kernel_dtype_of("x")
      .infer(infer_sum)
      .vjp([](Vjp& v) {
        const Shape x = v.in(0).shape();
        v.set(0, unreduce(v.grad(), x, axes_of(v.args())));
      });
  r.op("mean")
      .schema("mean(Tensor x, IntArray@operand axis={}, bool keepdim=false) -> (Tensor out)")
      .doc(
          "Mean of the elements; that of integers is cut to an integer.\n"
          "x: A Tensor of numbers.\n"
          "Returns: A Tensor of the dtype of x without the reduced axes (0-d when all are).",
          "paddle.mean(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), axis=1, keepdim=True).tolist()  "
          "# [[1.5], [3.5]]")
      .runtime("axis")
      .python("paddle.mean(x, axis=None, keepdim=False, name=None, *, dtype=None, out=None)")
      .python("Tensor.mean(axis=None, keepdim=False, name=None, *, dtype=None, out=None)")
      .alias("input", "x")
      .alias("dim", "axis")
      .reduction("axis", "keepdim")
      .amp_class(AmpClass::kHigh)
      .infer(infer_reduce)
      .vjp([](Vjp& v) {
        const Shape x = v.in(0).shape();
        const Axes axes = axes_of(v.args());
        v.set(0, unreduce(v.grad() / count_like(reduced_count(x, axes), v.grad()), x, axes));
      })
      .rank(1)
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        const Tensor n = count_like(reduced_count(x.shape(), axes_of(a)), x);
        return {sum(x, a.ints(1), x.dtype(), a.b(2)) / n};
      });
  r.op("prod")
      .schema(
          "prod(Tensor x, IntArray@operand axis={}, bool keepdim=false, bool reduce_all=false) -> "
          "(Tensor out)")
      .spmd(sharding::prod)
      .doc(
          "Product of the elements; bool and integers other than int32 are multiplied as int64.\n"
          "x: A Tensor of any dtype.\n"
          "Returns: A Tensor without the reduced axes (0-d when all are).",
          "paddle.prod(paddle.to_tensor([1.0, 2.0, 3.0])).item()  # 6.0")
      .runtime("axis")
      .python("paddle.prod(x, axis=None, keepdim=False, dtype=None, out=None, name=None)")
      .python("Tensor.prod(axis=None, keepdim=False, dtype=None, out=None, name=None)")
      .alias("input", "x")
      .alias("dim", "axis")
      .reduction("axis", "keepdim")
      .primitive("the multiplicative reduction; logarithms would lose signs and zeros")
      .amp_class(AmpClass::kHigh)
      .kernel_dtype_of("x")
      .infer([](Infer& c) {
        c.out(
            0, reduced_shape(c.shape(0), infer_reduce_axes(c), c.b(2)),
            c.dtype(0) == DType::kInt32 ? DType::kInt32 : sum_dtype(c.dtype(0), DType::kUndefined));
      })
      .saves({"x"})
      .vjp(prod_vjp);
}

void register_norms(Registry& r) {
  r.op("squared_l2_norm")
      .schema("squared_l2_norm(Tensor x) -> (Tensor out)")
      .doc("Sum of the squares of all elements, of shape [1].",
           "paddle._C_ops.squared_l2_norm(paddle.to_tensor([3.0, 4.0]))")
      .reduction(nullptr, nullptr)
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) {
        c.require_floating(0);
        c.out(0, Shape{1}, c.dtype(0));
      })
      .saves({"x"})
      .vjp([](Vjp& v) { v.set(0, v.in(0) * reshape(v.grad(), Shape()) * Scalar(2.0)); })
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        return {reshape(sum(x * x, Shape(), DType::kUndefined, false), Shape{1})};
      });
  r.op("logsumexp")
      .schema(
          "logsumexp(Tensor x, int[] axis={}, bool keepdim=false, bool reduce_all=false) -> "
          "(Tensor out)")
      .doc(
          "log(sum(exp(x))), computed around the maximum so that it does not overflow.\n"
          "x: A floating Tensor.\n"
          "Returns: A Tensor without the reduced axes (0-d when all are).",
          "round(paddle.logsumexp(paddle.to_tensor([1000.0, 1000.0])).item(), 3)  # 1000.693")
      .runtime("axis")
      .python("paddle.logsumexp(x, axis=None, keepdim=False, name=None, *, out=None)")
      .python("Tensor.logsumexp(axis=None, keepdim=False, name=None, *, out=None)")
      .alias("input", "x")
      .alias("dim", "axis")
      .reduction("axis", "keepdim")
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) {
        const DType t = c.dtype(0);
        c.out(0, reduced_shape(c.shape(0), infer_reduce_axes(c), c.b(2)),
              is_bool(t) || is_integer(t) ? DType::kFloat32 : t);
      })
      .saves({"x", "out"})
      .vjp(logsumexp_vjp)
      .rank(2)
      .decompose(logsumexp_decompose);
  r.op("l2_norm")
      .schema("l2_norm(Tensor x, int[] axis={}, bool keepdim=false) -> (Tensor out)")
      .runtime("axis")
      .doc("The square root of the sum of squares over `axis` (all axes when it is empty).",
           "paddle._C_ops.l2_norm(paddle.to_tensor([3.0, 4.0]), [], False)")
      .reduction("axis", "keepdim")
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) {
        c.require_floating(0);
        infer_reduce(c);
      })
      .saves({"x", "out"})
      .vjp(l2_norm_vjp)
      .rank(2)
      .decompose([](Args& a) -> TensorList {
        return {sqrt(sum(square(a.tensor(0)), a.ints(1), DType::kUndefined, a.b(2)))};
      });
  r.op("p_norm")
      .schema(
          "p_norm(Tensor x, float porder=2, int axis=-1, float epsilon=1.0e-12, bool "
          "keepdim=false, bool asvector=false) -> (Tensor out)")
      .doc(
          "The p-norm over one axis, or over all elements with asvector=True. porder may be 0, "
          "inf or -inf.",
          "paddle._C_ops.p_norm(paddle.to_tensor([3.0, 4.0]), 2.0, -1, 1e-12, False, False)")
      .reduction(nullptr, nullptr)
      .amp_class(AmpClass::kHigh)
      .infer(infer_p_norm)
      .saves({"x", "out"})
      .vjp(p_norm_vjp)
      .rank(3)
      .decompose(p_norm_decompose);
}

}  // namespace

void register_sum(Registry& r) {
  register_sums(r);
  register_norms(r);
}

}  // namespace paddle::ops
