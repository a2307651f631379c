// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Costs by the default rules, corrected by those of the records.
#include "paddle_core/dispatch/execute/cost.h"

#include <algorithm>

#include "paddle_core/dispatch/execute/decomposition.h"
#include "paddle_core/op/args.h"

namespace paddle {
namespace {

double elements(const TensorImpl& t) {
  double count = 1;
  for (const Dim d : t.shape) count *= static_cast<double>(d.value());
  return count;
}

double bytes(const TensorImpl& t) { return elements(t) * static_cast<double>(size_of(t.dtype)); }

template <typename Fn>
void for_each_operand(const OpDef& op, const Slot* args, Fn&& fn) {
  for (int i = 0; i < op.num_args; ++i) {
    if ((op.shape_only >> i) & 1u) continue;
    if (args[i].kind == SlotKind::kTensor) fn(*args[i].tensor);
    if (args[i].kind != SlotKind::kTensorList) continue;
    for (uint32_t k = 0; k < args[i].count; ++k) {
      if (args[i].list[k].defined()) fn(*args[i].list[k].impl());
    }
  }
}

double decomposed_flops(const OpDef& op, const Slot* args) {
  double flops = 0;
  const MetaCalls calls([&](const OpDef& called, const Slot* operands, const Outputs&) {
    flops += cost_of(called, operands).flops;
  });
  decomposed(op, args);
  return flops;
}

double default_flops(const OpDef& op, const Slot* args, const Outputs& outs) {
  if (op.kind() == OpKind::kComposed) return decomposed_flops(op, args);
  double operand = 0, result = 0;
  for_each_operand(op, args,
                   [&](const TensorImpl& t) { operand = std::max(operand, elements(t)); });
  for (const Tensor& t : outs) {
    if (t.defined()) result = std::max(result, elements(*t.impl()));
  }
  if (op.has(kElementwise)) return result;
  if (op.has(kReduction)) return operand;
  return op.kind() == OpKind::kOpaque ? std::max(operand, result) : 0;
}

}  // namespace

OpCost cost_of(const OpDef& op, const Slot* args) {
  OpCost cost;
  if (op.is_view()) return cost;
  Outputs outs;
  infer_meta(op, args, outs);
  for_each_operand(op, args, [&](const TensorImpl& t) { cost.bytes_read += bytes(t); });
  for (const Tensor& t : outs) {
    if (t.defined()) cost.bytes_written += bytes(*t.impl());
  }
  if (!op.cost_fn) {
    cost.flops = default_flops(op, args, outs);
    return cost;
  }
  Args view(op, args);
  op.cost_fn(view, outs.data(), cost);
  return cost;
}

}  // namespace paddle
