// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Statistics over axes: var and std, median and nanmedian, nansum, mean_all, and reduce_as.
#include <algorithm>
#include <cmath>

#include "paddle_core/op/registry.h"
#include "paddle_core/op/saved_form.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/reduce/axes.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

bool is_whole(DType t) { return is_integer(t) || is_bool(t); }

Axes axes_of(const Args& a) { return reduce_axes(a.ints(1), a.tensor(0).ndim(), a.op().name()); }

Tensor constant(const Tensor& like, double value) {
  return full(Shape(), Scalar(value), like.dtype(), like.place());
}

// Two passes: the mean, then the squares of what is left. arguments: x, axis, keepdim, unbiased,
// correction
Tensor variance(Args& a, const Tensor& x) {
  const Axes axes = axes_of(a);
  Tensor gap = x - mean(x, a.ints(1), true);
  if (is_whole(x.dtype())) gap = cast(gap, DType::kFloat64);
  const Tensor squares = is_complex(x.dtype()) ? real(gap * conj(gap)) : square(gap);
  const Tensor total = sum(squares, a.ints(1), squares.dtype(), a.b(2));
  const double correction = a.b(3) ? a.f(4) : 0;
  const Dim n = reduced_count(x.shape(), axes);
  if (!n.is_symbolic()) {
    return total / constant(total, std::max(static_cast<double>(n.value()) - correction, 0.0));
  }
  const Tensor ones = expand(constant(total, 1), Shape{n});
  const Tensor count = sum(ones, Shape(), DType::kUndefined, false) - Scalar(correction);
  return total / maximum(count, constant(total, 0));
}

Tensor variance_of(Args& a) {
  const Tensor x = a.tensor(0);
  // Integers keep their dtype, as in PaddlePaddle: their mean and the variance are cut to whole
  // numbers.
  if (is_whole(x.dtype())) return cast(variance(a, x), x.dtype());
  if (size_of(x.dtype()) == 2) return cast(variance(a, cast(x, DType::kFloat32)), x.dtype());
  return variance(a, x);
}

void infer_variance(Infer& c, DType whole) {
  const DType t = c.dtype(0);
  c.out(0, reduced_shape(c.shape(0), infer_reduce_axes(c), c.b(2)),
        is_whole(t) ? whole : real_of(t));
}

// -- medians
// ---------------------------------------------------------------------------------------

// The reduced axes as one last axis.
Tensor reduced_last(const Tensor& x, const Axes& axes) {
  Shape permutation, flat;
  for (int64_t d = 0; d < x.ndim(); ++d) {
    if (contains(axes, d)) continue;
    permutation.push_back(d);
    flat.push_back(x.shape()[static_cast<size_t>(d)]);
  }
  for (const int64_t d : axes) permutation.push_back(d);
  flat.push_back(reduced_count(x.shape(), axes));
  return reshape(transpose(x, permutation), flat);
}

// arguments: x, axis, keepdim, mode
TensorList median_decompose(Args& a, bool skip_nan, DType out_dtype) {
  const Tensor x = a.tensor(0);
  const bool average = a.text(3) == "avg";
  const Axes axes = axes_of(a);
  const Shape shape = reduced_shape(x.shape(), axes, a.b(2));
  const Tensor rows = reduced_last(x, axes);
  const int64_t axis = rows.ndim() - 1;
  const Tensor keys = is_whole(x.dtype()) ? as_dtype(rows, DType::kInt64) : rows;
  const auto [low, high] = median_positions(keys, skip_nan, average);
  Tensor value = take_along_axis(rows, low, axis), index = low;
  if (average) {
    const DType t = is_whole(x.dtype()) ? DType::kFloat64 : x.dtype();
    const Tensor below = as_dtype(value, t);
    const Tensor above = as_dtype(take_along_axis(rows, high, axis), t);
    value = where(equal(low, high), below, below * Scalar(0.5) + above * Scalar(0.5));
  }
  if (skip_nan) {
    index =
        where(isnan(value), full(Shape(), Scalar(int64_t{-1}), DType::kInt64, x.place()), index);
  }
  return {reshape(as_dtype(value, out_dtype), shape), reshape(index, shape)};
}

DType median_dtype(DType x, std::string_view mode) {
  return mode == "avg" && (is_whole(x) || size_of(x) == 2) ? DType::kFloat32 : x;
}

void infer_median(Infer& c, DType out) {
  const std::string_view mode = c.text(3);
  PADDLE_CHECK_VALUE(mode == "avg" || mode == "min", c.op_name(), ": mode has value '", mode,
                     "'; it must be 'avg' or 'min'; pass one of them.");
  PADDLE_CHECK_TYPE(!is_complex(c.dtype(0)), c.op_name(), ": x has dtype ", c.dtype(0),
                    "; complex numbers have no order; use abs(x) or real(x).");
  const Axes axes = infer_reduce_axes(c);
  PADDLE_CHECK_VALUE(decide_lt(0, reduced_count(c.shape(0), axes), true), c.op_name(),
                     ": x has shape ", c.shape(0),
                     "; a median needs at least one element along the axis; pass such a tensor.");
  const Shape shape = reduced_shape(c.shape(0), axes, c.b(2));
  c.out(0, shape, out);
  c.out(1, shape, DType::kInt64);
}

// -- reduce_as
// -------------------------------------------------------------------------------------

// Axes of x that its reduction to `target` sums over.
Shape summed_axes(const Shape& x, const Shape& target) {
  PADDLE_CHECK_VALUE(x.size() >= target.size(), "reduce_as: x has shape ", x,
                     " and target has shape ", target,
                     "; target must not have more axes than x; reshape it.");
  const size_t extra = x.size() - target.size();
  Shape axes;
  for (size_t d = 0; d < x.size(); ++d) {
    const bool same = d >= extra && decide_eq(x[d], target[d - extra], true);
    if (same) continue;
    PADDLE_CHECK_VALUE(d < extra || decide_eq(target[d - extra], 1, false),
                       "reduce_as: x has shape ", x, " and target has shape ", target,
                       "; every extent of target must be 1 or that of x; reshape target.");
    axes.push_back(static_cast<int64_t>(d));
  }
  return axes;
}

// PaddlePaddle reads `unbiased` nowhere but in Python.
void write_variance(SavedForm& f) {
  if (!f.b("unbiased")) f.set_attribute("correction", 0.0);
}

// The places of the two values in the middle of the sorted ones. NaN is behind all others; it
// does not count with skip_nan, and is the median without.
void write_median_positions(SavedForm& f) {
  const FormValue x = f.operand(0);
  const Shape shape = f.shape(x), lane = f.shape(f.result(0));
  const FormType places(DType::kInt64, shape), one(f.result(0));
  const AttributeArray last{Attribute(int64_t{-1})};
  const auto axis = static_cast<int32_t>(shape.size()) - 1;
  const FormValue order = f.make_all("argsort", {x}, {x, places},
                                     {{"axis", axis}, {"descending", false}, {"stable", true}})[1];
  FormValue count = f.ints_value({shape.back()}), any, first;
  if (is_floating(f.dtype(x))) {
    const FormValue nan = f.make("isnan", {x}, {DType::kBool, shape});
    if (f.b("skip_nan")) {
      const FormValue numbers = f.cast(f.unary("logical_not", nan), DType::kInt64);
      count = f.make("sum", {numbers, f.ints_value({Dim(-1)})}, one,
                     {{"dtype", DType::kInt64}, {"keepdim", true}});
    } else {
      any = f.make("any", {nan}, {DType::kBool, lane}, {{"axis", last}, {"keepdim", true}});
      const FormValue number = f.cast(nan, DType::kInt64);
      first = f.make("argmax", {number, f.full(Shape{Dim(1)}, -1, DType::kInt64)}, one,
                     {{"keepdims", true}, {"flatten", false}, {"dtype", DType::kInt64}});
    }
  }
  if (f.shape(count) != lane) count = f.expand(count, lane);
  const auto place = [&](double before) {
    const FormValue two = f.like(count, 2), halves = f.scaled(count, 1, before);
    const FormValue half = f.binary("floor_divide", halves, two);
    const FormValue at =
        f.make("take_along_axis", {order, f.binary("maximum", half, f.like(count, 0))}, one,
               {{"axis", axis}});
    return any ? f.make("where", {any, first, at}, one) : at;
  };
  const FormValue low = place(-1);
  f.become({low, f.b("average") ? place(0) : low});
}

void register_medians(Registry& r) {
  r.op("median_positions")
      .schema(
          "median_positions(Tensor x, bool skip_nan=false, bool average=true) -> (Tensor low, "
          "Tensor high)")
      .doc(
          "Where the two middle values of every row stand, the last axis of extent 1: of equal "
          "values (floating or int64) in the order of a stable sort, or without `average` in that "
          "of topk, where both are the lower one. The first NaN counts as both, or with `skip_nan` "
          "none does.",
          "paddle._C_ops.median_positions(paddle.to_tensor([3.0, 1.0, 2.0]))")
      .spmd(sharding::rows)
      .opaque("selects without sorting")
      .saved_form(write_median_positions)
      .kernel_dtype_of("x")
      .no_grad()
      .infer([](Infer& c) {
        Shape shape = c.shape(0);
        PADDLE_CHECK_VALUE(!shape.empty() && decide_lt(0, shape.back(), true),
                           "median_positions: x has shape ", c.shape(0),
                           "; its last axis needs at least one element; pass such a tensor.");
        shape.back() = 1;
        c.out(0, shape, DType::kInt64);
        c.out(1, shape, DType::kInt64);
      });
  r.op("median")
      .schema(
          "median(Tensor x, IntArray axis={}, bool keepdim=true, str mode=\"avg\") -> (Tensor out, "
          "Tensor medianindex)")
      .runtime("axis")
      .doc(
          "The middle value over `axis`: of an even number of values the mean of the two middle "
          "ones, or the smaller with mode='min'. NaN when there is one. Integers and 16-bit "
          "floats give float32 with 'avg'.",
          "paddle.median(paddle.to_tensor([3.0, 1.0, 2.0]))")
      .reduction("axis", "keepdim")
      .infer([](Infer& c) { infer_median(c, median_dtype(c.dtype(0), c.text(3))); })
      .no_grad_result("medianindex")
      .decompose([](Args& a) {
        return median_decompose(a, false, median_dtype(a.tensor(0).dtype(), a.text(3)));
      });
  r.op("nanmedian")
      .schema(
          "nanmedian(Tensor x, IntArray axis={}, bool keepdim=true, str mode=\"avg\") -> (Tensor "
          "out, Tensor medians)")
      .runtime("axis")
      .doc(
          "As median, but NaN is left out; NaN where nothing else is there. Integers keep their "
          "dtype.",
          "paddle.nanmedian(paddle.to_tensor([3.0, 1.0, float('nan')]))")
      .reduction("axis", "keepdim")
      .infer([](Infer& c) { infer_median(c, c.dtype(0)); })
      .no_grad_result("medians")
      .decompose([](Args& a) { return median_decompose(a, true, a.tensor(0).dtype()); });
}

}  // namespace

void register_statistics(Registry& r) {
  register_medians(r);
  r.op("var")
      .schema(
          "var(Tensor x, int64[] axis={}, bool keepdim=false, bool unbiased=true, double "
          "correction=1.0) -> (Tensor out)")
      .runtime("axis")
      .doc(
          "Mean square distance from the mean over `axis`; with unbiased=True the sum is divided "
          "by N - correction instead of N.",
          "paddle._C_ops.var(paddle.to_tensor([1.0, 2.0, 4.0]))")
      .reduction("axis", "keepdim")
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) { infer_variance(c, c.dtype(0)); })
      .saved_form(write_variance)
      .decompose([](Args& a) -> TensorList { return {variance_of(a)}; });
  r.op("std")
      .schema(
          "std(Tensor x, int64[] axis={}, bool keepdim=false, bool unbiased=true, double "
          "correction=1.0) -> (Tensor out)")
      .runtime("axis")
      .doc("The square root of var. Integers give float32.",
           "paddle._C_ops.std(paddle.to_tensor([1.0, 2.0, 4.0]))")
      .reduction("axis", "keepdim")
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) { infer_variance(c, DType::kFloat32); })
      .saved_form(write_variance)
      .decompose([](Args& a) -> TensorList { return {sqrt(variance_of(a))}; });
  r.op("nansum")
      .schema(
          "nansum(Tensor x, IntArray axis={}, DType dtype=Undefined, bool keepdim=false) -> "
          "(Tensor out)")
      .runtime("axis")
      .doc("Sum over `axis` in which NaN counts as 0.",
           "paddle.nansum(paddle.to_tensor([1.0, float('nan')]))")
      .python("paddle.nansum(x, axis=None, dtype=None, keepdim=False, name=None)")
      .python("Tensor.nansum(axis=None, dtype=None, keepdim=False, name=None)")
      .alias("input", "x")
      .alias("dim", "axis")
      .reduction("axis", "keepdim")
      .kernel_dtype_of("x")
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) {
        const DType asked = c.dtype_attr(2), t = c.dtype(0);
        c.out(0, reduced_shape(c.shape(0), infer_reduce_axes(c), c.b(3)),
              asked != DType::kUndefined ? asked
              : is_whole(t)              ? DType::kInt64
                                         : t);
      })
      .decompose([](Args& a) -> TensorList {
        Tensor x = a.tensor(0);
        if (!is_whole(x.dtype())) x = where(isnan(x), constant(x, 0), x);
        return {sum(x, a.ints(1), a.dtype(2), a.b(3))};
      });
  r.op("mean_all")
      .schema("mean_all(Tensor x) -> (Tensor out)")
      .doc("Mean of all elements, 0-d.", "paddle._C_ops.mean_all(paddle.to_tensor([1.0, 2.0]))")
      .reduction(nullptr, nullptr)
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) { c.out(0, Shape(), c.dtype(0)); })
      .decompose([](Args& a) -> TensorList { return {mean(a.tensor(0), Shape(), false)}; });
  r.op("reduce_as")
      .schema("reduce_as(Tensor x, Tensor target) -> (Tensor out)")
      .doc("x summed to the shape of target: the reverse of broadcasting target to x.",
           "paddle.reduce_as(paddle.ones([2, 3]), paddle.zeros([3]))")
      .python("paddle.reduce_as(x, target, name=None)")
      .python("Tensor.reduce_as(x, target, name=None)")
      .reduction(nullptr, nullptr)
      .amp_class(AmpClass::kHigh)
      .reads_shape_of({"target"})
      .infer([](Infer& c) {
        summed_axes(c.shape(0), c.shape(1));
        c.out(0, c.shape(1), is_whole(c.dtype(0)) ? DType::kInt64 : c.dtype(0));
      })
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        const Shape target = a.tensor(1).shape(), axes = summed_axes(x.shape(), target);
        const DType t = is_whole(x.dtype()) ? DType::kInt64 : x.dtype();
        if (axes.empty()) return {t == x.dtype() ? assign(x) : cast(x, t)};
        return {reshape(sum(x, axes, t, true), target)};
      });
}

}  // namespace paddle::ops
