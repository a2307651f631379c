// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Parameter updates with state per element: adagrad_, adadelta_, rmsprop_, adamax_, lamb_, nadam_,
// radam_, asgd_, rprop_. Each computes in the dtype of its state and, where a master copy is given,
// updates that one.
#include <cmath>

#include "paddle_core/op/args.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/type/rounding.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/linalg.h"
#include "phi_kernels/ops/optimizer.h"
#include "phi_kernels/ops/optimizer/rules.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

// Every result is the next value of the argument that it replaces; arguments `Alike` have the
// parameter's shape.
template <int... Alike>
void infer_step(Infer& c) {
  c.require_floating(0);
  require_gradient(c, c.op().schema().arg_index("grad"));
  (require_like_param(c, Alike), ...);
  require_scalars_and_master(c);
  const auto& sources = c.op().inplace_arg;
  for (size_t k = 0; k < sources.size(); ++k) {
    const int from = sources[k];
    if (c.has(from)) c.out(static_cast<int>(k), c.shape(from), c.dtype(from));
  }
}

// arguments as of decompose_rmsprop
void infer_rmsprop(Infer& c) {
  infer_step<1, 2, 3>(c);
  PADDLE_CHECK_VALUE(c.has(5) || !c.b(10),
                     "rmsprop_: centered is True and mean_grad is None; pass the running mean of "
                     "the gradient.");
  if (c.has(5)) require_like_param(c, 5);
}

// arguments as of decompose_rprop
void infer_rprop(Infer& c) {
  infer_step<1, 2, 3>(c);
  for (const int pair : {5, 6}) {
    PADDLE_CHECK_VALUE(c.has(pair), c.op_name(), ": ", c.arg_name(pair),
                       " is None; it must be a Tensor of two values; pass one.");
    c.require_elements(pair, 2);
  }
}

// What an update reads of its arguments, in the dtype in which it computes.
struct Step {
  Step(Args& a, int grad, int rate, int master, DType wide)
      : args(a),
        wide(wide),
        has_master(a.has(master)),
        p(has_master ? a.tensor(master) : as_dtype(a.tensor(0), wide)),
        g(as_dtype(a.tensor(grad), wide)),
        rate(as_dtype(a.tensor(rate), wide)) {}

  Tensor param(const Tensor& next) const { return as_dtype(next, args.tensor(0).dtype()); }
  Tensor master(const Tensor& next) const { return has_master ? next : Tensor(); }

  Args& args;
  DType wide;
  bool has_master;
  Tensor p, g, rate;
};

// arguments: param, grad, moment, learning_rate, master_param, epsilon, multi_precision
TensorList decompose_adagrad(Args& a) {
  const Step s(a, 1, 3, 4, a.tensor(2).dtype());
  const Tensor moment = a.tensor(2) + s.g * s.g;
  const Tensor next = s.p - s.rate * s.g / (sqrt(moment) + Scalar(a.f(5)));
  return {s.param(next), moment, s.master(next)};
}

// arguments: param, grad, avg_squared_grad, avg_squared_update, learning_rate, master_param, rho,
// epsilon, multi_precision
TensorList decompose_adadelta(Args& a) {
  const Step s(a, 1, 4, 5, a.tensor(2).dtype());
  const double rho = a.f(6);
  const Scalar epsilon(a.f(7));
  const Tensor grads = times(a.tensor(2), rho) + times(s.g * s.g, 1 - rho);
  const Tensor update = sqrt((a.tensor(3) + epsilon) / (grads + epsilon)) * s.g;
  const Tensor updates = times(a.tensor(3), rho) + times(update * update, 1 - rho);
  const Tensor next = s.p - s.rate * update;
  return {s.param(next), grads, updates, s.master(next)};
}

// arguments: param, mean_square, grad, moment, learning_rate, mean_grad, master_param, epsilon,
// decay, momentum, centered, multi_precision
TensorList decompose_rmsprop(Args& a) {
  const Step s(a, 2, 4, 6, a.tensor(1).dtype());
  const double rho = a.f(8);
  const Tensor square = times(a.tensor(1), rho) + times(s.g * s.g, 1 - rho);
  Tensor mean = a.tensor(5), spread = square;
  if (a.b(10)) {
    mean = times(a.tensor(5), rho) + times(s.g, 1 - rho);
    spread = square - mean * mean;
  }
  const Tensor moment = times(a.tensor(3), a.f(9)) + s.rate * s.g * rsqrt(spread + Scalar(a.f(7)));
  const Tensor next = s.p - moment;
  return {s.param(next), moment, square, mean, s.master(next)};
}

// arguments: param, grad, learning_rate, moment, inf_norm, beta1_pow, master_param, beta1, beta2,
// epsilon, multi_precision
TensorList decompose_adamax(Args& a) {
  const Step s(a, 1, 2, 6, a.tensor(3).dtype());
  const double beta1 = a.f(7);
  const Tensor moment = times(a.tensor(3), beta1) + times(s.g, 1 - beta1);
  const Tensor norm = maximum(abs(s.g), times(a.tensor(4), a.f(8)) + Scalar(a.f(9)));
  const Tensor power = as_dtype(a.tensor(5), s.wide);
  const Tensor next = s.p - s.rate / (Scalar(1.0) - power) * moment / norm;
  return {s.param(next), moment, norm, s.master(next)};
}

// arguments: param, grad, learning_rate, moment1, moment2, beta1_pow, beta2_pow, master_param,
// skip_update, weight_decay, beta1, beta2, epsilon, always_adapt, multi_precision
TensorList decompose_lamb(Args& a) {
  const Step s(a, 1, 2, 7, a.tensor(3).dtype());
  const double decay = a.f(9);
  const double beta1 = as_held(a.f(10), a.tensor(5).dtype());
  const double beta2 = as_held(a.f(11), a.tensor(6).dtype());
  Tensor m1 = times(a.tensor(3), beta1) + times(s.g, 1 - beta1);
  Tensor m2 = times(a.tensor(4), beta2) + times(s.g * s.g, 1 - beta2);
  const Scalar one(1.0);
  const Tensor pow1 = as_dtype(a.tensor(5), s.wide), pow2 = as_dtype(a.tensor(6), s.wide);
  const Tensor step =
      m1 / (one - pow1) / (sqrt(m2 / (one - pow2)) + Scalar(a.f(12))) + times(s.p, decay);
  Tensor scaled = s.rate * step;
  if (decay != 0 || a.b(13)) {
    const Tensor length = sqrt(sum_axes(s.p * s.p, {}, false));
    const Tensor size = sqrt(sum_axes(step * step, {}, false));
    const Tensor ones = constant_like(length, 1), zeros = constant_like(length, 0);
    const Tensor both = logical_and(greater_than(length, zeros), greater_than(size, zeros));
    scaled = scaled * where(both, length / where(both, size, ones), ones);
  }
  Tensor next = s.p - scaled;
  Tensor next1 = times(a.tensor(5), beta1), next2 = times(a.tensor(6), beta2);
  if (a.has(8)) {
    const Tensor skip = a.tensor(8);
    next = where(skip, s.p, next);
    m1 = where(skip, a.tensor(3), m1);
    m2 = where(skip, a.tensor(4), m2);
    next1 = where(skip, a.tensor(5), next1);
    next2 = where(skip, a.tensor(6), next2);
  }
  return {s.param(next), m1, m2, next1, next2, s.master(next)};
}

// arguments: param, grad, learning_rate, momentum_decay_pow, beta2_pow, mu_product, moment1,
// moment2, master_param, beta1, beta2, epsilon, momentum_decay, multi_precision
TensorList decompose_nadam(Args& a) {
  const Step s(a, 1, 2, 8, a.tensor(6).dtype());
  const double beta1 = a.f(9), beta2 = a.f(10), decay = a.f(12);
  constexpr double kBase = 0.96;  // of the momentum schedule, Dozat 2016
  const Scalar one(1.0);
  const Tensor decay_pow = times(a.tensor(3), kBase), beta2_pow = times(a.tensor(4), beta2);
  const Tensor schedule = pow(decay_pow, Scalar(decay));
  const Tensor mu = times(one - times(schedule, 0.5), beta1);
  const Tensor mu_next = times(one - times(schedule, 0.5 * std::pow(kBase, decay)), beta1);
  const Tensor product = a.tensor(5) * mu, product_next = product * mu_next;
  const Tensor m1 = times(a.tensor(6), beta1) + times(s.g, 1 - beta1);
  const Tensor m2 = times(a.tensor(7), beta2) + times(s.g * s.g, 1 - beta2);
  const auto wide = [&](const Tensor& t) { return as_dtype(t, s.wide); };
  const Tensor mean =
      wide(mu_next / (one - product_next)) * m1 + wide((one - mu) / (one - product)) * s.g;
  const Tensor next = s.p - s.rate * mean / (sqrt(m2 / wide(one - beta2_pow)) + Scalar(a.f(11)));
  return {s.param(next), decay_pow, beta2_pow, product, m1, m2, s.master(next)};
}

// arguments: param, grad, learning_rate, beta1_pow, beta2_pow, rho, moment1, moment2, master_param,
// beta1, beta2, epsilon, multi_precision. `rho` is t beta2^t / (1 - beta2^t) at step t.
TensorList decompose_radam(Args& a) {
  const Step s(a, 1, 2, 8, a.tensor(6).dtype());
  const double beta1 = a.f(9), beta2 = a.f(10), limit = 2 / (1 - beta2) - 1;
  const Scalar one(1.0);
  const Tensor pow1 = times(a.tensor(3), beta1), pow2 = times(a.tensor(4), beta2);
  const Tensor rho = (a.tensor(5) * (Scalar(beta2) - pow2) + pow2) / (one - pow2);
  const Tensor m1 = times(a.tensor(6), beta1) + times(s.g, 1 - beta1);
  const Tensor m2 = times(a.tensor(7), beta2) + times(s.g * s.g, 1 - beta2);
  const Tensor length = Scalar(limit) - times(rho, 2);
  const Tensor enough = greater_than(length, constant_like(length, 5));
  const Tensor safe = where(enough, length, constant_like(length, 6));
  const Tensor rectifier = sqrt((safe - Scalar(4.0)) * (safe - Scalar(2.0)) / safe *
                                Scalar(limit / ((limit - 4) * (limit - 2))));
  const auto wide = [&](const Tensor& t) { return as_dtype(t, s.wide); };
  const Tensor mean = m1 / wide(one - pow1);
  const Tensor adapted = wide(rectifier * sqrt(one - pow2)) / (sqrt(m2) + Scalar(a.f(11)));
  const Tensor next = s.p - s.rate * mean * where(enough, adapted, constant_like(adapted, 1));
  return {s.param(next), pow1, pow2, rho, m1, m2, s.master(next)};
}

// arguments: param, grad, learning_rate, d, y, n, master_param, multi_precision
TensorList decompose_asgd(Args& a) {
  const Step s(a, 1, 2, 6, a.tensor(3).dtype());
  const Tensor d = a.tensor(3) - a.tensor(4) + s.g;
  const Tensor next = s.p - s.rate / as_dtype(a.tensor(5), s.wide) * d;
  return {s.param(next), d, s.g, s.master(next)};
}

// arguments: param, grad, prev, learning_rate, master_param, learning_rate_range, etas,
// multi_precision
TensorList decompose_rprop(Args& a) {
  const Step s(a, 1, 3, 4, a.tensor(2).dtype());
  const auto entry = [&](int k, int64_t i) {
    return as_dtype(slice(a.tensor(k), {0}, {Dim(i)}, {Dim(i + 1)}, {}, {}), s.wide);
  };
  const Tensor agreement = s.g * a.tensor(2), zero = constant_like(agreement, 0);
  const Tensor same = greater_than(agreement, zero), opposite = less_than(agreement, zero);
  const Tensor faster = minimum(s.rate * entry(6, 1), entry(5, 1));
  const Tensor slower = maximum(s.rate * entry(6, 0), entry(5, 0));
  const Tensor rate = where(same, faster, where(opposite, slower, s.rate));
  const Tensor used = where(opposite, zero, s.g);
  // A rate is multiplied by no 0: it may be infinite.
  const Tensor still = where(less_than(used, zero), times(rate, -1), times(used, 0));
  const Tensor next = s.p - where(greater_than(used, zero), rate, still);
  return {s.param(next), used, rate, s.master(next)};
}

// Traits that all share, and which result replaces which argument.
void finish(OpDef& op, std::initializer_list<std::pair<const char*, const char*>> inplace) {
  op.no_grad().trait(kSideEffect).kernel_dtype_of("param").inplace(inplace);
}

constexpr const char* kState = "paddle.ones([2]), paddle.ones([2])";

std::string example(const char* name, const char* rest) {
  return str("paddle._C_ops.", name, "(", kState, ", ", rest, ")");
}

void register_running_squares(Registry& r) {
  finish(
      r.op("adagrad_")
          .schema(
              "adagrad_(Tensor param, Tensor grad, Tensor moment, Tensor learning_rate, Tensor? "
              "master_param, float epsilon=1.0e-6, bool multi_precision=false) -> (Tensor "
              "param_out, Tensor moment_out, Tensor? master_param_out)")
          .spmd(sharding::update)
          .doc("moment += grad^2; param -= learning_rate grad / (sqrt(moment) + epsilon), in place "
               "(Duchi et al. 2011).",
               example("adagrad_", "paddle.zeros([2]), paddle.to_tensor([0.1]), None"))
          .infer(infer_step<1, 2>)
          .decompose(decompose_adagrad),
      {{"param", "param_out"}, {"moment", "moment_out"}, {"master_param", "master_param_out"}});

  finish(
      r.op("adadelta_")
          .schema("adadelta_(Tensor param, Tensor grad, Tensor avg_squared_grad, Tensor "
                  "avg_squared_update, Tensor learning_rate, Tensor? master_param, float rho=0.95, "
                  "float epsilon=1.0e-6, bool multi_precision=false) -> (Tensor param_out, Tensor "
                  "moment_out, Tensor inf_norm_out, Tensor? master_param_out)")
          .spmd(sharding::update)
          .doc("Steps by the ratio of the running root mean squares of updates and gradients, in "
               "place (Zeiler 2012).",
               example("adadelta_",
                       "paddle.zeros([2]), paddle.zeros([2]), paddle.to_tensor([0.1]), None"))
          .infer(infer_step<1, 2, 3>)
          .decompose(decompose_adadelta),
      {{"param", "param_out"},
       {"avg_squared_grad", "moment_out"},
       {"avg_squared_update", "inf_norm_out"},
       {"master_param", "master_param_out"}});

  finish(
      r.op("rmsprop_")
          .schema("rmsprop_(Tensor param, Tensor mean_square, Tensor grad, Tensor moment, Tensor "
                  "learning_rate, Tensor? mean_grad, Tensor? master_param, float epsilon=1.0e-10, "
                  "float decay=0.9, float momentum=0.0, bool centered=false, bool "
                  "multi_precision=false) -> (Tensor param_out, Tensor moment_out, Tensor "
                  "mean_square_out, Tensor? mean_grad_out, Tensor? master_param_out)")
          .spmd(sharding::update)
          .doc("Steps by the root of a running mean of squares, in place (Tieleman and Hinton "
               "2012).",
               example("rmsprop_",
                       "paddle.ones([2]), paddle.zeros([2]), paddle.to_tensor([0.1]), None, None"))
          .infer(infer_rmsprop)
          .decompose(decompose_rmsprop),
      {{"param", "param_out"},
       {"moment", "moment_out"},
       {"mean_square", "mean_square_out"},
       {"mean_grad", "mean_grad_out"},
       {"master_param", "master_param_out"}});
}

void register_adamax_and_lamb(Registry& r) {
  finish(
      r.op("adamax_")
          .schema("adamax_(Tensor param, Tensor grad, Tensor learning_rate, Tensor moment, Tensor "
                  "inf_norm, Tensor beta1_pow, Tensor? master_param, float beta1=0.9, float "
                  "beta2=0.999, float epsilon=1.0e-8, bool multi_precision=false) -> (Tensor "
                  "param_out, Tensor moment_out, Tensor inf_norm_out, Tensor? master_param_out)")
          .spmd(sharding::update)
          .doc("Adam with the infinity norm, in place (Kingma and Ba 2015).",
               example("adamax_",
                       "paddle.to_tensor([0.1]), paddle.zeros([2]), paddle.zeros([2]), "
                       "paddle.to_tensor([0.9]), None"))
          .infer(infer_step<1, 3, 4>)
          .decompose(decompose_adamax),
      {{"param", "param_out"},
       {"moment", "moment_out"},
       {"inf_norm", "inf_norm_out"},
       {"master_param", "master_param_out"}});

  finish(
      r.op("lamb_")
          .schema("lamb_(Tensor param, Tensor grad, Tensor learning_rate, Tensor moment1, Tensor "
                  "moment2, Tensor beta1_pow, Tensor beta2_pow, Tensor? master_param, Tensor? "
                  "skip_update, float weight_decay, float beta1=0.9, float beta2=0.999, float "
                  "epsilon=1.0e-6, bool always_adapt=false, bool multi_precision=false) -> (Tensor "
                  "param_out, Tensor moment1_out, Tensor moment2_out, Tensor beta1_pow_out, Tensor "
                  "beta2_pow_out, Tensor? master_param_outs)")
          .doc("Adam's direction scaled to the parameter's norm, in place (You et al. 2020).",
               example("lamb_",
                       "paddle.to_tensor([0.1]), paddle.zeros([2]), paddle.zeros([2]), "
                       "paddle.to_tensor([0.9]), paddle.to_tensor([0.999]), None, None, 0.01"))
          .infer(infer_step<1, 3, 4>)
          .decompose(decompose_lamb),
      {{"param", "param_out"},
       {"moment1", "moment1_out"},
       {"moment2", "moment2_out"},
       {"beta1_pow", "beta1_pow_out"},
       {"beta2_pow", "beta2_pow_out"},
       {"master_param", "master_param_outs"}});
}

void register_nadam_and_radam(Registry& r) {
  finish(
      r.op("nadam_")
          .schema(
              "nadam_(Tensor param, Tensor grad, Tensor learning_rate, Tensor momentum_decay_pow, "
              "Tensor beta2_pow, Tensor mu_product, Tensor moment1, Tensor moment2, Tensor? "
              "master_param, float beta1=0.9, float beta2=0.999, float epsilon=1.0e-8, float "
              "momentum_decay=0.004, bool multi_precision=false) -> (Tensor param_out, Tensor "
              "momentum_decay_pow_out, Tensor beta2_pow_out, Tensor mu_product_out, Tensor "
              "moment1_out, Tensor moment2_out, Tensor? master_param_out)")
          .spmd(sharding::update)
          .doc("Adam with Nesterov momentum, in place (Dozat 2016).",
               example("nadam_",
                       "paddle.to_tensor([0.1]), paddle.ones([1]), paddle.ones([1]), "
                       "paddle.ones([1]), paddle.zeros([2]), paddle.zeros([2]), None"))
          .infer(infer_step<1, 6, 7>)
          .decompose(decompose_nadam),
      {{"param", "param_out"},
       {"momentum_decay_pow", "momentum_decay_pow_out"},
       {"beta2_pow", "beta2_pow_out"},
       {"mu_product", "mu_product_out"},
       {"moment1", "moment1_out"},
       {"moment2", "moment2_out"},
       {"master_param", "master_param_out"}});

  finish(
      r.op("radam_")
          .schema(
              "radam_(Tensor param, Tensor grad, Tensor learning_rate, Tensor beta1_pow, Tensor "
              "beta2_pow, Tensor rho, Tensor moment1, Tensor moment2, Tensor? master_param, float "
              "beta1=0.9, float beta2=0.999, float epsilon=1.0e-8, bool multi_precision=false) -> "
              "(Tensor param_out, Tensor beta1_pow_out, Tensor beta2_pow_out, Tensor rho_out, "
              "Tensor moment1_out, Tensor moment2_out, Tensor? master_param_out)")
          .spmd(sharding::update)
          .doc("Adam with a rectified variance, in place (Liu et al. 2020).",
               example("radam_",
                       "paddle.to_tensor([0.1]), paddle.ones([1]), paddle.ones([1]), "
                       "paddle.zeros([1]), paddle.zeros([2]), paddle.zeros([2]), None"))
          .infer(infer_step<1, 6, 7>)
          .decompose(decompose_radam),
      {{"param", "param_out"},
       {"beta1_pow", "beta1_pow_out"},
       {"beta2_pow", "beta2_pow_out"},
       {"rho", "rho_out"},
       {"moment1", "moment1_out"},
       {"moment2", "moment2_out"},
       {"master_param", "master_param_out"}});
}

void register_asgd_and_rprop(Registry& r) {
  finish(
      r.op("asgd_")
          .schema(
              "asgd_(Tensor param, Tensor grad, Tensor learning_rate, Tensor d, Tensor y, Tensor "
              "n, Tensor? master_param, bool multi_precision=false) -> (Tensor param_out, Tensor "
              "d_out, Tensor y_out, Tensor? master_param_out)")
          .spmd(sharding::update)
          .doc("Steps by the mean of the latest gradients of n batches, of which d is the sum and "
               "y the one that is replaced, in place (Le Roux et al. 2012).",
               example("asgd_",
                       "paddle.to_tensor([0.1]), paddle.zeros([2]), paddle.zeros([2]), "
                       "paddle.ones([1]), None"))
          .infer(infer_step<1, 3, 4>)
          .decompose(decompose_asgd),
      {{"param", "param_out"},
       {"d", "d_out"},
       {"y", "y_out"},
       {"master_param", "master_param_out"}});

  finish(
      r.op("rprop_")
          .schema("rprop_(Tensor param, Tensor grad, Tensor prev, Tensor learning_rate, Tensor? "
                  "master_param, Tensor? learning_rate_range, Tensor? etas, bool "
                  "multi_precision=false) -> (Tensor param_out, Tensor prev_out, Tensor "
                  "learning_rate_out, Tensor? master_param_out)")
          .spmd(sharding::update)
          .doc("Steps by the sign of the gradient with a rate per element that grows while signs "
               "agree, in place (Riedmiller and Braun 1993).",
               example("rprop_",
                       "paddle.ones([2]), paddle.full([2], 0.1), None, paddle.to_tensor([1e-5, "
                       "50.0]), paddle.to_tensor([0.5, 1.2])"))
          .infer(infer_rprop)
          .decompose(decompose_rprop),
      {{"param", "param_out"},
       {"prev", "prev_out"},
       {"learning_rate", "learning_rate_out"},
       {"master_param", "master_param_out"}});
}

}  // namespace

void register_adaptive(Registry& r) {
  register_running_squares(r);
  register_adamax_and_lamb(r);
  register_nadam_and_radam(r);
  register_asgd_and_rprop(r);
}

}  // namespace paddle::ops
