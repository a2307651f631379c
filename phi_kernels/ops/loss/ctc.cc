// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Connectionist temporal classification (Graves et al. 2006) on logits [steps, batch, classes]. A
// label of length n is extended by blanks to 2 n + 1 states; alpha and beta are the log
// probabilities of reaching a state and of finishing from it.
#include "phi_kernels/ops/activation.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/elementwise/rules.h"
#include "phi_kernels/ops/linalg.h"
#include "phi_kernels/ops/loss.h"

namespace paddle::ops {
namespace {

constexpr double kNever = -1e30;  // log probability of what cannot happen, finite for gradients

void check_inputs(Infer& c) {
  c.require_floating(0);
  c.require_rank(0, 3);
  c.require_rank(1, 2);
  c.require_integer(1);
  const Shape &x = c.shape(0), &y = c.shape(1);
  PADDLE_CHECK_VALUE(decide_eq(x[1], y[0], true), c.op_name(), ": logits has shape ", x,
                     " and label has shape ", y,
                     "; they must be [steps, batch, classes] and [batch, longest label].");
  for (int k = 2; k < 4; ++k) {
    if (!c.has(k)) continue;
    c.require_integer(k);
    PADDLE_CHECK_VALUE(c.rank(k) == 1 && decide_eq(c.shape(k)[0], x[1], true), c.op_name(), ": ",
                       c.arg_name(k), " has shape ", c.shape(k), "; it must be [batch], [", x[1],
                       "].");
  }
}

// arguments: logits, label, logits_length, labels_length, blank, norm_by_times
void infer_forward(Infer& c) {
  check_inputs(c);
  const Shape& x = c.shape(0);
  PADDLE_CHECK_VALUE(c.i(4) >= 0 && decide_lt(Dim(c.i(4)), x[2], true), "warpctc: blank is ",
                     c.i(4), "; it must be a class, in [0, ", x[2], ").");
  c.out(0, Shape{x[1], 1}, c.dtype(0));
  c.out(1, x, c.dtype(0));
}

// arguments: logits, label, logits_length, labels_length, warpctcgrad, loss_grad, blank,
// norm_by_times
void infer_backward(Infer& c) {
  check_inputs(c);
  c.require_like(0, 4);
  c.require_same_dtype(0, 5);
  c.require_elements(5, c.shape(0)[1]);
  c.out(0, c.shape(0), c.dtype(0));
}

// log(exp(a) + exp(b) + exp(c))
Tensor log_sum(const Tensor& a, const Tensor& b, const Tensor& c) {
  const Tensor top = maximum(maximum(a, b), c);
  return top + log(exp(a - top) + exp(b - top) + exp(c - top));
}

struct Lattice {
  int64_t steps, states;
  DType wide;
  Tensor classes;       // [batch, states]: the class of each state
  Tensor may_skip;      // [batch, states]: reached from two states before
  Tensor log_p;         // [steps, batch, classes]
  TensorList emits;     // per step [batch, states]
  Tensor length, last;  // [batch, 1]: steps and last state
  Tensor position;      // [1, states]

  // x moved by n states, with kNever coming in; n > 0 to later states.
  Tensor moved(const Tensor& x, int64_t n) const {
    const int64_t size = n < 0 ? -n : n;
    const Tensor filler =
        full(Shape{x.shape()[0], std::min(size, states)}, Scalar(kNever), wide, x.place());
    if (size >= states) return filler;
    if (n > 0) return concat({filler, part(x, 0, states - n)}, Scalar(int64_t{1}));
    return concat({part(x, size, states), filler}, Scalar(int64_t{1}));
  }
  Tensor part(const Tensor& x, int64_t begin, int64_t end) const {
    return slice(x, Shape{1}, Shape{begin}, Shape{end}, Shape(), Shape());
  }
  Tensor or_never(const Tensor& condition, const Tensor& x) const {
    return where(condition, x, scalar_like(x, Scalar(kNever)));
  }
  // Without a step the empty label alone is there already: in its only state.
  Tensor before_any_step() const {
    const Tensor all = full(Shape{length.shape()[0], states}, Scalar(0.0), wide, log_p.place());
    return or_never(equal(position, zero_of(position)), all);
  }
  // Whether step t belongs to each sample, [batch, 1].
  Tensor alive(int64_t t) const { return greater_than(length, scalar_like(length, Scalar(t))); }
};

Tensor columns(const Tensor& x) { return reshape(cast(x, DType::kInt64), Shape{-1, 1}); }

Lattice lattice(const Tensor& logits, const Tensor& label, const Tensor& logits_length,
                const Tensor& labels_length, int64_t blank) {
  Lattice l;
  const int64_t longest = label.shape()[1].value();
  const Dim batch = logits.shape()[1];
  l.steps = logits.shape()[0].value();
  l.states = 2 * longest + 1;
  l.wide = logits.dtype() == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  const auto whole = [&](int64_t n) {
    return full(Shape{batch, 1}, Scalar(n), DType::kInt64, logits.place());
  };
  l.length = logits_length.defined() ? columns(logits_length) : whole(l.steps);
  l.last = (labels_length.defined() ? columns(labels_length) : whole(longest)) * Scalar(int64_t{2});
  const Tensor y = cast(label, DType::kInt64);
  const Tensor blanks = full(Shape{batch, longest}, Scalar(blank), DType::kInt64, logits.place());
  const Tensor pairs = reshape(stack({blanks, y}, 2), Shape{batch, 2 * longest});
  l.classes = concat({pairs, whole(blank)}, Scalar(int64_t{1}));
  l.position = reshape(arange(Scalar(int64_t{0}), Scalar(l.states), Scalar(int64_t{1}),
                              DType::kInt64, logits.place()),
                       Shape{1, l.states});
  const Tensor missing = full(Shape{batch, std::min<int64_t>(2, l.states)}, Scalar(blank),
                              DType::kInt64, logits.place());
  Tensor before = missing;
  if (l.states > 2)
    before = concat({missing, l.part(l.classes, 0, l.states - 2)}, Scalar(int64_t{1}));
  l.may_skip = logical_and(not_equal(l.classes, before),
                           not_equal(l.classes, scalar_like(l.classes, Scalar(blank))));
  l.log_p = log_softmax(as_dtype(logits, l.wide), -1);
  const Tensor real = less_equal(l.position, l.last);
  const Tensor safe = masked(real, l.classes);
  const TensorList rows = l.steps > 0 ? unbind(l.log_p, 0) : TensorList();
  for (const Tensor& row : rows) {
    const Tensor never = scalar_like(row, Scalar(kNever));  // a logit may be -inf
    l.emits.push_back(where(real, maximum(take_along_axis(row, safe, 1), never), never));
  }
  return l;
}

// alpha per step; behind the end of a sample the last one stands.
TensorList alphas(const Lattice& l) {
  TensorList out;
  const Tensor start = less_than(l.position, scalar_like(l.position, Scalar(int64_t{2})));
  const Tensor none = l.before_any_step();
  for (int64_t t = 0; t < l.steps; ++t) {
    const Tensor& emit = l.emits[static_cast<size_t>(t)];
    if (t == 0) {
      out.push_back(where(l.alive(0), l.or_never(start, emit), none));
      continue;
    }
    const Tensor& old = out.back();
    const Tensor skip = l.or_never(l.may_skip, l.moved(old, 2));
    out.push_back(where(l.alive(t), log_sum(old, l.moved(old, 1), skip) + emit, old));
  }
  return out;
}

Tensor final_states(const Lattice& l) {
  const Tensor one_before = l.last - Scalar(int64_t{1});
  return logical_or(equal(l.position, l.last), equal(l.position, one_before));
}

// Log probability of the label, [batch, 1].
Tensor log_total(const Lattice& l, const TensorList& alpha) {
  const Tensor last = alpha.empty() ? l.before_any_step() : alpha.back();
  return logsumexp(l.or_never(final_states(l), last), Shape{1}, true);
}

// True of NaN, which the loss of such logits is.
Tensor is_possible(const Tensor& total) {
  return logical_not(less_equal(total, scalar_like(total, Scalar(kNever / 2))));
}

// The gradient by the logits of a step is softmax - sum over states of exp(alpha + beta - total).
Tensor gradient(const Lattice& l, const Tensor& x, const Tensor& loss_grad, bool norm_by_times) {
  if (l.steps == 0) return full_like(x, Scalar(0.0), x.dtype(), x.place());
  const TensorList alpha = alphas(l);
  const Tensor total = log_total(l, alpha), possible = is_possible(total);
  const Tensor ends =
      masked(logical_not(final_states(l)), full(Shape(), Scalar(kNever), l.wide, x.place()));
  Tensor factor = reshape(as_dtype(loss_grad, l.wide), Shape{-1, 1});
  if (norm_by_times) factor = factor / cast(l.length, l.wide);
  const Tensor hot = cast(one_hot(l.classes, Scalar(x.shape()[2].value())), l.wide);
  const TensorList rows = unbind(l.log_p, 0);
  TensorList grads(static_cast<size_t>(l.steps));
  Tensor beta = ends;
  for (int64_t t = l.steps; t-- > 0;) {
    const auto k = static_cast<size_t>(t);
    if (t + 1 < l.steps) {
      const Tensor next = beta + l.emits[k + 1];
      const Tensor skip = l.moved(l.or_never(l.may_skip, next), -2);
      beta = where(l.alive(t + 1), log_sum(next, l.moved(next, -1), skip), ends);
    }
    const Tensor share = exp(minimum(alpha[k] + beta - total, zero_of(total)));
    const Tensor by_class = squeeze(matmul(unsqueeze(share, Shape{1}), hot), Shape{1});
    const Tensor counts = logical_and(l.alive(t), possible);
    grads[k] = masked(counts, (exp(rows[k]) - by_class) * factor);
  }
  return as_dtype(stack(grads, 0), x.dtype());
}

TensorList decompose_forward(Args& a) {
  const Tensor x = a.tensor(0);
  const Lattice l = lattice(x, a.tensor(1), a.tensor(2), a.tensor(3), a.i(4));
  const Tensor total = log_total(l, alphas(l));
  const Tensor loss = as_dtype(masked(is_possible(total), -total), x.dtype());
  const Tensor one = full_like(loss, Scalar(1.0), loss.dtype(), loss.place());
  return {loss, gradient(l, x, one, a.b(5))};
}

TensorList decompose_backward(Args& a) {
  const Tensor x = a.tensor(0);
  const Lattice l = lattice(x, a.tensor(1), a.tensor(2), a.tensor(3), a.i(6));
  return {gradient(l, x, a.tensor(5), a.b(7))};
}

void vjp_forward(Vjp& v) {
  if (!v.has_grad(0) || !v.needs(0)) return;
  v.set(0, warpctc_grad(v.in(0), v.in(1), v.in(2), v.in(3), v.out(1), v.grad(0), v.i(4), v.b(5)));
}

constexpr const char* kExample =
    "x, y = paddle.zeros([4, 1, 3]), paddle.to_tensor([[1, 2]])\n"
    "paddle._C_ops.warpctc(x, y, None, None, 0, False)";

}  // namespace

void register_ctc(Registry& r) {
  r.op("warpctc")
      .schema(
          "warpctc(Tensor logits, Tensor label, Tensor? logits_length, Tensor? labels_length, int "
          "blank=0, bool norm_by_times=false) -> (Tensor loss, Tensor warpctcgrad)")
      .doc(
          "Minus the log probability of each label [batch, longest] under softmax(logits), summed "
          "over all alignments (Graves et al. 2006). A label that does not fit into its steps "
          "gives 0. norm_by_times divides the gradient by the number of steps. warpctcgrad is the "
          "gradient by the logits.",
          kExample)
      .amp_class(AmpClass::kHigh)
      .infer(infer_forward)
      .no_grad_result("warpctcgrad")
      .saves({"logits", "label", "logits_length", "labels_length", "warpctcgrad"})
      .vjp(vjp_forward)
      .decompose(decompose_forward);

  r.op("warpctc_grad")
      .schema(
          "warpctc_grad(Tensor logits, Tensor label, Tensor? logits_length, Tensor? labels_length, "
          "Tensor warpctcgrad, Tensor loss_grad, int blank=0, bool norm_by_times=false) -> (Tensor "
          "logits_grad)")
      .doc("Gradient of warpctc by the logits.",
           "x, y = paddle.zeros([4, 1, 3]), paddle.to_tensor([[1, 2]])\n"
           "loss, kept = paddle._core.ops.warpctc(x, y, None, None, 0, False)\n"
           "paddle._core.ops.warpctc_grad(x, y, None, None, kept, loss, 0, False)")
      .amp_class(AmpClass::kHigh)
      .infer(infer_backward)
      .decompose(decompose_backward);
}

}  // namespace paddle::ops
