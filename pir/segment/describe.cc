// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Texts of reports.
#include "pir/segment/describe.h"

#include <algorithm>

namespace paddle::pir {
namespace {

const Tensor& no_tensor(ValueId) {
  static const Tensor undefined;
  return undefined;
}

// Positions of the calls in the words, and the end.
std::vector<size_t> positions(const SegmentKey& key) {
  std::vector<size_t> list;
  DecodedCall call;
  for (size_t at = 0; at < key.calls.size();) {
    list.push_back(at);
    at = decode(key.calls, at, call, no_tensor);
  }
  list.push_back(key.calls.size());
  return list;
}

std::string text_of(const Slot& slot) {
  switch (slot.kind) {
    case SlotKind::kNone:
      return "None";
    case SlotKind::kTensor:
    case SlotKind::kTensorList:
      return "a tensor";
    case SlotKind::kBool:
      return slot.i ? "True" : "False";
    case SlotKind::kInt:
      return str(slot.i);
    case SlotKind::kFloat:
      return str(slot.f);
    case SlotKind::kScalar:
      return str(*slot.scalar);
    case SlotKind::kInts:
      return str(Shape(slot.dims, slot.dims + slot.count));
    case SlotKind::kFloats: {
      std::string text = "[";
      for (uint32_t i = 0; i < slot.count; ++i) text += str(i ? ", " : "", slot.floats[i]);
      return text + "]";
    }
    case SlotKind::kString:
      return std::string(slot.chars, slot.count);
    case SlotKind::kDType:
      return str(static_cast<DType>(slot.i));
    case SlotKind::kPlace:
      return str(slot.place);
  }
  return {};
}

Shape shape_at(const SegmentKey& key, size_t input, size_t first) {
  const size_t rank = (key.inputs[input] >> 8) & 0xff;
  Shape shape;
  for (size_t d = 0; d < rank; ++d) {
    shape.push_back(Dim(static_cast<int64_t>(key.extents[first + d])));
  }
  return shape;
}

}  // namespace

std::vector<std::string> call_names(const SegmentKey& key) {
  std::vector<std::string> names;
  DecodedCall call;
  for (size_t at = 0; at < key.calls.size();) {
    at = decode(key.calls, at, call, no_tensor);
    names.emplace_back(call.op->name());
  }
  return names;
}

size_t common_calls(const SegmentKey& a, const SegmentKey& b) {
  const std::vector<size_t> at = positions(a);
  size_t count = 0;
  while (count + 1 < at.size() && at[count + 1] <= b.calls.size() &&
         std::equal(a.calls.begin() + static_cast<std::ptrdiff_t>(at[count]),
                    a.calls.begin() + static_cast<std::ptrdiff_t>(at[count + 1]),
                    b.calls.begin() + static_cast<std::ptrdiff_t>(at[count]))) {
    ++count;
  }
  return count;
}

std::string describe_difference(const SegmentKey& before, const SegmentKey& now) {
  const size_t common = common_calls(before, now);
  const size_t old_calls = before.num_calls, new_calls = now.num_calls;
  if (common == old_calls && common == new_calls) {
    if (before.inputs != now.inputs) return "a tensor that it reads has another dtype or rank";
    return "other results of it are used";
  }
  if (common == old_calls) return str("it goes on after call ", common, " where a known one ends");
  if (common == new_calls) return str("it ends after call ", common, " where a known one goes on");
  const std::vector<size_t> old_at = positions(before), new_at = positions(now);
  DecodedCall a, b;
  decode(before.calls, old_at[common], a, no_tensor);
  decode(now.calls, new_at[common], b, no_tensor);
  if (a.op != b.op) {
    return str("call ", common + 1, " is ", b.op->name(), ", it was ", a.op->name());
  }
  for (size_t i = 0; i < a.slots.size(); ++i) {
    const std::string was = text_of(a.slots[i]), is = text_of(b.slots[i]);
    if (was == is) continue;
    return str("call ", common + 1, ", ", b.op->name(), ": ", b.op->schema().args[i].name, " is ",
               is, ", it was ", was);
  }
  return str("call ", common + 1, ", ", b.op->name(), ", reads other tensors");
}

std::string describe_sizes(const SegmentKey& before, const SegmentKey& now) {
  size_t first = 0;
  for (size_t i = 0; i < now.inputs.size(); ++i) {
    const Shape was = shape_at(before, i, first), is = shape_at(now, i, first);
    if (!(was == is)) return str("input ", i, " has shape ", is, ", it had ", was);
    first += is.size();
  }
  return "guards on sizes do not hold";
}

bool holds(const SymbolFact& fact, const SymbolValues& symbols) {
  const auto a = evaluate(fact.left, symbols), b = evaluate(fact.right, symbols);
  if (!a || !b) return true;
  switch (fact.relation) {
    case SymbolFact::Relation::kEq:
      return *a == *b;
    case SymbolFact::Relation::kNe:
      return *a != *b;
    case SymbolFact::Relation::kLe:
      return *a <= *b;
    case SymbolFact::Relation::kGt:
      return *a > *b;
  }
  return true;
}

}  // namespace paddle::pir
