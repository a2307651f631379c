// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// gumbel_softmax: samples of a softmax.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/activation.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/creation/counted.h"
#include "phi_kernels/ops/random.h"

namespace paddle::ops {
namespace {

void infer_gumbel(Infer& c) {
  c.require_floating(0);
  PADDLE_CHECK_VALUE(c.f(1) > 0, "gumbel_softmax: temperature has value ", c.f(1),
                     "; it must be greater than 0.");
  c.axis(3, c.rank(0));
  c.out(0, c.shape(0), c.dtype(0));
}

// The value of `hard` with the gradient of `soft`.
Tensor straight_through(const Tensor& hard, const Tensor& soft) {
  return hard + (soft - soft.detach());
}

TensorList decompose_gumbel(Args& a) {
  const Tensor x = a.tensor(0);
  // -log(-log(u)), u in (0, 1)
  const Tensor u = uniform(x.shape(), x.dtype(), Scalar(1e-20), Scalar(1.0), 0, x.place());
  const Tensor noise = -log(-log(maximum(u, constant_like(u, 1e-7))) + Scalar(1e-20));
  const Tensor y = softmax(times(x + noise, 1 / a.f(1)), a.i(3));
  if (!a.b(2)) return {y};
  const int64_t axis = a.i(3) < 0 ? a.i(3) + x.ndim() : a.i(3);
  const Tensor top = unsqueeze(argmax(y, Scalar(axis), false, false, DType::kInt64), Shape{axis});
  Shape positions(static_cast<size_t>(x.ndim()), Dim(1));
  positions[static_cast<size_t>(axis)] = x.shape()[static_cast<size_t>(axis)];
  const Tensor classes =
      reshape(counted(positions[static_cast<size_t>(axis)], x.place()), positions);
  return {straight_through(cast(equal(top, classes), y.dtype()), y)};
}

}  // namespace

void register_gumbel_softmax(Registry& r) {
  r.op("gumbel_softmax")
      .schema(
          "gumbel_softmax(Tensor x, float temperature=1.0, bool hard=false, int axis=-1) -> "
          "(Tensor out)")
      .alias("logits", "x")
      .alias("tau", "temperature")
      .doc(
          "Samples softmax((x + noise) / temperature) with Gumbel noise (Jang et al. 2017); hard "
          "gives one-hot values with the gradient of the soft ones.",
          "paddle.nn.functional.gumbel_softmax(paddle.ones([2, 3]))")
      .python(
          "paddle.nn.functional.gumbel_softmax(x, temperature=1.0, hard=False, axis=-1, name=None)")
      .infer(infer_gumbel)
      .decompose(decompose_gumbel);
}

}  // namespace paddle::ops
