// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reductions that choose: max, min, amax, amin, any, all, argmax, argmin. NaN wins in max and min.
// Tied elements share the gradient evenly.
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/elementwise.h"
#include "phi_kernels/ops/operators.h"
#include "phi_kernels/ops/reduce.h"
#include "phi_kernels/ops/reduce/axes.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

void infer_choose(Infer& c) {
  PADDLE_CHECK_TYPE(!is_complex(c.dtype(0)), c.op_name(), ": x has dtype ", c.dtype(0),
                    "; complex numbers have no order; reduce abs(x) instead.");
  const Axes axes = infer_reduce_axes(c);
  for (const int64_t a : axes) {
    PADDLE_CHECK_VALUE(!decide_eq(c.shape(0)[static_cast<size_t>(a)], 0, false), c.op_name(),
                       ": x has shape ", c.shape(0), "; axis ", a,
                       " is empty and has no extreme element; reduce over axes of at least 1.");
  }
  c.out(0, reduced_shape(c.shape(0), axes, c.b(2)), c.dtype(0));
}

void infer_any(Infer& c) {
  c.out(0, reduced_shape(c.shape(0), infer_reduce_axes(c), c.b(2)), DType::kBool);
}

Axes axes_of(const Args& a) { return reduce_axes(a.ints(1), a.tensor(0).ndim(), a.op().name()); }

// 1 where x is the extreme of its slice, in the gradient's dtype.
Tensor chosen(Vjp& v, const Axes& axes) {
  const Tensor x = v.in(0);
  const Tensor out = with_reduced_axes(v.out(), x.shape(), axes);
  return cast(equal(x, out), v.grad().dtype());
}

void choose_vjp(Vjp& v) {
  const Axes axes = axes_of(v.args());
  const Tensor hit = chosen(v, axes);
  const Tensor ties = sum(hit, Shape(axes.begin(), axes.end()), DType::kUndefined, true);
  const Tensor g = with_reduced_axes(v.grad(), v.in(0).shape(), axes);
  v.set(0, hit * (axes.empty() ? g : g / ties));
}

void infer_arg(Infer& c) {
  PADDLE_CHECK_TYPE(!is_complex(c.dtype(0)), c.op_name(), ": x has dtype ", c.dtype(0),
                    "; complex numbers have no order; pass abs(x) instead.");
  const DType dtype = c.dtype_attr(4);
  PADDLE_CHECK_TYPE(dtype == DType::kInt32 || dtype == DType::kInt64, c.op_name(),
                    ": dtype has value ", dtype,
                    "; positions are int32 or int64; pass one of them.");
  const bool flatten = c.b(3);
  Axes axes;
  if (flatten) {
    for (int64_t d = 0; d < c.rank(0); ++d) axes.push_back(d);
  } else if (c.rank(0) > 0) {
    PADDLE_CHECK_VALUE(c.is_constant(1), c.op_name(),
                       ": axis is a tensor without a known value; the axis decides the shape of "
                       "the result; pass a Python int.");
    axes.push_back(normalize_axis(c.scalar(1).to_int(), c.rank(0), c.op_name()));
  }
  for (const int64_t a : axes) {
    PADDLE_CHECK_VALUE(!decide_eq(c.shape(0)[static_cast<size_t>(a)], 0, false), c.op_name(),
                       ": x has shape ", c.shape(0), "; axis ", a,
                       " is empty and has no extreme element; search axes of at least 1.");
  }
  c.out(0, reduced_shape(c.shape(0), axes, c.b(2)), dtype);
}

OpDef& choose(OpDef& op) {
  return op.alias("input", "x")
      .alias("dim", "axis")
      .reduction("axis", "keepdim")
      .infer(infer_choose)
      .saves({"x", "out"});
}

OpDef& search(OpDef& op) {
  return op.alias("input", "x")
      .alias("dim", "axis")
      .alias("keepdim", "keepdims")
      .reduction(nullptr, nullptr)
      .infer(infer_arg)
      .kernel_dtype_of("x")
      .no_grad();
}

// PyTorch's keywords are refused: with dim its functions of these names give the indices too.
void register_extremes(Registry& r) {
  choose(
      r.op("max")
          .schema("max(Tensor x, IntArray@operand axis={}, bool keepdim=false) -> (Tensor out)")
          .spmd(sharding::max)
          .doc("Largest element; NaN where there is one. Tied elements share the gradient evenly.\n"
               "x: A real Tensor.\n"
               "Returns: A Tensor of the dtype of x without the reduced axes (0-d when all are).\n"
               "Raises: ValueError: A reduced axis has no element.",
               "paddle.max(paddle.to_tensor([[1.0, 5.0], [3.0, 4.0]]), axis=1).tolist()  # [5.0, "
               "4.0]")
          .runtime("axis")
          .python("paddle.max(x, axis=None, keepdim=False, name=None)")
          .python("Tensor.max(x, axis=None, keepdim=False, name=None)")
          .alias("input", "")
          .alias("dim", ""))
      .primitive("an ordering reduction")
      .vjp(choose_vjp);
  choose(
      r.op("min")
          .schema("min(Tensor x, IntArray@operand axis={}, bool keepdim=false) -> (Tensor out)")
          .spmd(sharding::min)
          .doc(
              "Smallest element; NaN where there is one. Tied elements share the gradient evenly.\n"
              "x: A real Tensor.\n"
              "Returns: A Tensor of the dtype of x without the reduced axes (0-d when all are).\n"
              "Raises: ValueError: A reduced axis has no element.",
              "paddle.min(paddle.to_tensor([[1.0, 5.0], [3.0, 4.0]]), axis=1).tolist()  # [1.0, "
              "3.0]")
          .runtime("axis")
          .python("paddle.min(x, axis=None, keepdim=False, name=None)")
          .python("Tensor.min(x, axis=None, keepdim=False, name=None)")
          .alias("input", "")
          .alias("dim", ""))
      .primitive("an ordering reduction")
      .vjp(choose_vjp);
  choose(r.op("amax")
             .schema("amax(Tensor x, int64[] axis={}, bool keepdim=false) -> (Tensor out)")
             .runtime("axis")
             .doc("Largest element over `axis`; tied elements share the gradient evenly.",
                  "paddle.amax(paddle.to_tensor([0.9, 0.9, 0.1]))")
             .python("paddle.amax(x, axis=None, keepdim=False, name=None, *, out=None)")
             .python("Tensor.amax(axis=None, keepdim=False, name=None, *, out=None)"))
      .vjp(choose_vjp)
      .decompose([](Args& a) -> TensorList { return {max(a.tensor(0), a.ints(1), a.b(2))}; });
  choose(r.op("amin")
             .schema("amin(Tensor x, int64[] axis={}, bool keepdim=false) -> (Tensor out)")
             .runtime("axis")
             .doc("Smallest element over `axis`; tied elements share the gradient evenly.",
                  "paddle.amin(paddle.to_tensor([0.9, 0.1, 0.1]))")
             .python("paddle.amin(x, axis=None, keepdim=False, name=None, *, out=None)")
             .python("Tensor.amin(axis=None, keepdim=False, name=None, *, out=None)"))
      .vjp(choose_vjp)
      .decompose([](Args& a) -> TensorList { return {min(a.tensor(0), a.ints(1), a.b(2))}; });
}

void register_any_and_all(Registry& r) {
  r.op("any")
      .schema("any(Tensor x, int64[] axis={}, bool keepdim=false) -> (Tensor out)")
      .spmd(sharding::any)
      .doc(
          "Whether any element is not zero; False where there is no element.\n"
          "x: A Tensor of any dtype.\n"
          "Returns: A bool Tensor without the reduced axes (0-d when all are).",
          "paddle.any(paddle.to_tensor([[False, True], [False, False]]), axis=1).tolist()  # "
          "[True, False]")
      .runtime("axis")
      .python("paddle.any(x, axis=None, keepdim=False, name=None, *, out=None)")
      .python("Tensor.any(axis=None, keepdim=False, name=None, *, out=None)")
      .alias("input", "x")
      .alias("dim", "axis")
      .reduction("axis", "keepdim")
      .infer(infer_any)
      .kernel_dtype_of("x")
      .no_grad()
      .decompose([](Args& a) -> TensorList {
        const Tensor x = cast(a.tensor(0), DType::kBool);
        return {cast(sum(x, a.ints(1), DType::kInt64, a.b(2)), DType::kBool)};
      });
  r.op("all")
      .schema("all(Tensor x, int64[] axis={}, bool keepdim=false) -> (Tensor out)")
      .spmd(sharding::all)
      .doc(
          "Whether every element is not zero; True where there is no element.\n"
          "x: A Tensor of any dtype.\n"
          "Returns: A bool Tensor without the reduced axes (0-d when all are).",
          "paddle.all(paddle.to_tensor([[False, True], [True, True]]), axis=1).tolist()  # [False, "
          "True]")
      .runtime("axis")
      .python("paddle.all(x, axis=None, keepdim=False, name=None, *, out=None)")
      .python("Tensor.all(axis=None, keepdim=False, name=None, *, out=None)")
      .alias("input", "x")
      .alias("dim", "axis")
      .reduction("axis", "keepdim")
      .infer(infer_any)
      .kernel_dtype_of("x")
      .no_grad()
      .rank(2)
      .decompose([](Args& a) -> TensorList {
        const Tensor zero = logical_not(cast(a.tensor(0), DType::kBool));
        const Tensor zeros = sum(zero, a.ints(1), DType::kInt64, a.b(2));
        return {logical_not(cast(zeros, DType::kBool))};
      });
}

void register_positions(Registry& r) {
  search(
      r.op("argmax")
          .schema("argmax(Tensor x, Scalar@operand axis=-1, bool keepdims=false, bool "
                  "flatten=false, DType dtype=int64) -> (Tensor out)")
          .doc("Position of the largest element along `axis`, the first of equals, NaN left out; "
               "with flatten=True the position in the flattened tensor.",
               "paddle._C_ops.argmax(paddle.to_tensor([1.0, 5.0, 3.0]), 0, False, False, 'int64')")
          .runtime("axis"))
      .spmd(sharding::one_axis)
      .primitive("a position cannot be had from reductions of values without a search");
  search(
      r.op("argmin")
          .schema("argmin(Tensor x, Scalar@operand axis=-1, bool keepdims=false, bool "
                  "flatten=false, DType dtype=int64) -> (Tensor out)")
          .doc("Position of the smallest element along `axis`, the first of equals, NaN left out; "
               "with flatten=True the position in the flattened tensor.",
               "paddle._C_ops.argmin(paddle.to_tensor([1.0, 5.0, 3.0]), 0, False, False, 'int64')")
          .runtime("axis"))
      .spmd(sharding::one_axis)
      .primitive("a position cannot be had from reductions of values without a search");
}

}  // namespace

void register_minmax(Registry& r) {
  register_extremes(r);
  register_any_and_all(r);
  register_positions(r);
}

}  // namespace paddle::ops
