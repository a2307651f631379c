// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a watch of values sees of one instruction.
#include "pir/dialect/control_flow.h"
#include "pir/interpreter/interpreter.h"
#include "pir/interpreter/observe.h"

namespace paddle::pir {

void Interpreter::show(const ValueWatch& watch, const Instruction& in, bool results,
                       std::vector<Register>& regs) const {
  // Operands of branches and loops stand twice among the inputs when the regions read them too.
  std::unordered_set<int> shown;
  const auto number = static_cast<size_t>(&in - instructions_.data());
  const auto one = [&](const Value* v) {
    if (!v) return;
    const auto at = registers_.find(v);
    if (at == registers_.end() || !shown.insert(at->second).second) return;
    Tensor& t = regs[static_cast<size_t>(at->second)].tensor;
    if (!t.defined() || !t.has_storage()) return;
    watch.show({*in.op, number, *v, results, t});
  };
  if (results) {
    for (size_t i = 0; i < in.op->num_results(); ++i) one(in.op->result(i));
    return;
  }
  for (const Value* v : in.op->operands()) one(v);
  for (const auto& region : in.op->regions()) {
    for (const Value* v : free_values(*region->blocks()[0])) one(v);
  }
}

}  // namespace paddle::pir
