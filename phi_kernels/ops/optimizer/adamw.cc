// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// adam_ and adamw_: parameter updates in place (Kingma and Ba 2015; Loshchilov and Hutter 2019).
#include "paddle_core/op/args.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/type/rounding.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/optimizer.h"
#include "phi_kernels/ops/optimizer/rules.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

// Tensor arguments: param, grad, learning_rate, moment1, moment2, moment2_max, beta1_pow,
// beta2_pow, master_param, skip_update.
void infer_adam(Infer& c) {
  c.require_floating(0);
  require_gradient(c, 1);
  require_scalars_and_master(c);
  const DType wide = c.dtype(0) == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  for (const int k : {1, 3, 4, 5, 8}) {
    if (!c.has(k)) continue;
    require_like_param(c, k);
    PADDLE_CHECK_TYPE(k == 1 || c.dtype(k) == wide, c.op_name(), ": ", c.arg_name(k), " has dtype ",
                      c.dtype(k), " and param has dtype ", c.dtype(0), "; it must be ", wide, ".");
  }
  for (const int k : {2, 6, 7, 9}) {
    if (c.has(k)) c.require_elements(k, 1);
  }
  c.out(0, c.shape(0), c.dtype(0));
  c.out(1, c.shape(3), c.dtype(3));
  c.out(2, c.shape(4), c.dtype(4));
  if (c.has(5)) c.out(3, c.shape(5), c.dtype(5));
  c.out(4, c.shape(6), c.dtype(6));
  c.out(5, c.shape(7), c.dtype(7));
  if (c.has(8)) c.out(6, c.shape(8), c.dtype(8));
}

struct Options {
  double beta1, beta2, epsilon, decay, rate_factor;
  bool global_pow, amsgrad, lazy;
};

// Where a step leaves param and moments alone: all of it at skip_update, and with lazy_mode the
// rows without gradient. Undefined where it never does.
Tensor untouched(Args& a, bool lazy) {
  const Tensor skip = a.has(9) ? a.tensor(9) : Tensor();
  const Tensor grad = a.tensor(1);
  if (!lazy || grad.ndim() == 0) return skip;
  const Tensor zero = equal(grad, constant_like(grad, 0));
  Shape axes;
  for (int64_t k = 1; k < grad.ndim(); ++k) axes.push_back(k);
  const Tensor rows = axes.empty() ? zero : all(zero, axes, true);
  return skip.defined() ? logical_or(skip, rows) : rows;
}

TensorList decompose_step(Args& a, Options o) {
  o.beta1 = as_held(o.beta1, a.tensor(6).dtype());
  o.beta2 = as_held(o.beta2, a.tensor(7).dtype());
  const Tensor param = a.tensor(0);
  const DType wide = a.tensor(3).dtype();
  const Tensor p = a.has(8) ? a.tensor(8) : as_dtype(param, wide), g = as_dtype(a.tensor(1), wide);
  const Tensor rate = times(as_dtype(a.tensor(2), wide), o.rate_factor);
  const Tensor pow1 = as_dtype(a.tensor(6), wide), pow2 = as_dtype(a.tensor(7), wide);
  Tensor m1 = times(a.tensor(3), o.beta1) + times(g, 1 - o.beta1);
  Tensor m2 = times(a.tensor(4), o.beta2) + times(g * g, 1 - o.beta2);
  Tensor top = a.tensor(5), used = m2;
  if (o.amsgrad && top.defined()) used = top = maximum(top, m2);
  const Tensor one = constant_like(pow1, 1);
  const Tensor denominator = sqrt(used / (one - pow2)) + Scalar(o.epsilon);
  Tensor next = p - times(rate * p, o.decay) - rate / (one - pow1) * m1 / denominator;
  Tensor next1 = a.tensor(6), next2 = a.tensor(7);
  if (!o.global_pow) {
    next1 = times(next1, o.beta1);
    next2 = times(next2, o.beta2);
  }
  if (const Tensor still = untouched(a, o.lazy); still.defined()) {
    next = where(still, p, next);
    m1 = where(still, a.tensor(3), m1);
    m2 = where(still, a.tensor(4), m2);
    if (top.defined()) top = where(still, a.tensor(5), top);
  }
  if (a.has(9)) {  // skip_update
    next1 = where(a.tensor(9), a.tensor(6), next1);
    next2 = where(a.tensor(9), a.tensor(7), next2);
  }
  return {as_dtype(next, param.dtype()), m1, m2, top, next1, next2, a.has(8) ? next : Tensor()};
}

TensorList decompose_adam(Args& a) {
  return decompose_step(a, {a.scalar(10).to_double(), a.scalar(11).to_double(),
                            a.scalar(12).to_double(), 0, 1, a.b(16), a.b(17), a.b(13)});
}
TensorList decompose_adamw(Args& a) {
  return decompose_step(
      a, {a.scalar(10).to_double(), a.scalar(11).to_double(), a.scalar(12).to_double(),
          a.b(15) ? a.f(14) : 0.0, a.f(13), a.b(19), a.b(20), a.b(16)});
}

void finish(OpDef& op) {
  op.no_grad()
      .trait(kSideEffect)
      .infer(infer_adam)
      .kernel_dtype_of("param")
      .inplace({{"param", "param_out"},
                {"moment1", "moment1_out"},
                {"moment2", "moment2_out"},
                {"moment2_max", "moment2_max_out"},
                {"beta1_pow", "beta1_pow_out"},
                {"beta2_pow", "beta2_pow_out"},
                {"master_param", "master_param_out"}});
}

constexpr const char* kExample =
    "w = paddle.to_tensor([1.0], stop_gradient=False)\n"
    "opt = paddle.optimizer.AdamW(parameters=[w])\n"
    "(w * w).sum().backward()\n"
    "opt.step()";

}  // namespace

void register_adamw(Registry& r) {
  finish(
      r.op("adam_")
          .schema(
              "adam_(Tensor param, Tensor grad, Tensor learning_rate, Tensor moment1, Tensor "
              "moment2, Tensor? moment2_max, Tensor beta1_pow, Tensor beta2_pow, Tensor? "
              "master_param, Tensor? skip_update, Scalar beta1=0.9, Scalar beta2=0.999, Scalar "
              "epsilon=1.0e-8, bool lazy_mode=false, int64 min_row_size_to_use_multithread=1000, "
              "bool multi_precision=false, bool use_global_beta_pow=false, bool amsgrad=false) -> "
              "(Tensor param_out, Tensor moment1_out, Tensor moment2_out, Tensor? moment2_max_out, "
              "Tensor beta1_pow_out, Tensor beta2_pow_out, Tensor? master_param_out)")
          .spmd(sharding::update)
          .doc("One Adam step in place: moments of the gradient with bias correction. lazy_mode "
               "leaves rows without gradient as they are.",
               kExample)
          .decompose(decompose_adam));
  finish(
      r.op("adamw_")
          .schema(
              "adamw_(Tensor param, Tensor grad, Tensor learning_rate, Tensor moment1, Tensor "
              "moment2, Tensor? moment2_max, Tensor beta1_pow, Tensor beta2_pow, Tensor? "
              "master_param, Tensor? skip_update, Scalar beta1=0.9, Scalar beta2=0.999, Scalar "
              "epsilon=1.0e-8, float lr_ratio=1.0, float coeff=0.01, bool with_decay=false, bool "
              "lazy_mode=false, int64 min_row_size_to_use_multithread=1000, bool "
              "multi_precision=false, bool use_global_beta_pow=false, bool amsgrad=false) -> "
              "(Tensor param_out, Tensor moment1_out, Tensor moment2_out, Tensor? moment2_max_out, "
              "Tensor beta1_pow_out, Tensor beta2_pow_out, Tensor? master_param_out)")
          .spmd(sharding::update)
          .doc("One Adam step with weight decay apart from the gradient, in place.", kExample)
          .decompose(decompose_adamw));
}

}  // namespace paddle::ops
