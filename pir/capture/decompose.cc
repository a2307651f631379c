// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Decomposition of operators of a recorded program.
#include "pir/transform/decompose.h"
#include "paddle_core/op/op_def.h"
#include "pir/capture/recording.h"

namespace paddle::pir {

// The gradient history of a tensor is that of the call which made it: it holds tensors, and these
// stand for the new values too.
void Recording::replace_value(Value* from, Value* to) {
  const Tensor known = tensor_of(from);
  capture_.values().replace_value(from, to);
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
  const std::vector<Value*> made = expand(*op);
  if (op->def->list_result) {
    op->result()->replace_all_uses_with(made[0]);
    replace_elements(made[0]);
  }
  for (size_t k = 0; k < made.size() && !op->def->list_result; ++k) {
    if (made[k]) replace_value(op->result(k), made[k]);
  }
  if (!op->used()) remove(op);
  return true;
}

// What splits a list takes its elements.
void Recording::replace_elements(Value* list) {
  std::vector<Operation*> splits;
  for (const Use& use : list->uses()) {
    if (use.op->is("builtin.split")) splits.push_back(use.op);
  }
  const Operation* combine = list->producer();
  for (Operation* split : splits) {
    for (size_t k = 0; k < split->num_results(); ++k) {
      if (combine->operand(k)) replace_value(split->result(k), combine->operand(k));
    }
    if (!split->used()) remove(split);
  }
}

}  // namespace paddle::pir
