// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Different elements and how often they occur: unique, unique_consecutive, bincount, histogram.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/saved_form.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

void require_index_dtype(const Infer& c, DType t) {
  PADDLE_CHECK_VALUE(t == DType::kInt32 || t == DType::kInt64, c.op_name(), ": dtype has value ", t,
                     "; positions are int32 or int64; pass one.");
}

// The shape of the different slices along the axis, or of the different elements.
struct Pieces {
  Shape out;
  Dim inverse;
};
Pieces pieces_of(Infer& c, const Shape& axis) {
  PADDLE_CHECK_TYPE(!is_complex(c.dtype(0)), c.op_name(), ": x has dtype ", c.dtype(0),
                    "; complex numbers have no order; use abs(x) or real(x).");
  PADDLE_CHECK_VALUE(axis.size() <= 1, c.op_name(), ": axis is ", axis,
                     "; at most one axis can be given; pass an int.");
  const Dim n = c.data_dependent_size();
  if (axis.empty()) return {Shape{n}, numel_of(c.shape(0))};
  const auto at = static_cast<size_t>(normalize_axis(axis[0].value(), c.rank(0), c.op_name()));
  Shape out = c.shape(0);
  if (out.empty()) return {Shape{n}, Dim(1)};
  const Dim before = out[at];
  out[at] = n;
  return {out, before};
}

// arguments: x, return_index, return_inverse, return_counts, axis, dtype
void infer_unique(Infer& c) {
  const DType index = c.dtype_attr(5);
  require_index_dtype(c, index);
  const Shape axis = c.ints(4);
  const Pieces p = pieces_of(c, axis);
  const Dim n =
      axis.empty() || p.out.size() == 1
          ? p.out[0]
          : p.out[static_cast<size_t>(normalize_axis(axis[0].value(), c.rank(0), "unique"))];
  c.out(0, p.out, c.dtype(0));
  c.out(1, Shape{c.b(1) ? n : Dim(0)}, index);
  c.out(2, Shape{c.b(2) ? p.inverse : Dim(0)}, index);
  c.out(3, Shape{c.b(3) ? n : Dim(0)}, index);
}

// arguments: x, return_inverse, return_counts, axis, dtype
void infer_unique_consecutive(Infer& c) {
  const DType index = c.dtype_attr(4);
  require_index_dtype(c, index);
  const Shape axis = c.ints(3);
  const Pieces p = pieces_of(c, axis);
  const Dim n = axis.empty() || p.out.size() == 1
                    ? p.out[0]
                    : p.out[static_cast<size_t>(
                          normalize_axis(axis[0].value(), c.rank(0), "unique_consecutive"))];
  c.out(0, p.out, c.dtype(0));
  c.out(1, Shape{c.b(1) ? p.inverse : Dim(0)}, index);
  c.out(2, Shape{c.b(2) ? n : Dim(0)}, index);
}

void infer_bincount(Infer& c) {
  PADDLE_CHECK_TYPE(is_integer(c.dtype(0)), "bincount: x has dtype ", c.dtype(0),
                    "; only integers can be counted; cast it first.");
  c.require_rank(0, 1);
  PADDLE_CHECK_VALUE(!c.is_constant(2) || c.scalar(2).to_int() >= 0,
                     "bincount: minlength has value ", c.is_constant(2) ? c.scalar(2).to_int() : 0,
                     "; a length must be >= 0; pass such a number.");
  DType out = DType::kInt64;
  if (c.has(1)) {
    PADDLE_CHECK_VALUE(c.rank(1) == 1 && decide_eq(c.shape(0)[0], c.shape(1)[0], true),
                       "bincount: x has shape ", c.shape(0), " and weights has shape ", c.shape(1),
                       "; there must be one weight per element; reshape weights.");
    out = c.dtype(1) == DType::kFloat32 ? DType::kFloat32 : DType::kFloat64;
  }
  c.out(0, Shape{c.data_dependent_size()}, out);
}

// arguments: input, weight, bins, min, max, density
void infer_histogram(Infer& c) {
  PADDLE_CHECK_VALUE(c.i(2) >= 1, "histogram: bins has value ", c.i(2),
                     "; at least one bin is needed; pass a positive number.");
  PADDLE_CHECK_VALUE(c.f(4) >= c.f(3), "histogram: max is ", c.f(4), " and min is ", c.f(3),
                     "; max must not be below min; exchange them.");
  if (c.has(1)) {
    bool fits = c.rank(0) == c.rank(1);
    for (size_t d = 0; fits && d < c.shape(0).size(); ++d) {
      fits = decide_eq(c.shape(0)[d], c.shape(1)[d], true);
    }
    PADDLE_CHECK_VALUE(fits, "histogram: input has shape ", c.shape(0), " and weight has shape ",
                       c.shape(1), "; the shapes must be equal; reshape weight.");
  }
  c.out(0, Shape{Dim(c.i(2))}, c.b(5) || c.has(1) ? DType::kFloat32 : DType::kInt64);
}

}  // namespace

void register_unique(Registry& r) {
  r.op("unique")
      .schema(
          "unique(Tensor x, bool return_index=false, bool return_inverse=false, bool "
          "return_counts=false, int[] axis={}, DType dtype=int64) -> (Tensor out, Tensor indices, "
          "Tensor inverse, Tensor counts)")
      .doc(
          "The different elements, or slices along axis, in ascending order; the first position of "
          "each, the place of every element among them, and their numbers, each empty unless asked "
          "for.",
          "paddle.unique(paddle.to_tensor([3, 1, 3]))")
      .trait(kDynamicOutput)
      .kernel_dtype_of("x")
      .infer(infer_unique)
      .saved_form([](SavedForm& f) { f.set_attribute("is_sorted", true); })
      .no_grad()
      .opaque("the number of elements is known only from the values");
  r.op("unique_consecutive")
      .schema(
          "unique_consecutive(Tensor x, bool return_inverse=false, bool return_counts=false, int[] "
          "axis={}, DType dtype=int64) -> (Tensor out, Tensor index, Tensor counts)")
      .doc(
          "x without the elements, or slices along axis, that equal the one before; the place of "
          "every element in the result, and the lengths of the runs, each empty unless asked for.",
          "paddle.unique_consecutive(paddle.to_tensor([1, 1, 2, 1]))")
      .trait(kDynamicOutput)
      .kernel_dtype_of("x")
      .infer(infer_unique_consecutive)
      .no_grad()
      .opaque("the number of elements is known only from the values");
  r.op("bincount")
      .schema("bincount(Tensor x, Tensor? weights, Scalar@operand minlength=0) -> (Tensor out)")
      .doc(
          "How often each number 0, 1, ... occurs, or the sums of its weights.\n"
          "x: An integer Tensor of shape [n], without negative numbers.\n"
          "weights: A Tensor of shape [n], or None.\n"
          "minlength: The least length of the result.\n"
          "Returns: A Tensor of shape [max(x) + 1], or longer by minlength: int64, or of the dtype "
          "of weights.\n"
          "Raises: ValueError: x holds a negative number.",
          "paddle.bincount(paddle.to_tensor([1, 2, 1])).tolist()  # [0, 2, 1]")
      .python("paddle.bincount(x, weights=None, minlength=0, name=None)")
      .python("Tensor.bincount(x, weights=None, minlength=0, name=None)")
      .trait(kDynamicOutput)
      .kernel_dtype_of("x")
      .infer(infer_bincount)
      .no_grad()
      .opaque("the length of the result is known only from the values");
  r.op("histogram")
      .schema(
          "histogram(Tensor input, Tensor? weight, int64 bins=100, float min=0.0, float max=0.0, "
          "bool density=false) -> (Tensor out)")
      .doc(
          "Numbers of elements (or sums of weights) in `bins` equal intervals of [min, max]; with "
          "min = max = 0 of the range of input. density divides by the total and by the width.",
          "paddle.histogram(paddle.to_tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)")
      .python(
          "paddle.histogram(input, bins=100, min=0.0, max=0.0, weight=None, density=False, "
          "name=None)")
      .python(
          "Tensor.histogram(input, bins=100, min=0.0, max=0.0, weight=None, density=False, "
          "name=None)")
      .kernel_dtype_of("input")
      .infer(infer_histogram)
      .no_grad()
      .spmd(sharding::counts_of_values)
      .opaque("counts by value");
}

}  // namespace paddle::ops
