// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// nll_loss: minus the log probability of the labelled class.
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/elementwise/rules.h"
#include "phi_kernels/ops/loss.h"

namespace paddle::ops {
namespace {

// arguments: input, label, weight, ignore_index, reduction
void infer_nll(Infer& c) {
  c.require_floating(0);
  c.require_rank_at_least(0, 2);
  c.require_integer(1);
  const Shape &x = c.shape(0), &y = c.shape(1);
  bool fits = x.size() == y.size() + 1 && decide_eq(x[0], y[0], true);
  for (size_t i = 2; fits && i < x.size(); ++i) fits = decide_eq(x[i], y[i - 1], true);
  PADDLE_CHECK_VALUE(fits, "nll_loss: input has shape ", x, " and label has shape ", y,
                     "; label must have the shape of input without axis 1.");
  if (c.has(2)) {
    PADDLE_CHECK_VALUE(c.rank(2) == 1 && decide_eq(c.shape(2)[0], x[1], true),
                       "nll_loss: weight has shape ", c.shape(2), "; it must be [", x[1],
                       "], one number per class.");
    c.require_same_dtype(0, 2);
  }
  const std::string_view how = c.text(4);
  PADDLE_CHECK_VALUE(how == "mean" || how == "sum" || how == "none", "nll_loss: reduction is \"",
                     how, "\"; it must be \"mean\", \"sum\" or \"none\".");
  c.out(0, how == "none" ? y : Shape(), c.dtype(0));
  c.out(1, Shape(), c.dtype(0));
}

TensorList decompose_nll(Args& a) {
  const Tensor x = a.tensor(0), y = cast(a.tensor(1), DType::kInt64);
  const Tensor counts = not_equal(y, scalar_like(y, Scalar(a.i(3))));
  const Tensor safe = masked(counts, y);
  const Tensor picked = squeeze(take_along_axis(x, unsqueeze(safe, Shape{1}), 1), Shape{1});
  Tensor factor = cast(counts, x.dtype());
  if (a.has(2)) {
    const Tensor rows = gather(a.tensor(2), flatten(safe, 0, -1), Scalar(int64_t{0}));
    factor = factor * reshape(rows, safe.shape());
  }
  const Tensor loss = masked(counts, -(picked * factor));
  const Tensor total = sum(factor, Shape(), DType::kUndefined, false);
  if (a.text(4) == "none") return {loss, total};
  const Tensor all = sum(loss, Shape(), DType::kUndefined, false);
  if (a.text(4) == "sum") return {all, total};
  const Tensor none = cast(equal(total, scalar_like(total, Scalar(0))), total.dtype());
  return {all / (total + none), total};
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
      .no_grad_result("total_weight")
      .decompose(decompose_nll);
}

}  // namespace paddle::ops
