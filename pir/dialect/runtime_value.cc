// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The shape rule runs on a stand-in for the argument, and on tensors of the same ranks for which
// every choice of an axis is as good as another.
#include "pir/dialect/runtime_value.h"

#include <algorithm>
#include <optional>

#include "paddle_core/shape/sym.h"

namespace paddle::pir {
namespace {

bool is_unknown(const Slot& slot) {
  if (slot.kind == SlotKind::kTensor) return !slot.tensor->storage;
  if (slot.kind == SlotKind::kTensorList) return true;
  return slot.kind == SlotKind::kInts &&
         std::any_of(slot.dims, slot.dims + slot.count, [](Dim d) { return d.is_symbolic(); });
}

// How many numbers stand in a list that is not known.
std::optional<int64_t> count_of(const Slot& slot) {
  if (slot.kind != SlotKind::kTensor) return static_cast<int64_t>(slot.count);
  const Shape& shape = slot.tensor->shape;
  if (shape.empty()) return 1;
  if (shape.size() != 1 || shape[0].is_symbolic()) return std::nullopt;
  return shape[0].value();
}

// An extent for all axes: the sum of the sections, or the number of parts, that argument 1 names.
Dim even_extent(const OpDef& op, const Slot* args) {
  if (op.runtime_value != RuntimeValue::kSplitAxis) return Dim(1);
  const Slot& parts = args[1];
  if (parts.kind == SlotKind::kInt) return Dim(std::max<int64_t>(parts.i, 1));
  if (parts.kind != SlotKind::kInts) return Dim(1);
  Dim sum = 0;
  for (size_t i = 0; i < parts.count; ++i) sum = sum + max(parts.dims[i], Dim(0));
  return sum;
}

bool is_list_type(ArgType type) {
  return type == ArgType::kIntArray || type == ArgType::kInts || type == ArgType::kInt64s;
}

// Shape rules say nothing of places.
void give_place(const OpDef& op, const Slot* args, Outputs& outs) {
  const Place place = place_of_results(op, args);
  if (place == Place()) return;
  for (Tensor& out : outs) {
    if (out.defined()) out = Tensor::meta(out.shape(), out.dtype(), place);
  }
}

}  // namespace

bool decided_at_run_time(const OpDef& op, const Slot* args) {
  if (op.runtime_arg < 0) return false;
  const auto position = static_cast<size_t>(op.runtime_arg);
  if (!is_unknown(args[position])) return false;
  return !is_list_type(op.schema().args[position].type) || count_of(args[position]).has_value();
}

void infer_results(const OpDef& op, const Slot* args, Outputs& outs) {
  if (!decided_at_run_time(op, args)) {
    infer_meta(op, args, outs);
    return give_place(op, args, outs);
  }
  const auto& specs = op.schema().args;
  const auto position = static_cast<size_t>(op.runtime_arg);
  std::vector<Slot> slots(args, args + specs.size());
  const Dim extent = even_extent(op, args);
  const bool is_list = args[0].kind == SlotKind::kTensorList;
  TensorList even;
  for (size_t i = 0; i < (is_list ? args[0].count : 1); ++i) {
    const TensorImpl& t = is_list ? *args[0].list[i].impl() : *args[0].tensor;
    even.push_back(Tensor::meta(Shape(t.shape.size(), extent), t.dtype, t.place));
  }
  slots[0] = is_list ? Slot::of(even) : Slot::of(even[0]);
  const bool is_count = op.runtime_value == RuntimeValue::kCount;
  const Scalar number(static_cast<int64_t>(is_count ? 1 : 0));
  Shape numbers;
  if (is_list_type(specs[position].type)) {
    const int64_t count = *count_of(args[position]);
    for (int64_t i = 0; i < count; ++i) numbers.push_back(is_count ? 1 : i);
    slots[position] = Slot::of(numbers);
  } else {
    slots[position] = Slot::of(number);
  }
  infer_meta(op, slots.data(), outs);
  SymbolScope* scope = SymbolScope::current();
  PADDLE_CHECK_RUNTIME(scope, op.name(), ": ", specs[position].name,
                       " has no value; pass one that is known.");
  for (Tensor& out : outs) {
    if (!out.defined()) continue;
    Shape shape;
    for (size_t d = 0; d < out.shape().size(); ++d) {
      const bool same =
          op.runtime_value == RuntimeValue::kAxisOfSameShape && d < args[0].tensor->shape.size();
      shape.push_back(same ? args[0].tensor->shape[d] : scope->fresh());
    }
    out = Tensor::meta(shape, out.dtype());
  }
  give_place(op, args, outs);
}

}  // namespace paddle::pir
