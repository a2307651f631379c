// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Constant tensors and triangles.
#include <cmath>
#include <limits>

#include "paddle_core/dispatch/call.h"
#include "paddle_core/op/saved_form.h"
#include "phi_kernels/ops/creation/given_shape.h"
#include "phi_kernels/ops/elementwise/rules.h"
#include "phi_kernels/ops/shape.h"
#include "phi_kernels/ops/sharding_rules.h"
#include "phi_kernels/rules/integers.h"

namespace paddle::ops {
namespace {

// No NaN can be read from a file: it is the difference of infinities.
void write_full(SavedForm& f) {
  const DType dtype = f.dtype(f.result());
  if (!is_floating(dtype) || !std::isnan(f.f("value"))) return;
  const FormValue infinite =
      f.full(f.shape(f.result()), std::numeric_limits<double>::infinity(), dtype);
  f.become({f.binary("subtract", infinite, infinite)});
}

Integers repeated_value(const IntegerArgs& a) {
  const Shape shape = a.ints(0);
  const Scalar value = a.scalar(1);
  if (!is_static(shape) || numel_of(shape).value() > integers::kMaxCount) return std::nullopt;
  if (!value.is_integral() && value.to_double() != static_cast<double>(value.to_int())) {
    return std::nullopt;
  }
  Shape out;
  for (int64_t i = 0; i < numel_of(shape).value(); ++i) out.push_back(Dim(value.to_int()));
  return out;
}

}  // namespace

void register_fill(Registry& r) {
  r.op("full")
      .schema(
          "full(IntArray shape, Scalar value, DType dtype=float32, Place place=cpu) -> (Tensor "
          "out)")
      .doc("A tensor of the given shape whose every element is value.", "paddle.full([2, 3], 1.5)")
      .integers(repeated_value)
      .saved_form(write_full)
      .infer([](Infer& c) { c.out(0, given_shape(c, 0), c.dtype_attr(2)); })
      .no_grad()
      .primitive("makes a constant");
  r.op("full_like")
      .schema(
          "full_like(Tensor x, Scalar@operand value, DType dtype=Undefined, Place "
          "place=Undefined) -> (Tensor out)")
      .spmd(sharding::filled)
      .doc("A tensor of x's shape whose every element is value; dtype and place default to x's.",
           "paddle.full_like(paddle.to_tensor([1.0]), 2.0)")
      .infer([](Infer& c) {
        const DType d = c.dtype_attr(2);
        c.out(0, c.shape(0), d == DType::kUndefined ? c.dtype(0) : d);
      })
      .no_grad()
      .reads_shape_of({"x"})
      .primitive("makes a constant of a shape that may be symbolic");
  r.op("full_with_tensor")
      .schema(
          "full_with_tensor(Tensor value, IntArray@operand shape, DType dtype=float32) -> (Tensor "
          "out)")
      .doc("A tensor of the given shape whose every element is the one of value.",
           "paddle._C_ops.full_with_tensor(paddle.to_tensor([2.5]), [2, 3], paddle.float32)")
      .infer([](Infer& c) {
        const Shape shape = given_shape(c, 1);
        const DType d = c.dtype_attr(2);
        c.out(0, shape, d == DType::kUndefined ? c.dtype(0) : d);
      })
      .no_grad()
      .decompose([](Args& a) -> TensorList {
        const Tensor value = a.tensor(0);
        const DType dtype = a.dtype(2) == DType::kUndefined ? value.dtype() : a.dtype(2);
        const Tensor one = cast(reshape(value, Shape{}), dtype);
        const Slot slots[] = {Slot::of(one), a.slot(1)};  // a shape that is a tensor stays one
        Outputs expanded;
        static const OpDef& expand_op = Registry::global().at("expand");
        call(expand_op, slots, expanded);
        return {assign(expanded[0])};
      });
  r.op("tril")
      .schema("tril(Tensor x, int diagonal=0) -> (Tensor out)")
      .doc(
          "The lower triangle of each matrix, zero elsewhere.\n"
          "x: A Tensor of any dtype, of two axes at least.\n"
          "diagonal: The last diagonal that belongs to it; positive ones lie above the main one.\n"
          "Returns: A Tensor of the shape and dtype of x.",
          "paddle.tril(paddle.ones([2, 2])).tolist()  # [[1.0, 0.0], [1.0, 1.0]]")
      .python("paddle.tril")
      .python("Tensor.tril")
      .inplace_python("paddle.tril_")
      .inplace_python("Tensor.tril_")
      .infer([](Infer& c) {
        c.require_rank_at_least(0, 2);
        infer::same_as_x(c);
      })
      .spmd(sharding::triangle)
      .primitive("selects by position")
      .vjp([](Vjp& v) { v.set(0, tril(v.grad(), v.i(1))); });
  r.op("triu")
      .schema("triu(Tensor x, int diagonal=0) -> (Tensor out)")
      .doc(
          "The upper triangle of each matrix, zero elsewhere.\n"
          "x: A Tensor of any dtype, of two axes at least.\n"
          "diagonal: The first diagonal that belongs to it; positive ones lie above the main one.\n"
          "Returns: A Tensor of the shape and dtype of x.",
          "paddle.triu(paddle.ones([2, 2])).tolist()  # [[1.0, 1.0], [0.0, 1.0]]")
      .python("paddle.triu")
      .python("Tensor.triu")
      .inplace_python("paddle.triu_")
      .inplace_python("Tensor.triu_")
      .infer([](Infer& c) {
        c.require_rank_at_least(0, 2);
        infer::same_as_x(c);
      })
      .spmd(sharding::triangle)
      .primitive("selects by position")
      .vjp([](Vjp& v) { v.set(0, triu(v.grad(), v.i(1))); });
}

}  // namespace paddle::ops
