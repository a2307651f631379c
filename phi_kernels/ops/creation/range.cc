// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Ranges and the identity matrix.
#include <cmath>

#include "phi_kernels/ops/elementwise/rules.h"
#include "phi_kernels/ops/shape.h"

namespace paddle::ops {
namespace {

TensorList decompose_eye(Args& a) {
  const Place place = a.slot(3).place;
  const auto counted = [&](int k) {
    return arange(Scalar(int64_t{0}), Scalar(a.scalar(k).to_int()), Scalar(int64_t{1}),
                  DType::kInt64, place);
  };
  return {cast(equal(reshape(counted(0), Shape{-1, 1}), counted(1)), a.dtype(2))};
}

}  // namespace

void register_range(Registry& r) {
  r.op("arange")
      .schema(
          "arange(Scalar@operand start, Scalar@operand end, Scalar@operand step, DType "
          "dtype=int64, Place place=cpu) -> (Tensor out)")
      .doc("Numbers start, start + step, ... up to but without end.", "paddle.arange(0, 6, 2)")
      .infer([](Infer& c) {
        if (!c.is_constant(0) || !c.is_constant(1) || !c.is_constant(2)) {
          c.out(0, Shape{c.data_dependent_size()}, c.dtype_attr(3));
          return;
        }
        const Scalar start = c.scalar(0), end = c.scalar(1), step = c.scalar(2);
        PADDLE_CHECK_VALUE(
            step.to_double() != 0,
            "arange: step has value 0; it must not be zero; use a positive or negative step.");
        const double n = std::ceil((end.to_double() - start.to_double()) / step.to_double());
        PADDLE_CHECK_VALUE(n < 4e18, "arange: the range has ", n,
                           " elements; at most 2^62 can be held; use a larger step.");
        c.out(0, Shape{Dim(n > 0 ? static_cast<int64_t>(n) : 0)}, c.dtype_attr(3));
      })
      .no_grad()
      .primitive("counts");
  r.op("linspace")
      .schema(
          "linspace(Scalar@operand start, Scalar@operand stop, Scalar@operand number, DType "
          "dtype=float32, Place place=cpu) -> (Tensor out)")
      .doc(
          "Evenly spaced values, both ends included.\n"
          "start: The first value, a number or a 0-d Tensor.\n"
          "stop: The last value.\n"
          "number: How many, an int or a 0-d Tensor.\n"
          "dtype: dtype of the result; None: float32.\n"
          "Returns: A Tensor of shape [num].\n"
          "Raises: ValueError: num is negative.",
          "paddle.linspace(0.0, 1.0, 5).tolist()  # [0.0, 0.25, 0.5, 0.75, 1.0]")
      .alias("num", "number")
      .alias("steps", "number")
      .alias("end", "stop")
      .python(
          "paddle.linspace(start, stop, num, dtype=None, name=None, *, out=None, device=None, "
          "requires_grad=False)")
      .infer([](Infer& c) {
        if (!c.is_constant(2)) {
          c.out(0, Shape{c.data_dependent_size()}, c.dtype_attr(3));
          return;
        }
        PADDLE_CHECK_VALUE(c.scalar(2).to_int() >= 0, "linspace: num has value ",
                           c.scalar(2).to_int(), "; it must not be negative.");
        c.out(0, Shape{Dim(c.scalar(2).to_int())}, c.dtype_attr(3));
      })
      .no_grad()
      .primitive("counts");
  r.op("eye")
      .schema(
          "eye(Scalar@float32 num_rows, Scalar@float32 num_columns, DType dtype=float32, Place "
          "place=cpu) -> (Tensor out)")
      .doc("The matrix with ones on its diagonal and zeros elsewhere.", "paddle.eye(2, 3)")
      .infer([](Infer& c) {
        PADDLE_CHECK_VALUE(c.scalar(0).to_int() >= 0 && c.scalar(1).to_int() >= 0,
                           "eye: a size is negative; both must be >= 0; use sizes >= 0.");
        c.out(0, Shape{Dim(c.scalar(0).to_int()), Dim(c.scalar(1).to_int())}, c.dtype_attr(2));
      })
      .no_grad()
      .decompose(decompose_eye);
}

}  // namespace paddle::ops
