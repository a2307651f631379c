// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Choice by a condition: where and masked_fill, with broadcasting.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/saved_form.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/creation.h"
#include "phi_kernels/ops/elementwise.h"
#include "phi_kernels/ops/indexing.h"

namespace paddle::ops {
namespace {

void require_mask(Infer& c, int k) {
  PADDLE_CHECK_TYPE(c.dtype(k) == DType::kBool, c.op_name(), ": ", c.arg_name(k), " has dtype ",
                    c.dtype(k), "; it must be bool; compare it with a number first.");
}

void infer_where(Infer& c) {
  require_mask(c, 0);
  c.require_same_dtype(1, 2);
  Shape xy, out;
  broadcast_into(c.shape(1), c.shape(2), c.op_name(), "x", "y", xy);
  broadcast_into(c.shape(0), xy, c.op_name(), "condition", "x and y", out);
  c.out(0, out, c.dtype(1));
}

// A mask of another dtype counts where it is not 0.
Tensor as_mask(const Tensor& t) { return t.dtype() == DType::kBool ? t : cast(t, DType::kBool); }

void infer_masked_fill(Infer& c) {
  Shape masked, out;
  broadcast_into(c.shape(0), c.shape(1), c.op_name(), "x", "mask", masked);
  broadcast_into(masked, c.shape(2), c.op_name(), "x", "value", out);
  c.out(0, out, c.dtype(0));
}

Tensor zero_of(const Tensor& g) { return full(Shape(), Scalar(0.0), g.dtype(), g.place()); }

}  // namespace

void register_where(Registry& r) {
  r.op("where")
      .schema("where(Tensor condition, Tensor x, Tensor y) -> (Tensor out)")
      .doc("x where condition is True, else y; all three broadcast.",
           "paddle.where(paddle.to_tensor([True, False]), paddle.ones([2]), paddle.zeros([2]))")
      .primitive("choice is what every other selection is written with")
      .trait(kBroadcast)
      .elementwise()
      .amp_class(AmpClass::kWidest)
      .infer(infer_where)
      .saved_form([](SavedForm& f) {
        f.expand_operands({0, 1, 2}, f.shape(f.result()));
      })
      .saves({"condition"})
      .vjp([](Vjp& v) {
        const Tensor zero = zero_of(v.grad());
        if (v.needs(1)) v.set(1, where(v.in(0), v.grad(), zero));
        if (v.needs(2)) v.set(2, where(v.in(0), zero, v.grad()));
      });
  r.op("masked_fill")
      .schema("masked_fill(Tensor x, Tensor mask, Tensor value) -> (Tensor out)")
      .doc(
          "x with a value where a mask is True (or not 0).\n"
          "x: A Tensor of any dtype.\n"
          "mask: A Tensor; x, mask and value broadcast against each other.\n"
          "value: A number or a Tensor.\n"
          "Returns: A Tensor of the dtype of x.",
          "paddle.masked_fill(paddle.ones([2]), paddle.to_tensor([True, False]), 0.0).tolist()  # "
          "[0.0, 1.0]")
      .python("paddle.masked_fill(x, mask, value, name=None)")
      .python("Tensor.masked_fill(x, mask, value, name=None)")
      .inplace_python("paddle.masked_fill_(x, mask, value, name=None)")
      .inplace_python("Tensor.masked_fill_(x, mask, value, name=None)")
      .alias("input", "x")
      .trait(kBroadcast)
      .trait(kPartialWrite)
      .elementwise()
      .infer(infer_masked_fill)
      .saves({"mask"})
      .vjp([](Vjp& v) {
        const Tensor zero = zero_of(v.grad());
        const Tensor mask = as_mask(v.in(1));
        if (v.needs(0)) v.set(0, where(mask, zero, v.grad()));
        if (v.needs(2)) v.set(2, where(mask, v.grad(), zero));
      })
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0), value = a.tensor(2);
        return {where(as_mask(a.tensor(1)),
                      value.dtype() == x.dtype() ? value : cast(value, x.dtype()), x)};
      });
}

}  // namespace paddle::ops
