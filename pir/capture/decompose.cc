// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators of a recorded program taken apart.
#include "paddle_core/op/op_def.h"
#include "pir/capture/recording.h"
#include "pir/dialect/arguments.h"

namespace paddle::pir {
namespace {

// Calls are recorded in front of an operation until this goes out of scope.
class Before {
 public:
  Before(Capture& capture, Operation* op) : capture_(capture) { capture_.set_before(op); }
  ~Before() { capture_.set_before(nullptr); }
  Before(const Before&) = delete;
  Before& operator=(const Before&) = delete;

 private:
  Capture& capture_;
};

bool is_composed(const Operation& op) {
  return op.def && op.def->decompose_fn && !op.def->list_result && !op.def->is_view() &&
         !op.def->is_native_inplace();
}

}  // namespace

// The gradient history of a tensor is that of the call which made it: it holds tensors, and these
// stand for the new values too.
void Recording::put_in_place(Value* from, Value* to) {
  const Tensor known = tensor_of(from);
  capture_.put_in_place(from, to);
  by_value_.erase(from);
  by_value_.insert_or_assign(to, known);
  for (RecordedGradient& g : gradients_) {
    for (auto* list : {&g.targets, &g.inputs, &g.seeds, &g.results}) {
      for (Value*& v : *list) v = v == from ? to : v;
    }
  }
}

bool Recording::decompose(const void* which) {
  Operation* op = operation_at(which);
  if (!is_composed(*op)) return false;
  const OperationArgs args(*op, [this](const Value* v) -> TensorList {
    const Operation* maker = v->producer();
    if (!maker || !maker->is("builtin.combine")) return {tensor_of(v)};
    TensorList list;
    for (size_t i = 0; i < maker->num_operands(); ++i) list.push_back(tensor_of(maker->operand(i)));
    return list;
  });
  TensorList made;
  {
    const Before before(capture_, op);
    Args view(*op->def, args.slots());
    made = op->def->decompose_fn(view);
  }
  for (size_t k = 0; k < op->num_results() && k < made.size(); ++k) {
    if (made[k].defined()) put_in_place(op->result(k), capture_.value_of(made[k]));
  }
  if (!op->used()) remove(op);
  return true;
}

}  // namespace paddle::pir
