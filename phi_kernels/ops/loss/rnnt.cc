// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Transducer loss (Graves 2012) on log probabilities [batch, steps, labels + 1, classes]. From node
// (t, u) an arc with the blank leads to (t + 1, u), one with label u to (t, u + 1); the last blank
// ends. alpha and beta are the log probabilities of reaching a node and of finishing from it.
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/elementwise/rules.h"
#include "phi_kernels/ops/loss.h"

namespace paddle::ops {
namespace {

constexpr double kNever = -1e30;

void check_inputs(Infer& c) {
  c.require_floating(0);
  c.require_rank(0, 4);
  c.require_rank(1, 2);
  const Shape &x = c.shape(0), &y = c.shape(1);
  PADDLE_CHECK_VALUE(decide_eq(x[0], y[0], true) && decide_eq(x[2], y[1] + 1, true), c.op_name(),
                     ": input has shape ", x, " and label has shape ", y,
                     "; they must be [batch, steps, labels + 1, classes] and [batch, labels].");
  for (int k = 1; k < 4; ++k) {
    PADDLE_CHECK_TYPE(c.dtype(k) == DType::kInt32 || c.dtype(k) == DType::kInt64, c.op_name(), ": ",
                      c.arg_name(k), " has dtype ", c.dtype(k),
                      "; it must be int32 or int64; cast it with astype('int32').");
    if (k == 1) continue;
    PADDLE_CHECK_VALUE(c.rank(k) == 1 && decide_eq(c.shape(k)[0], x[0], true), c.op_name(), ": ",
                       c.arg_name(k), " has shape ", c.shape(k), "; it must be [batch], [", x[0],
                       "].");
  }
}

// arguments: input, label, input_lengths, label_lengths, blank, fastemit_lambda
void infer_forward(Infer& c) {
  check_inputs(c);
  PADDLE_CHECK_VALUE(c.i(4) >= 0 && decide_lt(Dim(c.i(4)), c.shape(0)[3], true),
                     "warprnnt: blank has value ", c.i(4), "; it must be a class, in [0, ",
                     c.shape(0)[3], ").");
  c.out(0, Shape{c.shape(0)[0]}, c.dtype(0));
  c.out(1, c.shape(0), c.dtype(0));
}

// arguments: input, label, input_lengths, label_lengths, warprnntgrad, loss_grad, blank,
// fastemit_lambda
void infer_backward(Infer& c) {
  check_inputs(c);
  c.require_like(0, 4);
  c.require_same_dtype(0, 5);
  c.require_elements(5, c.shape(0)[0]);
  c.out(0, c.shape(0), c.dtype(0));
}

Tensor log_add(const Tensor& a, const Tensor& b) {
  const Tensor top = maximum(a, b);
  return top + log(exp(a - top) + exp(b - top));
}

// Every entry is [batch]; node (t, u) stands at t * columns + u.
struct Lattice {
  int64_t steps, columns;
  TensorList blank, emit;  // log probabilities of the arcs
  TensorList ends;         // true at the node whose blank ends the sample
  TensorList alpha, beta;
  Tensor total;

  size_t at(int64_t t, int64_t u) const { return static_cast<size_t>(t * columns + u); }
};

Tensor node(const Tensor& x, int64_t t, int64_t u) {
  return squeeze(slice(x, Shape{1, 2}, Shape{t, u}, Shape{t + 1, u + 1}, Shape(), Shape()),
                 Shape{1, 2});
}

Lattice lattice(const Tensor& x, const Tensor& label, const Tensor& lengths,
                const Tensor& label_lengths, int64_t blank) {
  Lattice l;
  l.steps = x.shape()[1].value();
  l.columns = x.shape()[2].value();
  const Tensor never = full(Shape{x.shape()[0]}, Scalar(kNever), x.dtype(), x.place());
  const Tensor y = cast(label, DType::kInt64);
  const Tensor t_end = cast(lengths, DType::kInt64), u_end = cast(label_lengths, DType::kInt64);
  const auto same = [](const Tensor& a, int64_t n) { return equal(a, scalar_like(a, Scalar(n))); };
  for (int64_t t = 0; t < l.steps; ++t) {
    for (int64_t u = 0; u < l.columns; ++u) {
      const Tensor row = node(x, t, u);
      l.blank.push_back(squeeze(
          slice(row, Shape{1}, Shape{blank}, Shape{blank + 1}, Shape(), Shape()), Shape{1}));
      if (u + 1 < l.columns) {
        const Tensor of = slice(y, Shape{1}, Shape{u}, Shape{u + 1}, Shape(), Shape());
        const Tensor real = greater_than(u_end, scalar_like(u_end, Scalar(u)));
        l.emit.push_back(where(
            real, squeeze(take_along_axis(row, masked(unsqueeze(real, Shape{1}), of), 1), Shape{1}),
            never));
      } else {
        l.emit.push_back(never);
      }
      l.ends.push_back(logical_and(same(t_end, t + 1), same(u_end, u)));
    }
  }
  const auto count = static_cast<size_t>(l.steps * l.columns);
  l.alpha.resize(count), l.beta.resize(count);
  for (int64_t t = 0; t < l.steps; ++t) {
    for (int64_t u = 0; u < l.columns; ++u) {
      const Tensor down = t > 0 ? l.alpha[l.at(t - 1, u)] + l.blank[l.at(t - 1, u)] : never;
      const Tensor right = u > 0 ? l.alpha[l.at(t, u - 1)] + l.emit[l.at(t, u - 1)] : never;
      l.alpha[l.at(t, u)] = t + u == 0 ? constant_like(never, 0.0) : log_add(down, right);
    }
  }
  for (int64_t t = l.steps; t-- > 0;) {
    for (int64_t u = l.columns; u-- > 0;) {
      const Tensor last = where(l.ends[l.at(t, u)], l.blank[l.at(t, u)], never);
      const Tensor down = t + 1 < l.steps ? l.beta[l.at(t + 1, u)] + l.blank[l.at(t, u)] : never;
      const Tensor right = u + 1 < l.columns ? l.beta[l.at(t, u + 1)] + l.emit[l.at(t, u)] : never;
      l.beta[l.at(t, u)] = log_add(last, log_add(down, right));
    }
  }
  l.total = l.beta[0];
  return l;
}

// Minus the probability that an alignment takes the arc.
Tensor gradient(const Lattice& l, const Tensor& x, const Tensor& label, const Tensor& g,
                int64_t blank, double fastemit_lambda) {
  const Scalar count(x.shape()[3].value());
  const Tensor y = cast(label, DType::kInt64);
  const Tensor blank_hot =
      cast(one_hot(full(Shape{1}, Scalar(blank), DType::kInt64, x.place()), count), x.dtype());
  TensorList grads;
  for (int64_t t = 0; t < l.steps; ++t) {
    for (int64_t u = 0; u < l.columns; ++u) {
      const size_t k = l.at(t, u);
      const Tensor reach = l.alpha[k] - l.total;
      const auto share = [&](const Tensor& finish) {
        return exp(minimum(reach + finish, zero_of(reach)));
      };
      Tensor taken = masked(l.ends[k], share(l.blank[k]));
      if (t + 1 < l.steps) taken = taken + share(l.blank[k] + l.beta[l.at(t + 1, u)]);
      Tensor row = unsqueeze(-(g * taken), Shape{1}) * blank_hot;
      if (u + 1 < l.columns) {
        const Tensor emitted =
            share(l.emit[k] + l.beta[l.at(t, u + 1)]) * Scalar(1 + fastemit_lambda);
        const Tensor of =
            squeeze(slice(y, Shape{1}, Shape{u}, Shape{u + 1}, Shape(), Shape()), Shape{1});
        const Tensor valid =
            logical_and(greater_equal(of, zero_of(of)), less_than(of, scalar_like(of, count)));
        row = row -
              unsqueeze(g * emitted, Shape{1}) * cast(one_hot(masked(valid, of), count), x.dtype());
      }
      grads.push_back(row);
    }
  }
  if (grads.empty()) return full_like(x, Scalar(0.0), x.dtype(), x.place());
  return reshape(stack(grads, 1), x.shape());
}

TensorList decompose_forward(Args& a) {
  const Tensor x = a.tensor(0);
  const Lattice l = lattice(x, a.tensor(1), a.tensor(2), a.tensor(3), a.i(4));
  const Tensor loss = -l.total;
  const Tensor one = full_like(loss, Scalar(1.0), loss.dtype(), loss.place());
  return {loss, gradient(l, x, a.tensor(1), one, a.i(4), a.f(5))};
}

TensorList decompose_backward(Args& a) {
  const Tensor x = a.tensor(0);
  const Lattice l = lattice(x, a.tensor(1), a.tensor(2), a.tensor(3), a.i(6));
  return {gradient(l, x, a.tensor(1), a.tensor(5), a.i(6), a.f(7))};
}

void vjp_forward(Vjp& v) {
  if (!v.has_grad(0) || !v.needs(0)) return;
  v.set(0, warprnnt_grad(v.in(0), v.in(1), v.in(2), v.in(3), v.out(1), v.grad(0), v.i(4), v.f(5)));
}

}  // namespace

void register_rnnt(Registry& r) {
  r.op("warprnnt")
      .schema(
          "warprnnt(Tensor input, Tensor label, Tensor input_lengths, Tensor label_lengths, int "
          "blank=0, float fastemit_lambda=0.0) -> (Tensor loss, Tensor warprnntgrad)")
      .doc(
          "Minus the log probability of each label, summed over all alignments of a transducer "
          "(Graves 2012). fastemit_lambda strengthens the gradient of labels (Yu et al. 2021). "
          "warprnntgrad is the gradient by the input.",
          "x, y, n = paddle.zeros([1, 2, 2, 3]), paddle.to_tensor([[1]]), paddle.to_tensor([1])\n"
          "paddle._C_ops.warprnnt(x, y, n + 1, n, 0, 0.0)")
      .amp_class(AmpClass::kHigh)
      .infer(infer_forward)
      .no_grad_result("warprnntgrad")
      .saves({"input", "label", "input_lengths", "label_lengths", "warprnntgrad"})
      .vjp(vjp_forward)
      .decompose(decompose_forward);

  r.op("warprnnt_grad")
      .schema(
          "warprnnt_grad(Tensor input, Tensor label, Tensor input_lengths, Tensor label_lengths, "
          "Tensor warprnntgrad, Tensor loss_grad, int blank=0, float fastemit_lambda=0.0) -> "
          "(Tensor input_grad)")
      .doc("Gradient of warprnnt by the input.",
           "x, y, n = paddle.zeros([1, 2, 2, 3]), paddle.to_tensor([[1]]), paddle.to_tensor([1])\n"
           "loss, kept = paddle._core.ops.warprnnt(x, y, n + 1, n, 0, 0.0)\n"
           "paddle._core.ops.warprnnt_grad(x, y, n + 1, n, kept, loss, 0, 0.0)")
      .amp_class(AmpClass::kHigh)
      .infer(infer_backward)
      .decompose(decompose_backward);
}

}  // namespace paddle::ops
