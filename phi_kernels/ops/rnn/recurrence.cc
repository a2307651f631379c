// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// One direction of one recurrent layer over all time steps, with a fused gradient. The products of
// the inputs with their weights are made before, for all steps at once. Decomposition and gradient
// of the gradient walk the steps in operators.
//
//   RNN_TANH, RNN_RELU  h' = act(p),                       p = x + h W' + b
//   LSTM (i, f, g, o)   c' = f c + i g,  h' = o tanh(c'),  p = x + h W' + b
//   GRU (r, z, n)       n = tanh(x_n + r (h W' + b)_n),    h' = (1 - z) n + z h
//
// Steps at or behind a sample's length leave its state alone and give zeros.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/saved_form.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/activation.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/linalg.h"
#include "phi_kernels/ops/rnn.h"
#include "phi_kernels/ops/rnn/recurrence_form.h"

namespace paddle::ops {
namespace {

enum class Cell { kTanh, kRelu, kLstm, kGru };

Cell cell_of(std::string_view mode, const char* op) {
  if (mode == "RNN_TANH") return Cell::kTanh;
  if (mode == "RNN_RELU") return Cell::kRelu;
  if (mode == "LSTM") return Cell::kLstm;
  PADDLE_CHECK_VALUE(mode == "GRU", op, ": mode is \"", mode,
                     "\"; it must be \"RNN_TANH\", \"RNN_RELU\", \"LSTM\" or \"GRU\".");
  return Cell::kGru;
}

int64_t gates_of(Cell cell) { return cell == Cell::kLstm ? 4 : cell == Cell::kGru ? 3 : 1; }
// Values kept per unit: activations (and the new cell state, or the hidden part of n).
int64_t reserved_of(Cell cell) { return cell == Cell::kLstm ? 5 : cell == Cell::kGru ? 4 : 0; }

void check_inputs(Infer& c, Cell cell) {
  c.require_floating(0);
  c.require_rank(0, 3);
  c.require_rank(1, 2);
  c.require_rank(3, 2);
  const Shape &x = c.shape(0), &h = c.shape(1), &w = c.shape(3);
  const Dim units = h[1], rows = h[1] * Dim(gates_of(cell));
  PADDLE_CHECK_VALUE(decide_eq(x[1], h[0], true) && decide_eq(x[2], rows, true), c.op_name(),
                     ": gates has shape ", x, " and h0 has shape ", h,
                     "; gates must be [steps, batch, ", gates_of(cell),
                     " * units] and h0 [batch, units].");
  PADDLE_CHECK_VALUE(decide_eq(w[0], rows, true) && decide_eq(w[1], units, true), c.op_name(),
                     ": weight has shape ", w, "; it must be [", rows, ", ", units, "].");
  c.require_same_dtype(0, 1);
  c.require_same_dtype(0, 3);
  PADDLE_CHECK_VALUE(c.has(2) == (cell == Cell::kLstm), c.op_name(),
                     ": c0 must be given for mode \"LSTM\" and for no other mode.");
  if (c.has(2)) {
    PADDLE_CHECK_VALUE(c.rank(2) == 2 && decide_eq(c.shape(2)[0], h[0], true) &&
                           decide_eq(c.shape(2)[1], units, true),
                       c.op_name(), ": c0 has shape ", c.shape(2), "; it must be that of h0, ", h,
                       ".");
    c.require_same_dtype(0, 2);
  }
  if (c.has(4)) {
    PADDLE_CHECK_VALUE(c.rank(4) == 1 && decide_eq(c.shape(4)[0], rows, true), c.op_name(),
                       ": bias has shape ", c.shape(4), "; it must be [", rows, "].");
    c.require_same_dtype(0, 4);
  }
  if (c.has(5)) {
    PADDLE_CHECK_VALUE(c.rank(5) == 1 && decide_eq(c.shape(5)[0], h[0], true), c.op_name(),
                       ": length has shape ", c.shape(5), "; it must be [batch], [", h[0], "].");
    PADDLE_CHECK_TYPE(c.dtype(5) == DType::kInt64, c.op_name(), ": length has dtype ", c.dtype(5),
                      "; it must be int64; cast it with astype('int64').");
  }
}

// arguments: gates, h0, c0, weight, bias, length, mode, reverse
void infer_forward(Infer& c) {
  const Cell cell = cell_of(c.text(6), c.op_name());
  check_inputs(c, cell);
  const Shape &x = c.shape(0), &h = c.shape(1);
  c.out(0, Shape{x[0], x[1], h[1]}, c.dtype(0));
  c.out(1, h, c.dtype(0));
  if (cell == Cell::kLstm) c.out(2, h, c.dtype(0));
  c.out(3, Shape{x[0], x[1], h[1] * Dim(reserved_of(cell))}, c.dtype(0));
}

// arguments: gates, h0, c0, weight, bias, length, out, reserve, out_grad, h_grad, c_grad, mode,
// reverse
void infer_backward(Infer& c) {
  const Cell cell = cell_of(c.text(11), c.op_name());
  check_inputs(c, cell);
  const Shape &x = c.shape(0), &h = c.shape(1), out{x[0], x[1], h[1]};
  c.require_shape(6, out);
  c.require_shape(7, Shape{x[0], x[1], h[1] * Dim(reserved_of(cell))});
  for (const int k : {6, 7, 8, 9, 10}) {
    if (!c.has(k)) continue;
    if (k >= 8) c.require_shape(k, k == 8 ? out : h);
    c.require_same_dtype(0, k);
  }
  for (int k = 0; k < 5; ++k) {
    if (c.has(k)) c.out(k, c.shape(k), c.dtype(0));
  }
}

// The walk over the steps in operators, with what each step's gradient needs.
struct Walk {
  struct Step {
    Tensor mask, h, c;               // 1 where the step counts; the state before it
    Tensor i, f, g, o, tanh_c;       // LSTM
    Tensor r, z, n, hidden_n, next;  // GRU; next: the new state of all modes
  };
  Cell cell;
  bool reverse;
  Tensor w;
  std::vector<Step> steps;  // in time order
  TensorList outs;
  Tensor h, c;

  Tensor product(const Tensor& state, const Tensor& bias) const {
    const Tensor p = matmul(state, w, false, true);
    return bias.defined() ? p + bias : p;
  }

  void step(const Tensor& x, const Tensor& bias, Step& s) {
    s.h = h;
    s.c = c;
    if (cell == Cell::kGru) {
      const TensorList hidden = split_with_num(product(h, bias), 3, Scalar(1));
      const TensorList given = split_with_num(x, 3, Scalar(1));
      s.r = sigmoid(given[0] + hidden[0]);
      s.z = sigmoid(given[1] + hidden[1]);
      s.hidden_n = hidden[2];
      s.n = tanh(given[2] + s.r * s.hidden_n);
      s.next = (h - s.n) * s.z + s.n;
    } else if (cell == Cell::kLstm) {
      const TensorList p = split_with_num(x + product(h, bias), 4, Scalar(1));
      s.i = sigmoid(p[0]), s.f = sigmoid(p[1]), s.g = tanh(p[2]), s.o = sigmoid(p[3]);
      const Tensor next_c = s.f * c + s.i * s.g;
      s.tanh_c = tanh(next_c);
      s.next = s.o * s.tanh_c;
      c = keep(s, next_c, c);
    } else {
      const Tensor p = x + product(h, bias);
      s.next = cell == Cell::kTanh ? tanh(p) : relu(p);
    }
    h = keep(s, s.next, h);
  }

  static Tensor keep(const Step& s, const Tensor& next, const Tensor& before) {
    return s.mask.defined() ? where(s.mask, next, before) : next;
  }
  static Tensor only(const Step& s, const Tensor& value) {
    return s.mask.defined() ? where(s.mask, value, constant_like(value, 0)) : value;
  }
};

Walk walk(const Tensor& gates, const Tensor& h0, const Tensor& c0, const Tensor& weight,
          const Tensor& bias, const Tensor& length, Cell cell, bool reverse) {
  Walk w;
  w.cell = cell, w.reverse = reverse, w.w = weight, w.h = h0, w.c = c0;
  const int64_t count = gates.shape()[0].value();
  const TensorList x = count > 0 ? unbind(gates, 0) : TensorList();
  w.steps.resize(static_cast<size_t>(count));
  w.outs.resize(static_cast<size_t>(count));
  for (int64_t k = 0; k < count; ++k) {
    const auto t = static_cast<size_t>(reverse ? count - 1 - k : k);
    Walk::Step& s = w.steps[t];
    if (length.defined()) {
      s.mask = unsqueeze(greater_than(length, full_like(length, Scalar(static_cast<int64_t>(t)),
                                                        length.dtype(), length.place())),
                         Shape{1});
    }
    w.step(x[t], bias, s);
    w.outs[t] = Walk::only(s, w.h);
  }
  return w;
}

// No step leaves no list to stack.
Tensor stacked(const TensorList& parts, const Tensor& empty_like, const Shape& shape) {
  if (!parts.empty()) return stack(parts, 0);
  return full(shape, Scalar(0), empty_like.dtype(), empty_like.place());
}

TensorList decompose_forward(Args& a) {
  const Cell cell = cell_of(a.text(6), a.op().name());
  const Tensor gates = a.tensor(0), h0 = a.tensor(1);
  const Walk w = walk(gates, h0, a.tensor(2), a.tensor(3), a.tensor(4), a.tensor(5), cell, a.b(7));
  const Shape& x = gates.shape();
  TensorList kept;
  for (const Walk::Step& s : w.steps) {
    if (cell == Cell::kLstm) {
      const Tensor c = s.f * s.c + s.i * s.g;
      kept.push_back(Walk::only(s, concat({s.i, s.f, s.g, s.o, c}, Scalar(1))));
    } else if (cell == Cell::kGru) {
      kept.push_back(Walk::only(s, concat({s.r, s.z, s.n, s.hidden_n}, Scalar(1))));
    }
  }
  const Dim units = h0.shape()[1];
  return {stacked(w.outs, gates, Shape{x[0], x[1], units}), w.h, w.c,
          stacked(kept, gates, Shape{x[0], x[1], units * Dim(reserved_of(cell))})};
}

Tensor square_rest(const Tensor& x) { return Scalar(1) - x * x; }
Tensor logistic_slope(const Tensor& s) { return s * (Scalar(1) - s); }

// Gradients of one step: what flows to the inputs' part and to the hidden part of the gates, and
// to the state before it other than through the hidden part.
struct StepGrads {
  Tensor given, hidden, h, c;
};

StepGrads step_grads(const Walk& w, const Walk::Step& s, const Tensor& dh, const Tensor& dc) {
  StepGrads out;
  if (w.cell == Cell::kGru) {
    const Tensor dn = dh * (Scalar(1) - s.z) * square_rest(s.n);
    const Tensor dr = dn * s.hidden_n * logistic_slope(s.r);
    const Tensor dz = dh * (s.h - s.n) * logistic_slope(s.z);
    out.given = concat({dr, dz, dn}, Scalar(1));
    out.hidden = concat({dr, dz, dn * s.r}, Scalar(1));
    out.h = dh * s.z;
  } else if (w.cell == Cell::kLstm) {
    const Tensor through = dh * s.o * square_rest(s.tanh_c);
    const Tensor total = dc.defined() ? dc + through : through;
    out.given = concat({total * s.g * logistic_slope(s.i), total * s.c * logistic_slope(s.f),
                        total * s.i * square_rest(s.g), dh * s.tanh_c * logistic_slope(s.o)},
                       Scalar(1));
    out.hidden = out.given;
    out.c = total * s.f;
  } else {
    out.given = w.cell == Cell::kTanh ? dh * square_rest(s.next) : relu_grad(s.next, dh);
    out.hidden = out.given;
  }
  return out;
}

TensorList decompose_backward(Args& a) {
  const Cell cell = cell_of(a.text(11), a.op().name());
  const Tensor gates = a.tensor(0), h0 = a.tensor(1), c0 = a.tensor(2), weight = a.tensor(3);
  const Tensor bias = a.tensor(4);
  const Walk w = walk(gates, h0, c0, weight, bias, a.tensor(5), cell, a.b(12));
  const int64_t count = gates.shape()[0].value();
  const TensorList by_out = a.has(8) && count > 0 ? unbind(a.tensor(8), 0) : TensorList();
  Tensor dh = a.has(9) ? a.tensor(9) : constant_like(h0, 0);
  Tensor dc = a.has(10) ? a.tensor(10) : c0.defined() ? constant_like(c0, 0) : Tensor();
  Tensor dw = constant_like(weight, 0), db = bias.defined() ? constant_like(bias, 0) : Tensor();
  TensorList dx(static_cast<size_t>(count));
  for (int64_t k = count; k-- > 0;) {
    const auto t = static_cast<size_t>(a.b(12) ? count - 1 - k : k);
    const Walk::Step& s = w.steps[t];
    Tensor total = dh;
    if (!by_out.empty()) total = total + Walk::only(s, by_out[t]);
    const StepGrads g =
        step_grads(w, s, Walk::only(s, total), dc.defined() ? Walk::only(s, dc) : Tensor());
    const Tensor before = plus(g.h, matmul(g.hidden, weight, false, false));
    dh = Walk::keep(s, before, total);
    if (dc.defined()) dc = Walk::keep(s, g.c, dc);
    dw = dw + matmul(g.hidden, s.h, true, false);
    if (db.defined()) db = db + sum_axes(g.hidden, Shape{0}, false);
    dx[t] = g.given;
  }
  return {stacked(dx, gates, gates.shape()), dh, dc, dw, db};
}

void vjp_forward(Vjp& v) {
  const auto g = recurrence_grad(v.in(0), v.in(1), v.in(2), v.in(3), v.in(4), v.in(5), v.out(0),
                                 v.out(3), v.grad(0), v.grad(1), v.grad(2), v.text(6), v.b(7));
  for (int k = 0; k < 5; ++k) {
    if (v.has(k) && v.needs(k)) v.set(k, g[static_cast<size_t>(k)]);
  }
}

constexpr const char* kExample =
    "x, h, w = paddle.ones([3, 2, 4]), paddle.zeros([2, 4]), paddle.ones([4, 4])\n"
    "out, h, _, kept = paddle._C_ops.recurrence(x, h, None, w, None, None, 'RNN_TANH', False)";

}  // namespace

void register_recurrence(Registry& r) {
  r.op("recurrence")
      .schema(
          "recurrence(Tensor gates, Tensor h0, Tensor? c0, Tensor weight, Tensor? bias, Tensor? "
          "length, str mode, bool reverse=false) -> (Tensor out, Tensor h, Tensor? c, Tensor "
          "reserve)")
      .doc(
          "One direction of a recurrent layer. gates [steps, batch, gates * units] holds the "
          "products of the inputs; weight [gates * units, units] and bias act on the state. length "
          "is the number of steps per sample. reserve is what the gradient reads.",
          kExample)
      .amp_class(AmpClass::kHigh)
      .infer(infer_forward)
      .saved_form(write_recurrence)
      .no_grad_result("reserve")
      .saves({"gates", "h0", "c0", "weight", "bias", "length", "out", "reserve"})
      .vjp(vjp_forward)
      .decompose(decompose_forward);

  r.op("recurrence_grad")
      .schema(
          "recurrence_grad(Tensor gates, Tensor h0, Tensor? c0, Tensor weight, Tensor? bias, "
          "Tensor? length, Tensor out, Tensor reserve, Tensor? out_grad, Tensor? h_grad, Tensor? "
          "c_grad, str mode, bool reverse=false) -> (Tensor gates_grad, Tensor h0_grad, Tensor? "
          "c0_grad, Tensor weight_grad, Tensor? bias_grad)")
      .doc("Gradient of recurrence.",
           "x, h, w = paddle.ones([3, 2, 4]), paddle.zeros([2, 4]), paddle.ones([4, 4])\n"
           "out, _, _, kept = paddle._C_ops.recurrence(x, h, None, w, None, None, 'RNN_TANH')\n"
           "g = paddle._C_ops.recurrence_grad(x, h, None, w, None, None, out, kept, out, None, "
           "None, 'RNN_TANH')")
      .amp_class(AmpClass::kHigh)
      .infer(infer_backward)
      .decompose(decompose_backward);
}

}  // namespace paddle::ops
