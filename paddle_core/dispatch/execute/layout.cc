// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of operators whose arguments are in channels-last memory.
#include "paddle_core/dispatch/execute/layout.h"

#include <algorithm>

namespace paddle {
namespace {

bool is_private(const TensorImpl& t) { return (t.shared_keys() & kModeLayout) != 0; }

// Visits every tensor of the pack.
template <typename Fn>
void for_each(const OpDef& op, const Slot* args, Fn&& fn) {
  for (int i = 0; i < op.num_args; ++i) {
    if (args[i].kind == SlotKind::kTensor) fn(*args[i].tensor);
    if (args[i].kind != SlotKind::kTensorList) continue;
    for (uint32_t k = 0; k < args[i].count; ++k) {
      if (args[i].list[k].defined()) fn(*args[i].list[k].impl());
    }
  }
}

void put_into_logical_order(const OpDef& op, const Slot* args) {
  for_each(op, args, [](const TensorImpl& t) { t.ensure_logical_order(); });
}

// The tensor with channels last, whatever its memory is.
Tensor with_channels_last(TensorImpl* impl) {
  const Tensor t(IntrusivePtr<TensorImpl>::share(impl));
  if (Tensor view = t.channels_last_view(); view.defined()) return view;
  Shape shape = t.shape();
  std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
  if (!t.has_storage()) return Tensor::meta(shape, t.dtype(), t.place());
  Strides strides = t.strides();
  std::rotate(strides.begin() + 1, strides.begin() + 2, strides.end());
  return Tensor::alias(t, shape, strides, 0);
}

// Which arguments and results change their axes; nothing when the call needs logical order.
struct Plan {
  uint32_t args = 0, results = 0;
  int format = -1;  // argument that says where the channels are
  int axis = -1;    // argument that numbers axes, and its value in memory order
  Shape axes{};
  int moved_axis = -1;  // argument that numbers one axis, and its value in memory order
  Scalar new_axis{};
};

Plan plan_elementwise(const OpDef& op, const Slot* args) {
  if (!op.has(kElementwise) || op.random_count_fn || op.is_native_inplace() || op.is_view()) {
    return {};
  }
  size_t rank = 0;
  for_each(op, args, [&](const TensorImpl& t) {
    if (is_private(t)) rank = t.shape.size();
  });
  Plan plan;
  for (int i = 0; i < op.num_args; ++i) {
    if (args[i].kind == SlotKind::kTensorList) return {};
    if (args[i].kind != SlotKind::kTensor) continue;
    const size_t own = args[i].tensor->shape.size();
    const bool is_operand = op.schema().args[static_cast<size_t>(i)].is_tensor();
    // One element means the same wherever it stands.
    if (own <= rank && args[i].tensor->numel == 1 && is_operand) continue;
    if (own != rank || !is_operand) return {};
    plan.args |= 1u << i;
  }
  plan.results = ~0u;
  return plan;
}

// Where the axes that stay keep their order.
Plan plan_reduction(const OpDef& op, const Slot* args) {
  const int keepdim = op.keepdim_arg, listed = op.reduced_axes_arg;
  if (op.num_results != 1 || op.num_tensor_args != 1 || keepdim < 0 || listed < 0 ||
      args[listed].kind != SlotKind::kInts) {
    return {};
  }
  const int64_t rank = static_cast<int64_t>(args[0].tensor->shape.size());
  Plan plan{1, args[keepdim].i != 0, -1, listed};
  int64_t spatial = 0;
  bool channels = args[listed].count == 0;
  for (uint32_t k = 0; k < args[listed].count; ++k) {
    int64_t axis = args[listed].dims[k].value();
    if (axis < -rank || axis >= rank) return {};
    axis = axis < 0 ? axis + rank : axis;
    channels |= axis == 1;
    spatial += axis > 1;
    plan.axes.push_back(axis == 0 ? 0 : axis == 1 ? rank - 1 : axis - 1);
  }
  return plan.results != 0 || channels || spatial == rank - 2 ? plan : Plan();
}

// concat(x, axis): all tensors of one rank, the axis numbered in memory order.
Plan plan_join(const OpDef& op, const Slot* args) {
  const int axis = op.axis_arg;
  if (args[0].kind != SlotKind::kTensorList || args[axis].kind != SlotKind::kScalar) {
    return {};
  }
  size_t rank = 0;
  bool same = true;
  for_each(op, args, [&](const TensorImpl& t) {
    same = same && (rank == 0 || t.shape.size() == rank);
    rank = t.shape.size();
  });
  const int64_t n = static_cast<int64_t>(rank), given = args[axis].scalar->to_int();
  if (!same || given < -n || given >= n) return {};
  Plan plan{op.layout_args, op.layout_results};
  plan.moved_axis = axis;
  const int64_t at = given < 0 ? given + n : given;
  plan.new_axis = Scalar(at == 0 ? int64_t{0} : at == 1 ? n - 1 : at - 1);
  return plan;
}

Plan plan_of(const OpDef& op, const Slot* args) {
  if (op.has(kReduction)) return plan_reduction(op, args);
  if (op.layout_args == 0) return plan_elementwise(op, args);
  if (op.format_arg < 0) return plan_join(op, args);
  const int format = op.format_arg;
  const std::string_view text(args[format].chars, args[format].count);
  if (!text.starts_with("NC")) return {};
  for (int i = 0; i < op.num_args; ++i) {
    if (args[i].kind == SlotKind::kTensor && is_private(*args[i].tensor) &&
        !((op.layout_args >> i) & 1u)) {
      args[i].tensor->ensure_logical_order();
    }
  }
  return {op.layout_args, op.layout_results, format};
}

}  // namespace

bool has_private_layout(const OpDef& op, const Slot* args) {
  bool found = false;
  for_each(op, args, [&](const TensorImpl& t) { found |= is_private(t); });
  return found;
}

void become_channels_first(TensorImpl& t) {
  if (t.shape.size() < 3) return;
  std::rotate(t.shape.begin() + 1, t.shape.end() - 1, t.shape.end());
  std::rotate(t.strides.begin() + 1, t.strides.end() - 1, t.strides.end());
  if (is_contiguous(t.shape, t.strides)) {  // one channel or one position: the orders are the same
    t.strides = contiguous_strides(t.shape);
    return;
  }
  t.contiguous = false;
  t.keys |= kModeLayout;
}

void execute_resolved_in_layout(const OpDef& op, const Slot* args, Outputs& outs,
                                uint32_t donated) {
  const Plan plan = plan_of(op, args);
  if (plan.args == 0) {
    put_into_logical_order(op, args);
    return execute(op, args, outs, donated);
  }
  infer_meta(op, args, outs);  // errors speak of the shapes that the user sees
  SmallVector<Slot, 8> slots(args, args + op.num_args);
  TensorList moved, elements;
  moved.reserve(static_cast<size_t>(op.num_args));
  for (int i = 0; i < op.num_args; ++i) {
    if (!((plan.args >> i) & 1u)) continue;
    if (args[i].kind == SlotKind::kTensorList) {
      for (uint32_t k = 0; k < args[i].count; ++k) {
        elements.push_back(with_channels_last(args[i].list[k].impl()));
      }
      slots[static_cast<size_t>(i)] = Slot::of(elements);
    }
    if (args[i].kind != SlotKind::kTensor) continue;
    moved.push_back(with_channels_last(args[i].tensor));
    slots[static_cast<size_t>(i)] = Slot::of(moved.back());
  }
  if (plan.format >= 0)
    slots[static_cast<size_t>(plan.format)] = Slot::of(std::string_view("NHWC"));
  if (plan.axis >= 0) slots[static_cast<size_t>(plan.axis)] = Slot::of(plan.axes);
  if (plan.moved_axis >= 0) slots[static_cast<size_t>(plan.moved_axis)] = Slot::of(plan.new_axis);
  execute(op, slots.data(), outs, donated);
  for (size_t k = 0; k < outs.size(); ++k) {
    if (!((plan.results >> k) & 1u) || !outs[k].defined()) continue;
    outs[k] = outs[k].contiguous_copy_if_needed();
    become_channels_first(*outs[k].impl());
  }
}

}  // namespace paddle
