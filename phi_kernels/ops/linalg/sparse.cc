// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products with a matrix that is given by the places and the values of its elements: with a dense
// one, and of two dense ones at such places. Each is made of the other in its gradient.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/linalg.h"
#include "phi_kernels/ops/reduce.h"

namespace paddle::ops {
namespace {

void require_places(Infer& c) {
  for (int k = 0; k < 2; ++k) {
    c.require_index(k);
    c.require_rank(k, 1);
  }
  PADDLE_CHECK_VALUE(decide_eq(c.shape(0)[0], c.shape(1)[0], true), c.op_name(),
                     ": rows has shape ", c.shape(0), " and cols ", c.shape(1),
                     "; they hold the place of one element each; give as many of both.");
}

// The rule of the gradient has no conjugates.
void require_real(Infer& c, int k) {
  PADDLE_CHECK_TYPE(is_floating(c.dtype(k)), c.op_name(), ": ", c.arg_name(k), " has dtype ",
                    c.dtype(k), "; it must be a real floating-point type; cast it.");
}

}  // namespace

void register_sparse(Registry& r) {
  r.op("coo_matmul")
      .schema(
          "coo_matmul(Tensor rows, Tensor cols, Tensor values, Tensor y, int64 m) -> (Tensor "
          "out)")
      .doc(
          "The product of a matrix of m rows with y. Of the matrix the elements at (rows[i], "
          "cols[i]) are given; those at the same place are added.",
          "paddle._C_ops.coo_matmul(paddle.to_tensor([0, 1]), paddle.to_tensor([1, 0]), "
          "paddle.to_tensor([2.0, 3.0]), paddle.ones([2, 2]), 2)")
      .infer([](Infer& c) {
        require_places(c);
        require_real(c, 2);
        c.require_rank(2, 1);
        c.require_rank(3, 2);
        c.require_same_dtype(2, 3);
        PADDLE_CHECK_VALUE(decide_eq(c.shape(0)[0], c.shape(2)[0], true),
                           "coo_matmul: values has shape ", c.shape(2), " and rows ", c.shape(0),
                           "; there must be one value per place.");
        PADDLE_CHECK_VALUE(c.i(4) >= 0, "coo_matmul: m has value ", c.i(4), "; it must be >= 0.");
        c.out(0, Shape{Dim(c.i(4)), c.shape(3)[1]}, c.dtype(2));
      })
      .saves({"rows", "cols", "values", "y"})
      .vjp([](Vjp& v) {
        const Tensor rows = v.in(0), cols = v.in(1), y = v.in(3);
        if (v.needs(2)) v.set(2, coo_dots(rows, cols, v.grad(), y));
        if (v.needs(3)) v.set(3, coo_matmul(cols, rows, v.in(2), v.grad(), y.size(0)));
      })
      .decompose([](Args& a) -> TensorList {
        const Tensor values = a.tensor(2), y = a.tensor(3);
        const Tensor picked = gather(y, a.tensor(1), Scalar(0)) * reshape(values, Shape{-1, 1});
        const Tensor none =
            full(Shape{Dim(a.i(4)), y.shape()[1]}, Scalar(0.0), y.dtype(), y.place());
        return {index_add(none, a.tensor(0), picked, 0)};
      });
  r.op("coo_dots")
      .schema("coo_dots(Tensor rows, Tensor cols, Tensor x, Tensor y) -> (Tensor out)")
      .doc("The products of row rows[i] of x with row cols[i] of y.",
           "paddle._C_ops.coo_dots(paddle.to_tensor([0, 1]), paddle.to_tensor([1, 0]), "
           "paddle.ones([2, 2]), paddle.ones([2, 2]))")
      .infer([](Infer& c) {
        require_places(c);
        require_real(c, 2);
        c.require_rank(2, 2);
        c.require_rank(3, 2);
        c.require_same_dtype(2, 3);
        PADDLE_CHECK_VALUE(decide_eq(c.shape(2)[1], c.shape(3)[1], true), "coo_dots: x has shape ",
                           c.shape(2), " and y ", c.shape(3),
                           "; their rows must be equally long; transpose one.");
        c.out(0, c.shape(0), c.dtype(2));
      })
      .saves({"rows", "cols", "x", "y"})
      .vjp([](Vjp& v) {
        const Tensor rows = v.in(0), cols = v.in(1), x = v.in(2), y = v.in(3);
        if (v.needs(2)) v.set(2, coo_matmul(rows, cols, v.grad(), y, x.size(0)));
        if (v.needs(3)) v.set(3, coo_matmul(cols, rows, v.grad(), x, y.size(0)));
      })
      .decompose([](Args& a) -> TensorList {
        return {sum(gather(a.tensor(2), a.tensor(0), Scalar(0)) *
                        gather(a.tensor(3), a.tensor(1), Scalar(0)),
                    Shape{Dim(1)})};
      });
}

}  // namespace paddle::ops
