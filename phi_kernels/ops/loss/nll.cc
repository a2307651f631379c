// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// nll_loss: minus the log probability of the labelled class. Its gradient by the input is an
// operator of its own; that by the weights, which few programs train, is composed.
#include "paddle_core/op/saved_form.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/elementwise/rules.h"
#include "phi_kernels/ops/loss.h"

namespace paddle::ops {
namespace {

// The first three arguments are input, label and weight, for both operators.
void check_operands(Infer& c, std::string_view how) {
  c.require_floating(0);
  c.require_rank_at_least(0, 2);
  c.require_integer(1);
  const Shape &x = c.shape(0), &y = c.shape(1);
  bool fits = x.size() == y.size() + 1 && decide_eq(x[0], y[0], true);
  for (size_t i = 2; fits && i < x.size(); ++i) fits = decide_eq(x[i], y[i - 1], true);
  PADDLE_CHECK_VALUE(fits, c.op_name(), ": input has shape ", x, " and label has shape ", y,
                     "; label must have the shape of input without axis 1.");
  if (c.has(2)) {
    PADDLE_CHECK_VALUE(c.rank(2) == 1 && decide_eq(c.shape(2)[0], x[1], true), c.op_name(),
                       ": weight has shape ", c.shape(2), "; it must be [", x[1],
                       "], one number per class.");
    c.require_same_dtype(0, 2);
  }
  PADDLE_CHECK_VALUE(how == "mean" || how == "sum" || how == "none", c.op_name(),
                     ": reduction is \"", how, "\"; it must be \"mean\", \"sum\" or \"none\".");
}

// arguments: input, label, weight, ignore_index, reduction
void infer_nll(Infer& c) {
  const std::string_view how = c.text(4);
  check_operands(c, how);
  c.out(0, how == "none" ? c.shape(1) : Shape(), c.dtype(0));
  c.out(1, Shape(), c.dtype(0));
}

// arguments: input (its shape), label, weight, total_weight, out_grad, ignore_index, reduction
void infer_nll_grad(Infer& c) {
  const std::string_view how = c.text(6);
  check_operands(c, how);
  c.require_same_dtype(0, 3);
  c.require_same_dtype(0, 4);
  c.require_shape(3, Shape());
  c.require_shape(4, how == "none" ? c.shape(1) : Shape());
  c.out(0, c.shape(0), c.dtype(0));
}

// The class of every entry, and what it counts: its weight, or 1; 0 where it is ignored.
struct Classes {
  Tensor safe;    // labels, those that are ignored replaced by 0
  Tensor counts;  // bool
  Tensor factor;
};

Classes classes_of(const Tensor& label, const Tensor& weight, int64_t ignored, DType dtype) {
  const Tensor y = as_dtype(label, DType::kInt64);
  const Tensor counts = not_equal(y, scalar_like(y, Scalar(ignored)));
  Classes c{masked(counts, y), counts, cast(counts, dtype)};
  if (weight.defined()) {
    const Tensor rows = gather(weight, flatten(c.safe, 0, -1), Scalar(int64_t{0}));
    c.factor = masked(c.counts, reshape(rows, c.safe.shape()));
  }
  return c;
}

Tensor sum_all(const Tensor& x) { return sum(x, Shape(), DType::kUndefined, false); }

// The divisor of the mean: 1 where nothing counts.
Tensor divisor_of(const Tensor& total) {
  return total + cast(equal(total, scalar_like(total, Scalar(0))), total.dtype());
}

Tensor picked_of(const Tensor& x, const Classes& c) {
  return squeeze(take_along_axis(x, unsqueeze(c.safe, Shape{1}), 1), Shape{1});
}

TensorList decompose_nll(Args& a) {
  const Tensor x = a.tensor(0);
  const Classes c = classes_of(a.tensor(1), a.has(2) ? a.tensor(2) : Tensor(), a.i(3), x.dtype());
  const Tensor loss = masked(c.counts, -(picked_of(x, c) * c.factor));
  const Tensor total = sum_all(c.factor);
  if (a.text(4) == "none") return {loss, total};
  const Tensor all = sum_all(loss);
  if (a.text(4) == "sum") return {all, total};
  return {all / divisor_of(total), total};
}

// arguments: input (its shape), label, weight, total_weight, out_grad, ignore_index, reduction
TensorList decompose_nll_grad(Args& a) {
  const Tensor x = a.tensor(0);
  const Classes c = classes_of(a.tensor(1), a.has(2) ? a.tensor(2) : Tensor(), a.i(5), x.dtype());
  Tensor g = a.tensor(4);
  if (a.text(6) == "mean") g = g / divisor_of(a.tensor(3));
  const Tensor values = expand(unsqueeze(masked(c.counts, -(g * c.factor)), Shape{1}),
                               unsqueeze(c.safe, Shape{1}).shape());
  return {put_along_axis(zeros(x.shape(), g), unsqueeze(c.safe, Shape{1}), values, 1, "add", true)};
}

// The total depends on the weights: where their gradient is wanted it is made of them again.
void vjp_nll(Vjp& v) {
  if (!v.has_grad(0)) return;
  const Tensor x = v.in(0), label = v.in(1), weight = v.has(2) ? v.in(2) : Tensor(), g = v.grad(0);
  const bool by_weight = v.has(2) && v.needs(2);
  Tensor total = v.out(1);
  if (by_weight) {
    const Classes c = classes_of(label, weight, v.i(3), x.dtype());
    total = sum_all(c.factor);
    // d loss / d weight[k] is the sum of -x over the entries of class k; of a mean, also -loss.
    Tensor share = -picked_of(x, c);
    if (v.text(4) == "mean") share = (share - v.out(0)) / divisor_of(total);
    const Tensor each = flatten(masked(c.counts, g * share), 0, -1);
    v.set(2, index_add(zeros(weight.shape(), g), flatten(c.safe, 0, -1), each, 0));
  }
  if (v.needs(0)) v.set(0, nll_loss_grad(x, label, weight, total, g, v.i(3), v.text(4)));
}

// In files the scores have the shape [N, C] or [N, C, H, W].
void write_nll_loss(SavedForm& f) {
  const Shape scores = f.shape(f.operand(0)), out = f.shape(f.result(0));
  if (scores.size() == 2 || scores.size() == 4) return;
  Dim places(1);
  for (size_t k = 2; k < scores.size(); ++k) places = places * scores[k];
  f.set_operand(0, f.reshape(f.operand(0), {scores[0], scores[1], Dim(1), places}));
  const Shape flat{scores[0], Dim(1), places};
  f.set_operand(1, f.reshape(f.operand(1), flat));
  if (out.empty()) return;
  const FormValues made = f.make_all("nll_loss", f.operands(),
                                     {{f.dtype(f.result(0)), flat}, f.result(1)}, f.attributes());
  f.become({f.reshape(made[0], out), made[1]});
}

}  // namespace

void register_nll(Registry& r) {
  r.op("nll_loss")
      .schema(
          "nll_loss(Tensor input, Tensor label, Tensor? weight, int64 ignore_index=-100, str "
          "reduction=\"mean\") -> (Tensor out, Tensor total_weight)")
      .doc(
          "-weight[label] * input[label] for log probabilities input [N, C, ...]; labels equal to "
          "ignore_index give 0. The mean is weighted; total_weight is its divisor.",
          "paddle._C_ops.nll_loss(paddle.zeros([2, 3]), paddle.to_tensor([0, 2]), None)")
      .amp_class(AmpClass::kHigh)
      .infer(infer_nll)
      .saved_form(write_nll_loss)
      .no_grad_result("total_weight")
      .saves({"input", "label", "weight", "out", "total_weight"})
      .vjp(vjp_nll)
      .decompose(decompose_nll);

  r.op("nll_loss_grad")
      .schema(
          "nll_loss_grad(Tensor input, Tensor label, Tensor? weight, Tensor total_weight, Tensor "
          "out_grad, int64 ignore_index=-100, str reduction=\"mean\") -> (Tensor input_grad)")
      .doc("Gradient of nll_loss by its input, of which only the shape is read.",
           "paddle._C_ops.nll_loss_grad(paddle.zeros([2, 3]), paddle.to_tensor([0, 2]), None, "
           "paddle.to_tensor(2.0), paddle.to_tensor(1.0))")
      .amp_class(AmpClass::kHigh)
      .reads_shape_of({"input"})
      .infer(infer_nll_grad)
      .decompose(decompose_nll_grad);
}

}  // namespace paddle::ops
