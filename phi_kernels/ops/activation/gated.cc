// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Activations of which one half of the input gates the other: swiglu, glu.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/activation.h"
#include "phi_kernels/ops/compose.h"

namespace paddle::ops {
namespace {

// ---- swiglu -----------------------------------------------------------------------------------

void infer_swiglu(Infer& c) {
  c.require_floating(0);
  if (c.has(1)) {
    bool same = c.rank(0) == c.rank(1);
    for (int64_t i = 0; same && i < c.rank(0); ++i) {
      same =
          decide_eq(c.shape(0)[static_cast<size_t>(i)], c.shape(1)[static_cast<size_t>(i)], true);
    }
    PADDLE_CHECK_VALUE(same, "swiglu: x has shape ", c.shape(0), " and y has shape ", c.shape(1),
                       "; they must be equal.");
    c.require_same_dtype(0, 1);
    return c.out(0, c.shape(0), c.dtype(0));
  }
  c.require_rank_at_least(0, 1);
  Shape shape = c.shape(0);
  PADDLE_CHECK_VALUE(decide_eq(mod(shape.back(), 2), 0, true), "swiglu: x has shape ", shape,
                     "; without y its last axis is halved and must be even.");
  shape[shape.size() - 1] = floordiv(shape.back(), 2);
  c.out(0, shape, c.dtype(0));
}

TensorList halves(const Tensor& x) { return split_with_num(x, 2, Scalar(int64_t{-1})); }

void vjp_swiglu(Vjp& v) {
  if (v.has(1) && v.needs(0) && v.needs(1)) {
    const auto grads = swiglu_grad(v.in(0), v.in(1), v.grad());
    v.set(0, grads[0]);
    v.set(1, grads[1]);
    return;
  }
  if (v.has(1)) {
    if (v.needs(0)) v.set(0, silu_grad(v.in(0), v.grad() * v.in(1)));
    if (v.needs(1)) v.set(1, v.grad() * silu(v.in(0)));
    return;
  }
  const TensorList x = halves(v.in(0));
  v.set(0, concat({silu_grad(x[0], v.grad() * x[1]), v.grad() * silu(x[0])}, Scalar(int64_t{-1})));
}

void infer_swiglu_grad(Infer& c) {
  c.require_floating(0);
  for (int i : {1, 2}) {
    c.require_same_dtype(0, i);
    PADDLE_CHECK_VALUE(c.shape(i) == c.shape(0), "swiglu_grad: x has shape ", c.shape(0), " and ",
                       c.arg_name(i), " has shape ", c.shape(i), "; they must be equal.");
  }
  c.out(0, c.shape(0), c.dtype(0));
  c.out(1, c.shape(0), c.dtype(0));
}

TensorList decompose_swiglu_grad(Args& a) {
  const Tensor x = a.tensor(0), g = a.tensor(2);
  return {silu_grad(x, g * a.tensor(1)), g * silu(x)};
}

TensorList decompose_swiglu(Args& a) {
  if (a.has(1)) return {silu(a.tensor(0)) * a.tensor(1)};
  const TensorList x = halves(a.tensor(0));
  return {silu(x[0]) * x[1]};
}

// ---- glu --------------------------------------------------------------------------------------

void infer_glu(Infer& c) {
  c.require_floating(0);
  c.require_rank_at_least(0, 1);
  Shape shape = c.shape(0);
  const size_t axis = static_cast<size_t>(c.axis(1, c.rank(0)));
  PADDLE_CHECK_VALUE(decide_eq(mod(shape[axis], 2), 0, true), "glu: x has shape ", shape, "; axis ",
                     c.i(1), " is halved and must be even.");
  shape[axis] = floordiv(shape[axis], 2);
  c.out(0, shape, c.dtype(0));
}

void vjp_glu(Vjp& v) {
  const Scalar axis(v.i(1));
  const TensorList x = split_with_num(v.in(0), 2, axis);
  const Tensor gate = sigmoid(x[1]);
  v.set(0, concat({v.grad() * gate, sigmoid_grad(gate, v.grad() * x[0])}, axis));
}

}  // namespace

void register_gated(Registry& r) {
  r.op("swiglu")
      .schema("swiglu(Tensor x, Tensor? y) -> (Tensor out)")
      .doc("silu(x) * y; without y, x is halved along its last axis.",
           "paddle.nn.functional.swiglu(paddle.ones([2, 4]))")
      .python("paddle.nn.functional.swiglu(x, y=None, name=None)")
      .python("paddle.incubate.nn.functional.swiglu(x, y=None, name=None)")
      .infer(infer_swiglu)
      .saves({"x", "y"})
      .vjp(vjp_swiglu)
      .decompose(decompose_swiglu);
  r.op("glu")
      .schema("glu(Tensor x, int axis=-1) -> (Tensor out)")
      .doc("The first half along an axis times the sigmoid of the second.",
           "paddle.nn.functional.glu(paddle.to_tensor([4.0, 0.0]))")
      .infer(infer_glu)
      .saves({"x"})
      .vjp(vjp_glu)
      .decompose([](Args& a) -> TensorList {
        // In float32, where gates of small numbers are not 0 yet.
        const DType dtype = a.tensor(0).dtype();
        const DType wide = size_of(dtype) < 4 ? DType::kFloat32 : dtype;
        const TensorList x = split_with_num(as_dtype(a.tensor(0), wide), 2, Scalar(a.i(1)));
        return {as_dtype(x[0] * sigmoid(x[1]), dtype)};
      });
  r.op("swiglu_grad")
      .schema("swiglu_grad(Tensor x, Tensor y, Tensor out_grad) -> (Tensor x_grad, Tensor y_grad)")
      .doc("Gradient of swiglu by x and y.",
           "paddle._C_ops.swiglu_grad(paddle.ones([2, 4]), paddle.ones([2, 4]), "
           "paddle.ones([2, 4]))")
      .infer(infer_swiglu_grad)
      .decompose(decompose_swiglu_grad);
}

}  // namespace paddle::ops
