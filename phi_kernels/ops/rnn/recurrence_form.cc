// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// recurrence as `rnn`.
#include "phi_kernels/ops/rnn/recurrence_form.h"

#include <optional>

namespace paddle::ops {
namespace {

// What the gates of a recurrence are computed from, where all weights are parameters.
struct Gates {
  FormValue x, weight, bias, state_bias;
};

// reshape(reshape(x) @ weight^T + bias); without that bias the one of the state is a sum of both.
std::optional<Gates> gates_of(const SavedForm& f) {
  const FormOperation* op = f.made_by(f.operand(0), "reshape");
  Gates found{{}, {}, {}, f.operand(4)};
  if (const FormOperation* sum = op ? f.made_by(op->operand(0), "add") : nullptr) {
    found.bias = sum->operand(1);
    op = sum;
  } else if (const FormOperation* both = f.made_by(f.operand(4), "add")) {
    found.bias = both->operand(0);
    found.state_bias = both->operand(1);
  }
  op = op ? f.made_by(op->operand(0), "matmul") : nullptr;
  if (!op || op->b("transpose_x") || !op->b("transpose_y")) return std::nullopt;
  found.weight = op->operand(1);
  const FormOperation* rows = f.made_by(op->operand(0), "reshape");
  for (const FormValue v : {found.weight, f.operand(3), found.bias, found.state_bias}) {
    if (!rows || !f.made_by(v, "builtin.parameter")) return std::nullopt;
  }
  found.x = rows->operand(0);
  const Shape &shape = f.shape(found.x), &made = f.shape(f.operand(0));
  const Shape& of_weight = f.shape(found.weight);
  const bool fits = shape.size() == 3 && of_weight.size() == 2 && shape[0] == made[0] &&
                    shape[1] == made[1] && shape[2] == of_weight[1] && !shape[2].is_symbolic();
  return fits ? std::optional(found) : std::nullopt;
}

// The gates as they are: products with a unit matrix.
Gates unit_gates(SavedForm& f) {
  const DType dtype = f.dtype(f.operand(3));
  const Dim count = f.shape(f.operand(3))[0];
  const FormValue size = f.full(Shape{Dim(1)}, static_cast<double>(count.value()), DType::kFloat32);
  const FormValue unit =
      f.make("eye", {size, size}, {dtype, {count, count}}, {{"dtype", dtype}, {"place", Place()}});
  const FormValue zeros = f.full(Shape{count}, 0, dtype), bias = f.operand(4);
  return {f.operand(0), unit, zeros, bias ? f.unary("assign", bias) : zeros};
}

// In a loop a state that no round changes depends on the gates too: PaddlePaddle would move it in
// front of the loop and free it in the first round.
FormValue of_the_round(SavedForm& f, FormValue state) {
  if (!f.in_block_of_another()) return state;
  const FormValue gates = f.operand(0);
  const DType dtype = f.dtype(gates);
  const Shape shape = f.shape(gates);
  const FormValue sums =
      f.make("sum", {gates, f.ints_value({Dim(0)})}, {dtype, {shape[1], shape[2]}},
             {{"dtype", dtype}, {"keepdim", false}});
  const int64_t units = f.shape(f.operand(3))[1].value();
  return f.binary("add", state, f.like(f.slice(sums, 1, 0, units, false), 0));
}

}  // namespace

void write_recurrence(SavedForm& f) {
  const size_t written = 1 + static_cast<size_t>(static_cast<bool>(f.operand(1))) +
                         static_cast<size_t>(static_cast<bool>(f.operand(2)));
  for (size_t k = written; k < f.num_results(); ++k) {
    if (f.is_used(f.result(k))) return;
  }
  const bool reverse = f.b("reverse");
  const int32_t directions = reverse ? 2 : 1;
  const DType dtype = f.dtype(f.operand(3));
  const Dim units = f.shape(f.operand(3))[1];
  const std::optional<Gates> products = gates_of(f);
  const Gates from = products ? *products : unit_gates(f);
  // PaddlePaddle frees what a list holds as it frees its first value. It does not free
  // parameters: where the first is none, copies of the others stand in the list.
  FormValue state_weight = f.operand(3);
  if (!products) state_weight = f.unary("assign", state_weight);
  FormValues weights, states;
  for (int32_t d = 0; d < directions; ++d) {
    weights.insert(weights.end(), {from.weight, state_weight});
  }
  for (int32_t d = 0; d < directions; ++d) {
    weights.insert(weights.end(), {from.bias, from.state_bias});
  }
  std::vector<FormType> state_types;
  for (const size_t i : {1u, 2u}) {
    if (!f.operand(i)) continue;
    const FormValues all(static_cast<size_t>(directions), of_the_round(f, f.operand(i)));
    states.push_back(f.stack(all));
    state_types.emplace_back(states.back());
  }
  Shape out = f.shape(f.result(0));
  out.back() = Dim(units.value() * directions);
  FormValue length = f.operand(5);
  if (length) {
    length = f.make("cast", {length}, {DType::kInt32, f.shape(length)}, {{"dtype", DType::kInt32}});
  }
  const FormValues rnn = f.make_all(
      "rnn",
      {from.x, f.combine(states), f.combine(weights), length,
       f.full(Shape{Dim(1)}, 0, DType::kUInt8)},
      {{dtype, out}, {DType::kUInt8, {Dim(1)}}, FormType::list(state_types), {dtype, Shape()}},
      {{"dropout_prob", Float32{0}},
       {"is_bidirec", reverse},
       {"input_size", static_cast<int32_t>(f.shape(from.weight)[1].value())},
       {"hidden_size", static_cast<int32_t>(units.value())},
       {"num_layers", int32_t{1}},
       {"mode", f.attribute("mode")},
       {"seed", int32_t{0}},
       {"is_test", true}});
  FormValues results{rnn[0]};
  const FormValues last = f.parts(rnn[2]);
  if (reverse) results[0] = f.slice(rnn[0], 2, units.value(), 2 * units.value(), false);
  for (const FormValue state : last) {
    results.push_back(f.slice(state, 0, directions - 1, directions, true));
  }
  f.become(results);
}

}  // namespace paddle::ops
