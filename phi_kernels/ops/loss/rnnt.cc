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

// Numbers by node, [batch, steps, columns]; nodes outside of a sample are reached by no arc.
struct Lattice {
  int64_t steps, columns;
  Tensor blank, emit;           // log probabilities of the arcs; emit: [batch, steps, columns - 1]
  Tensor label;                 // [batch, columns - 1], 0 behind the end
  Tensor goes_on, emits, ends;  // whether the arcs are there, and whether the blank ends the sample
  Tensor alpha, beta;
  Tensor total;  // [batch]
};

Tensor positions_along(int64_t axis, int64_t count, Place place) {
  Shape shape{1, 1, 1};
  shape[static_cast<size_t>(axis)] = count;
  return reshape(
      arange(Scalar(int64_t{0}), Scalar(count), Scalar(int64_t{1}), DType::kInt64, place), shape);
}

Tensor part(const Tensor& x, int64_t axis, int64_t begin, int64_t end) {
  return slice(x, Shape{axis}, Shape{begin}, Shape{end}, Shape(), Shape());
}

Tensor possible(const Tensor& condition, const Tensor& log_p) {
  const Tensor never = scalar_like(log_p, Scalar(kNever));
  return where(condition, maximum(log_p, never), never);  // a log probability may be -inf
}

// [batch, steps, columns] as tensors [batch] by step and column.
std::vector<TensorList> nodes_of(const Tensor& x) {
  std::vector<TensorList> nodes;
  for (const Tensor& row : unbind(x, 1)) nodes.push_back(unbind(row, 1));
  return nodes;
}

Tensor joined(const std::vector<TensorList>& nodes) {
  TensorList rows;
  for (const TensorList& row : nodes) rows.push_back(stack(row, 1));
  return stack(rows, 1);
}

// Zeros of the shape of x but for an extent of 1 along the axis.
Tensor zero_row(const Tensor& x, size_t axis) {
  Shape shape = x.shape();
  shape[axis] = 1;
  return zeros(shape, x);
}

void walk(Lattice& l, const Tensor& never) {
  const std::vector<TensorList> blank = nodes_of(l.blank), ends = nodes_of(l.ends),
                                emit = l.columns > 1 ? nodes_of(l.emit) : std::vector<TensorList>();
  const auto steps = static_cast<size_t>(l.steps), columns = static_cast<size_t>(l.columns);
  std::vector<TensorList> alpha(steps, TensorList(columns)), beta = alpha;
  for (size_t t = 0; t < steps; ++t) {
    for (size_t u = 0; u < columns; ++u) {
      const Tensor down = t > 0 ? alpha[t - 1][u] + blank[t - 1][u] : never;
      const Tensor right = u > 0 ? alpha[t][u - 1] + emit[t][u - 1] : never;
      alpha[t][u] = t + u == 0 ? constant_like(never, 0.0) : log_add(down, right);
    }
  }
  for (size_t t = steps; t-- > 0;) {
    for (size_t u = columns; u-- > 0;) {
      const Tensor last = where(ends[t][u], blank[t][u], never);
      const Tensor down = t + 1 < steps ? beta[t + 1][u] + blank[t][u] : never;
      const Tensor right = u + 1 < columns ? beta[t][u + 1] + emit[t][u] : never;
      beta[t][u] = log_add(last, log_add(down, right));
    }
  }
  l.total = beta[0][0];
  l.alpha = joined(alpha);
  l.beta = joined(beta);
}

Lattice lattice(const Tensor& x, const Tensor& label, const Tensor& lengths,
                const Tensor& label_lengths, int64_t blank) {
  Lattice l;
  l.steps = x.shape()[1].value();
  l.columns = x.shape()[2].value();
  const Tensor never = full(Shape{x.shape()[0]}, Scalar(kNever), x.dtype(), x.place());
  if (l.steps == 0) {
    l.total = never;
    return l;
  }
  const Scalar one(int64_t{1});
  const Tensor t_end = reshape(cast(lengths, DType::kInt64), Shape{-1, 1, 1});
  const Tensor u_end = reshape(cast(label_lengths, DType::kInt64), Shape{-1, 1, 1});
  const Tensor t = positions_along(1, l.steps, x.place());
  const Tensor u = positions_along(2, l.columns, x.place());
  l.goes_on = logical_and(less_than(t + one, t_end), less_equal(u, u_end));
  l.ends = logical_and(equal(t + one, t_end), equal(u, u_end));
  l.blank = possible(logical_and(less_than(t, t_end), less_equal(u, u_end)),
                     squeeze(part(x, 3, blank, blank + 1), Shape{3}));
  if (l.columns > 1) {
    const int64_t count = l.columns - 1;
    const Tensor named = less_than(part(u, 2, 0, count), u_end);
    l.label = masked(squeeze(named, Shape{1}), cast(label, DType::kInt64));
    l.emits = logical_and(named, less_than(t, t_end));
    const Tensor classes =
        expand(reshape(l.label, Shape{-1, 1, count, 1}), Shape{x.shape()[0], l.steps, count, 1});
    l.emit =
        possible(l.emits, squeeze(take_along_axis(part(x, 2, 0, count), classes, 3), Shape{3}));
  }
  walk(l, never);
  return l;
}

// Minus the probability that an alignment takes the arc, at the class of the arc.
Tensor gradient(const Lattice& l, const Tensor& x, const Tensor& loss_grad, int64_t blank,
                double fastemit_lambda) {
  if (l.steps == 0) return full_like(x, Scalar(0.0), x.dtype(), x.place());
  const Tensor g = reshape(loss_grad, Shape{-1, 1, 1});
  const Tensor reach = l.alpha - reshape(l.total, Shape{-1, 1, 1});
  const auto share = [](const Tensor& log_p) { return exp(minimum(log_p, zero_of(log_p))); };
  const int64_t count = x.shape()[3].value();
  const Tensor class_of = reshape(
      arange(Scalar(int64_t{0}), Scalar(count), Scalar(int64_t{1}), DType::kInt64, x.place()),
      Shape{1, 1, 1, count});
  const auto at_class = [&](const Tensor& label, const Tensor& value) {
    return masked(equal(class_of, label), unsqueeze(-(g * value), Shape{3}));
  };
  const Tensor below =
      concat({part(l.beta, 1, 1, l.steps), zero_row(l.beta, 1)}, Scalar(int64_t{1}));
  const Tensor taken =
      masked(l.ends, share(reach + l.blank)) + masked(l.goes_on, share(reach + l.blank + below));
  const Tensor of_blank = at_class(scalar_like(class_of, Scalar(blank)), taken);
  if (l.columns == 1) return of_blank;
  const int64_t labels = l.columns - 1;
  const Tensor emitted =
      masked(l.emits, share(part(reach, 2, 0, labels) + l.emit + part(l.beta, 2, 1, l.columns)));
  const Tensor of_label =
      at_class(reshape(l.label, Shape{-1, 1, labels, 1}), emitted * Scalar(1 + fastemit_lambda));
  return of_blank + concat({of_label, zero_row(of_label, 2)}, Scalar(int64_t{2}));
}

TensorList decompose_forward(Args& a) {
  const Tensor x = a.tensor(0);
  const Lattice l = lattice(x, a.tensor(1), a.tensor(2), a.tensor(3), a.i(4));
  const Tensor loss = -l.total;
  const Tensor one = full_like(loss, Scalar(1.0), loss.dtype(), loss.place());
  return {loss, gradient(l, x, one, a.i(4), a.f(5))};
}

TensorList decompose_backward(Args& a) {
  const Tensor x = a.tensor(0);
  const Lattice l = lattice(x, a.tensor(1), a.tensor(2), a.tensor(3), a.i(6));
  return {gradient(l, x, a.tensor(5), a.i(6), a.f(7))};
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
