// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators whose result size depends on values, nonzero and masked_select, and one_hot.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/creation.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/shape.h"

namespace paddle::ops {

void register_nonzero(Registry& r) {
  r.op("nonzero")
      .schema("nonzero(Tensor condition) -> (Tensor out)")
      .doc(
          "The positions of all elements that are not zero, one row each, in order: int64 of shape "
          "[count, rank].",
          "paddle.nonzero(paddle.to_tensor([0, 3, 5]))")
      .alias("x", "condition")
      .alias("input", "condition")
      .trait(kDynamicOutput)
      .opaque("the number of positions is known only from the values")
      .kernel_dtype_of("condition")
      .no_grad()
      .infer([](Infer& c) {
        c.out(0, Shape{c.data_dependent_size(), c.rank(0)}, DType::kInt64);
      });
  r.op("masked_select")
      .schema("masked_select(Tensor x, Tensor mask) -> (Tensor out)")
      .doc(
          "The elements of x where a mask is True, in row-major order.\n"
          "x: A Tensor of any dtype.\n"
          "mask: A bool Tensor; x and mask broadcast against each other.\n"
          "Returns: A Tensor of one axis and of the dtype of x.",
          "paddle.masked_select(paddle.to_tensor([1, 2, 3]), paddle.to_tensor([True, False, "
          "True])).tolist()  # [1, 3]")
      .python("paddle.masked_select(x, mask, name=None, *, out=None)")
      .python("Tensor.masked_select(mask, name=None, *, out=None)")
      .alias("input", "x")
      .trait(kDynamicOutput)
      .infer([](Infer& c) {
        PADDLE_CHECK_TYPE(c.dtype(1) == DType::kBool, "masked_select: mask has dtype ", c.dtype(1),
                          "; a mask is bool; compare it with a number first.");
        Shape common;
        broadcast_into(c.shape(0), c.shape(1), "masked_select", "x", "mask", common);
        c.out(0, Shape{c.data_dependent_size()}, c.dtype(0));
      })
      .saves({"mask"})
      .vjp([](Vjp& v) {
        const Tensor mask = v.in(1);
        Shape common;
        broadcast_into(v.in(0).shape(), mask.shape(), "masked_select", "x", "mask", common);
        const Tensor none = full(common, Scalar(0.0), v.grad().dtype(), v.grad().place());
        if (common.empty()) {
          // A 0-d mask has no axis to index: look at it as one element.
          const Tensor one =
              index_put(reshape(none, Shape{1}), {reshape(mask, Shape{1})}, v.grad(), false);
          return v.set(0, reshape(one, Shape()));
        }
        v.set(0, index_put(none, {expand(mask, common)}, v.grad(), false));
      })
      .decompose([](Args& a) -> TensorList {
        Shape common;
        broadcast_into(a.tensor(0).shape(), a.tensor(1).shape(), "masked_select", "x", "mask",
                       common);
        const Tensor x = reshape(expand(a.tensor(0), common), Shape{numel_of(common)});
        const Tensor mask = reshape(expand(a.tensor(1), common), Shape{numel_of(common)});
        return {gather_nd(x, nonzero(mask))};
      });
  r.op("one_hot")
      .schema("one_hot(Tensor x, Scalar@int32 num_classes) -> (Tensor out)")
      .doc("float32 rows of num_classes entries with a 1 at the position that x holds.",
           "paddle.nn.functional.one_hot(paddle.to_tensor([1, 0]), num_classes=2)")
      .runtime("num_classes", RuntimeValue::kCount)
      .python("paddle.nn.functional.one_hot(x, num_classes=-1, name=None)")
      .alias("input", "x")
      .spmd("... -> ... *")
      .opaque("writes by position, with its own check of the range")
      .kernel_dtype_of("x")
      .no_grad()
      .infer([](Infer& c) {
        c.require_integer(0);
        PADDLE_CHECK_VALUE(!c.is_constant(1) || c.scalar(1).to_int() > 0,
                           "one_hot: num_classes has value ",
                           c.is_constant(1) ? c.scalar(1).to_int() : 0, "; it must be at least 1.");
        Shape out = c.shape(0);
        out.push_back(c.is_constant(1) ? Dim(c.scalar(1).to_int()) : c.data_dependent_size());
        c.out(0, out, DType::kFloat32);
      });
}

}  // namespace paddle::ops
