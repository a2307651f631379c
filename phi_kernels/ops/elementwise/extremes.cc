// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The greater and the smaller of two tensors, and the step between them.
#include "phi_kernels/ops/elementwise/rules.h"

namespace paddle::ops {
namespace {

using Comparison = Tensor (*)(const Tensor&, const Tensor&);

// The gradient of an extreme: whole to the chosen operand, half to each of equal ones.
void share_between(Vjp& v, Comparison x_wins, Comparison y_wins) {
  const Tensor x = v.in(0), y = v.in(1), &g = v.grad();
  const Tensor half = masked(equal(x, y), g * Scalar(0.5));
  if (v.needs(0)) v.set(0, where(x_wins(x, y), g, half));
  if (v.needs(1)) v.set(1, where(y_wins(x, y), g, half));
}

// NaN loses; the first operand wins ties.
void give_to_winner(Vjp& v, Comparison x_wins) {
  const Tensor first = logical_or(x_wins(v.in(0), v.in(1)), isnan(v.in(1)));
  if (v.needs(0)) v.set(0, masked(first, v.grad()));
  if (v.needs(1)) v.set(1, masked(logical_not(first), v.grad()));
}

TensorList of_numbers(Args& a, Comparison extreme) {
  const Tensor x = a.tensor(0), y = a.tensor(1);
  return {where(isnan(x), y, where(isnan(y), x, extreme(x, y)))};
}

// `result` is what Python prints for [1, 5] and [3, 4].
OpDef& extreme(OpDef& op, const char* doc, const char* result) {
  const std::string name = op.name();
  return op
      .doc(str(doc, "\nx: A real Tensor.\ny: A real Tensor; mixed dtypes become the common one.",
               "\nRaises: ValueError: The shapes do not broadcast."),
           str("paddle.", name, "(paddle.to_tensor([1, 5]), paddle.to_tensor([3, 4])).tolist()  # ",
               result))
      .python("paddle." + name)
      .python("Tensor." + name)
      .elementwise()
      .trait(kBroadcast | kPromote)
      .amp_class(AmpClass::kWidest)
      .infer(infer_ordered)
      .saves({"x", "y"});
}

}  // namespace

void register_extremes(Registry& r) {
  extreme(r.op("maximum").schema("maximum(Tensor x, Tensor y) -> (Tensor out)"),
          "Elementwise: the greater of x and y; NaN wins; on a tie x and y share the gradient "
          "evenly.",
          "[3, 5]")
      .trait(kCommutative)
      .vjp([](Vjp& v) { share_between(v, greater_than, less_than); })
      .primitive("order");
  extreme(r.op("minimum").schema("minimum(Tensor x, Tensor y) -> (Tensor out)"),
          "Elementwise: the smaller of x and y; NaN wins; on a tie x and y share the gradient "
          "evenly.",
          "[1, 4]")
      .trait(kCommutative)
      .vjp([](Vjp& v) { share_between(v, less_than, greater_than); })
      .primitive("order");
  extreme(r.op("fmax").schema("fmax(Tensor x, Tensor y) -> (Tensor out)"),
          "As maximum, but NaN loses; on a tie the gradient goes to x.", "[3, 5]")
      .vjp([](Vjp& v) { give_to_winner(v, greater_equal); })
      .decompose([](Args& a) { return of_numbers(a, maximum); });
  extreme(r.op("fmin").schema("fmin(Tensor x, Tensor y) -> (Tensor out)"),
          "As minimum, but NaN loses; on a tie the gradient goes to x.", "[1, 4]")
      .vjp([](Vjp& v) { give_to_winner(v, less_equal); })
      .decompose([](Args& a) { return of_numbers(a, minimum); });
  r.op("heaviside")
      .schema("heaviside(Tensor x, Tensor y) -> (Tensor out)")
      .doc(
          "Step: 0 where x < 0, y where x == 0, 1 where x > 0. x and y broadcast against each "
          "other.",
          "paddle.heaviside(paddle.to_tensor([4.0, 9.0]), paddle.to_tensor([4.0, 9.0]))")
      .alias("values", "y")
      .python("paddle.heaviside")
      .python("Tensor.heaviside")
      .elementwise()
      .trait(kBroadcast | kPromote)
      .amp_class(AmpClass::kWidest)
      .infer(infer_ordered)
      .saves({"x"})
      .vjp([](Vjp& v) {
        if (v.needs(0)) v.set(0, zeros_like(v.in(0)));
        if (v.needs(1)) v.set(1, masked(equal(v.in(0), zero_of(v.in(0))), v.grad()));
      })
      .decompose([](Args& a) -> TensorList {
        return {where(equal(a.tensor(0), zero_of(a.tensor(0))), a.tensor(1),
                      cast(greater_than(a.tensor(0), zero_of(a.tensor(0))), a.tensor(0).dtype()))};
      });
}

}  // namespace paddle::ops
