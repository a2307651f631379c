// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Losses that compare a prediction with a label element by element.
#include "paddle_core/op/saved_form.h"
#include "phi_kernels/ops/activation.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/elementwise/rules.h"
#include "phi_kernels/ops/loss.h"

namespace paddle::ops {
namespace {

void infer_pair(Infer& c) {
  c.require_floating(0);
  c.require_same_dtype(0, 1);
  bool same = c.rank(0) == c.rank(1);
  for (size_t i = 0; same && i < c.shape(0).size(); ++i) {
    same = decide_eq(c.shape(0)[i], c.shape(1)[i], true);
  }
  PADDLE_CHECK_VALUE(same, c.op_name(), ": ", c.arg_name(0), " has shape ", c.shape(0), " and ",
                     c.arg_name(1), " has shape ", c.shape(1),
                     "; they must be equal. Use reshape() or expand().");
  c.out(0, c.shape(0), c.dtype(0));
}

Tensor at_least(const Tensor& x, double low) { return maximum(x, scalar_like(x, Scalar(low))); }

// ---- bce_loss ---------------------------------------------------------------------------------

TensorList decompose_bce(Args& a) {
  const Tensor x = a.tensor(0), y = a.tensor(1);
  const Tensor hit = at_least(log(x), -100), miss = at_least(log(Scalar(1.0) - x), -100);
  return {(y - Scalar(1.0)) * miss - y * hit};
}

void vjp_bce(Vjp& v) {
  const Tensor x = v.in(0), y = v.in(1);
  if (v.needs(0)) v.set(0, v.grad() * (x - y) / at_least(x * (Scalar(1.0) - x), 1e-12));
  if (v.needs(1)) {
    v.set(1, v.grad() * (at_least(log(Scalar(1.0) - x), -100) - at_least(log(x), -100)));
  }
}

// ---- sigmoid_cross_entropy_with_logits --------------------------------------------------------

void infer_logits(Infer& c) {
  infer_pair(c);
  if (c.has(2)) c.require_same_dtype(0, 2);
}

TensorList decompose_logits(Args& a) {
  const Tensor x = a.tensor(0), y = a.tensor(1);
  Tensor loss = logistic_loss(x, y);
  if (a.has(2)) loss = loss + (a.tensor(2) - Scalar(1.0)) * softplus(-x, 1.0, 100.0);
  const Tensor ignored = scalar_like(y, Scalar(static_cast<double>(a.i(4))));
  const Tensor counts = not_equal(y, ignored);
  loss = masked(counts, loss);
  if (a.b(3)) {
    const Tensor total =
        at_least(sum(cast(counts, x.dtype()), Shape(), DType::kUndefined, false), 1e-5);
    loss = loss / total;
  }
  return {loss};
}

// ---- huber_loss -------------------------------------------------------------------------------

void infer_huber(Infer& c) {
  infer_pair(c);
  PADDLE_CHECK_VALUE(c.f(2) > 0, "huber_loss: delta has value ", c.f(2),
                     "; it must be greater than 0.");
  c.out(1, c.shape(0), c.dtype(0));
}

// With m = min(|r|, delta) the loss is m (|r| - m / 2) on both branches.
TensorList decompose_huber(Args& a) {
  const Tensor residual = a.tensor(1) - a.tensor(0), size = abs(residual);
  const Tensor m = minimum(size, scalar_like(size, Scalar(a.f(2))));
  return {m * (size - m * Scalar(0.5)), residual};
}

void vjp_huber(Vjp& v) {
  const Tensor r = v.out(1);
  Tensor slope;
  if (v.has_grad(0)) slope = v.grad(0) * clip(r, Scalar(-v.f(2)), Scalar(v.f(2)));
  if (v.has_grad(1)) slope = slope.defined() ? slope + v.grad(1) : v.grad(1);
  if (!slope.defined()) return;
  if (v.needs(0)) v.set(0, -slope);
  if (v.needs(1)) v.set(1, slope);
}

// ---- kldiv_loss -------------------------------------------------------------------------------

void infer_kldiv(Infer& c) {
  infer_pair(c);
  const std::string_view how = c.text(2);
  PADDLE_CHECK_VALUE(how == "mean" || how == "sum" || how == "batchmean" || how == "none",
                     "kldiv_loss: reduction is \"", how,
                     "\"; it must be \"mean\", \"sum\", \"batchmean\" or \"none\".");
  if (how != "none") c.out(0, Shape(), c.dtype(0));
}

TensorList decompose_kldiv(Args& a) {
  const Tensor x = a.tensor(0), y = a.tensor(1);
  Tensor loss;
  if (a.b(3)) {
    loss = exp(y) * (y - x);
  } else {
    const Tensor positive = greater_than(y, zero_of(y));
    const Tensor safe = where(positive, y, scalar_like(y, Scalar(1.0)));
    loss = masked(positive, y * (log(safe) - x));
  }
  const std::string_view how = a.text(2);
  if (how == "none") return {loss};
  if (how == "mean") return {mean(loss, Shape(), false)};
  if (how == "sum" || x.ndim() == 0) return {sum(loss, Shape(), DType::kUndefined, false)};
  Shape inner;
  for (int64_t axis = 1; axis < x.ndim(); ++axis) inner.push_back(axis);
  if (!inner.empty()) loss = sum(loss, inner, DType::kUndefined, false);
  return {mean(loss, Shape(), false)};
}

void register_entropies(Registry& r) {
  r.op("bce_loss")
      .schema("bce_loss(Tensor input, Tensor label) -> (Tensor out)")
      .doc(
          "Binary cross entropy of probabilities, elementwise: -(label log(input) + (1 - label) "
          "log(1 - input)); logarithms are at least -100.",
          "paddle._C_ops.bce_loss(paddle.to_tensor([0.25]), paddle.to_tensor([1.0]))")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_pair)
      .saves({"input", "label"})
      .vjp(vjp_bce)
      .decompose(decompose_bce);

  r.op("logistic_loss")
      .schema("logistic_loss(Tensor x, Tensor label) -> (Tensor out)")
      .doc("Binary cross entropy of logits, elementwise: max(x, 0) - x label + log(1 + exp(-|x|)).",
           "paddle._C_ops.logistic_loss(paddle.to_tensor([0.25]), paddle.to_tensor([1.0]))")
      .elementwise()
      .trait(kUnsaved)
      .amp_class(AmpClass::kHigh)
      .infer(infer_pair)
      .saves({"x", "label"})
      .vjp([](Vjp& v) {
        if (v.needs(0)) v.set(0, v.grad() * (sigmoid(v.in(0)) - v.in(1)));
        if (v.needs(1)) v.set(1, -(v.grad() * v.in(0)));
      })
      .rank(1)
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        return {maximum(x, zero_of(x)) - x * a.tensor(1) + log1p(exp(-abs(x)))};
      });

  r.op("sigmoid_cross_entropy_with_logits")
      .schema(
          "sigmoid_cross_entropy_with_logits(Tensor x, Tensor label, Tensor? pos_weight, bool "
          "normalize=false, int ignore_index=-100) -> (Tensor out)")
      .doc(
          "(1 - label) x + pos_weight log(1 + exp(-x)), elementwise, with pos_weight 1 where there "
          "is none; 0 where label is ignore_index. normalize divides by the number of other "
          "labels.",
          "paddle._C_ops.sigmoid_cross_entropy_with_logits(paddle.ones([2]), paddle.ones([2]), "
          "None)")
      .amp_class(AmpClass::kHigh)
      .infer(infer_logits)
      .saved_form([](SavedForm& f) {
        f.expand_operands({1, 2}, f.shape(f.operand(0)));
      })
      .decompose(decompose_logits);

  r.op("log_loss")
      .schema("log_loss(Tensor input, Tensor label, float epsilon) -> (Tensor out)")
      .doc("-(label log(input + epsilon) + (1 - label) log(1 - input + epsilon)), elementwise.",
           "paddle.nn.functional.log_loss(paddle.to_tensor([[0.25]]), paddle.to_tensor([[1.0]]))")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_pair)
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0), y = a.tensor(1);
        return {(y - Scalar(1.0)) * log(Scalar(1.0) - x + Scalar(a.f(2))) -
                y * log(x + Scalar(a.f(2)))};
      });
}

}  // namespace

void register_pairwise(Registry& r) {
  register_entropies(r);

  r.op("huber_loss")
      .schema(
          "huber_loss(Tensor input, Tensor label, float delta) -> (Tensor out, Tensor residual)")
      .doc(
          "r^2 / 2 where |r| <= delta, else delta (|r| - delta / 2), with r = label - input "
          "(Huber 1964).",
          "paddle._C_ops.huber_loss(paddle.to_tensor([0.25]), paddle.to_tensor([1.0]), 1.0)")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_huber)
      .saves({"residual"})
      .vjp(vjp_huber)
      .decompose(decompose_huber);

  r.op("kldiv_loss")
      .schema(
          "kldiv_loss(Tensor x, Tensor label, str reduction=\"mean\", bool log_target=false) -> "
          "(Tensor out)")
      .doc(
          "Kullback-Leibler divergence label (log(label) - x) of log probabilities x; with "
          "log_target, exp(label) (label - x).",
          "paddle._C_ops.kldiv_loss(paddle.ones([2, 2]), paddle.ones([2, 2]), 'mean', False)")
      .amp_class(AmpClass::kHigh)
      .infer(infer_kldiv)
      .decompose(decompose_kldiv);

  r.op("hinge_loss")
      .schema("hinge_loss(Tensor logits, Tensor labels) -> (Tensor loss)")
      .doc("max(0, 1 - (2 labels - 1) logits), elementwise, for labels 0 and 1.",
           "paddle._C_ops.hinge_loss(paddle.to_tensor([0.25]), paddle.to_tensor([1.0]))")
      .elementwise()
      .amp_class(AmpClass::kHigh)
      .infer(infer_pair)
      .decompose([](Args& a) -> TensorList {
        const Tensor sign = a.tensor(1) * Scalar(2.0) - Scalar(1.0);
        return {relu(Scalar(1.0) - sign * a.tensor(0))};
      });

  r.op("identity_loss")
      .schema("identity_loss(Tensor x, int reduction=1) -> (Tensor out)")
      .doc("x reduced: 0 is the sum, 1 the mean, 2 x itself.",
           "paddle._C_ops.identity_loss(paddle.ones([2]))")
      .infer([](Infer& c) {
        c.require_floating(0);
        PADDLE_CHECK_VALUE(c.i(1) >= 0 && c.i(1) <= 2, "identity_loss: reduction has value ",
                           c.i(1), "; it must be 0 (sum), 1 (mean) or 2 (none).");
        c.out(0, c.i(1) == 2 ? c.shape(0) : Shape(), c.dtype(0));
      })
      .decompose([](Args& a) -> TensorList {
        if (a.i(1) == 2) return {assign(a.tensor(0))};
        return {a.i(1) == 1 ? mean(a.tensor(0), Shape(), false)
                            : sum(a.tensor(0), Shape(), DType::kUndefined, false)};
      });
}

}  // namespace paddle::ops
