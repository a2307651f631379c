// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// sgd_ and momentum_: parameter updates in place.
#include "paddle_core/op/args.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/optimizer.h"
#include "phi_kernels/ops/optimizer/rules.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

// arguments: param, learning_rate, grad, master_param
void infer_sgd(Infer& c) {
  c.require_floating(0);
  require_gradient(c, 2);
  require_scalars_and_master(c);
  require_like_param(c, 2);
  c.require_elements(1, 1);
  if (c.has(3)) require_like_param(c, 3);
  c.out(0, c.shape(0), c.dtype(0));
  if (c.has(3)) c.out(1, c.shape(3), c.dtype(3));
}

// arguments: param, grad, velocity, learning_rate, master_param, mu, use_nesterov,
// regularization_method, regularization_coeff, multi_precision, rescale_grad
void infer_momentum(Infer& c) {
  c.require_floating(0);
  require_gradient(c, 1);
  require_scalars_and_master(c);
  require_like_param(c, 1);
  require_like_param(c, 2);
  c.require_elements(3, 1);
  if (c.has(4)) require_like_param(c, 4);
  c.out(0, c.shape(0), c.dtype(0));
  c.out(1, c.shape(2), c.dtype(2));
  if (c.has(4)) c.out(2, c.shape(4), c.dtype(4));
}

TensorList decompose_sgd(Args& a) {
  const Tensor param = a.tensor(0), p = a.has(3) ? a.tensor(3) : param;
  const Tensor next = p - as_dtype(a.tensor(1), p.dtype()) * as_dtype(a.tensor(2), p.dtype());
  return {as_dtype(next, param.dtype()), a.has(3) ? next : Tensor()};
}

TensorList decompose_momentum(Args& a) {
  const Tensor param = a.tensor(0), velocity = a.tensor(2);
  const DType wide = velocity.dtype();
  const Tensor p = a.has(4) ? a.tensor(4) : as_dtype(param, wide),
               rate = as_dtype(a.tensor(3), wide);
  Tensor g = times(as_dtype(a.tensor(1), wide), a.f(10));
  if (a.text(7) == "l2_decay" && a.f(8) != 0) g = g + times(p, a.f(8));
  const Tensor v = times(velocity, a.f(5)) + g;
  const Tensor next = p - rate * (a.b(6) ? g + times(v, a.f(5)) : v);
  return {as_dtype(next, param.dtype()), v, a.has(4) ? next : Tensor()};
}

}  // namespace

void register_sgd(Registry& r) {
  r.op("sgd_")
      .schema(
          "sgd_(Tensor param, Tensor learning_rate, Tensor grad, Tensor? master_param, bool "
          "multi_precision=false) -> (Tensor param_out, Tensor? master_param_out)")
      .spmd(sharding::update)
      .doc("param -= learning_rate * grad, in place.",
           "paddle._C_ops.sgd_(paddle.ones([2]), paddle.to_tensor(0.1), paddle.ones([2]), None, "
           "False)")
      .no_grad()
      .trait(kSideEffect)
      .infer(infer_sgd)
      .kernel_dtype_of("param")
      .inplace({{"param", "param_out"}, {"master_param", "master_param_out"}})
      .decompose(decompose_sgd);

  r.op("momentum_")
      .schema(
          "momentum_(Tensor param, Tensor grad, Tensor velocity, Tensor learning_rate, Tensor? "
          "master_param, float mu, bool use_nesterov=false, str regularization_method=\"\", float "
          "regularization_coeff=0.0, bool multi_precision=false, float rescale_grad=1.0) -> "
          "(Tensor param_out, Tensor velocity_out, Tensor? master_param_out)")
      .spmd(sharding::update)
      .doc(
          "velocity = mu * velocity + grad; param -= learning_rate * velocity (with use_nesterov: "
          "grad + mu * velocity), in place.",
          "paddle._C_ops.momentum_(paddle.ones([2]), paddle.ones([2]), paddle.zeros([2]), "
          "paddle.to_tensor(0.1), None, 0.9)")
      .no_grad()
      .trait(kSideEffect)
      .infer(infer_momentum)
      .kernel_dtype_of("param")
      .inplace({{"param", "param_out"},
                {"velocity", "velocity_out"},
                {"master_param", "master_param_out"}})
      .decompose(decompose_momentum);
}

}  // namespace paddle::ops
