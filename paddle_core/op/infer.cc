// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Shape rules that many operators share, and the checks in an operator's name.

#include "paddle_core/op/infer.h"

#include "paddle_core/shape/sym.h"

namespace paddle {

Shape Infer::ints(int k) const {
  const Slot& slot = args_[k];
  if (slot.kind == SlotKind::kInts) return Shape(slot.dims, slot.dims + slot.count);
  Shape out;
  if (slot.kind != SlotKind::kTensor && slot.kind != SlotKind::kTensorList) return out;
  const int64_t n = slot.kind == SlotKind::kTensorList ? slot.count
                    : slot.tensor->shape.empty()       ? 1
                                                       : slot.tensor->shape[0].value();
  for (int64_t j = 0; j < n; ++j) out.push_back(data_dependent_size());
  return out;
}

Dim Infer::data_dependent_size() const {
  SymbolScope* scope = SymbolScope::current();
  return scope ? scope->fresh() : Dim(0);
}

void Infer::require_floating(int i) const {
  PADDLE_CHECK_TYPE(is_floating(dtype(i)) || is_complex(dtype(i)), op_name(), ": ", arg_name(i),
                    " has dtype ", dtype(i), "; a floating-point or complex dtype is needed. Cast ",
                    arg_name(i), " first, for example with ", arg_name(i), ".astype('float32').");
}

void Infer::require_integer(int i) const {
  PADDLE_CHECK_TYPE(is_integer(dtype(i)), op_name(), ": ", arg_name(i), " has dtype ", dtype(i),
                    "; an integer dtype is needed. Cast it first, for example with ", arg_name(i),
                    ".astype('int64').");
}

void Infer::require_index(int i) const {
  PADDLE_CHECK_TYPE(dtype(i) == DType::kInt32 || dtype(i) == DType::kInt64, op_name(), ": ",
                    arg_name(i), " has dtype ", dtype(i),
                    "; indices must be int32 or int64; cast it.");
}

void Infer::require_rank_at_least(int i, int64_t r) const {
  PADDLE_CHECK_VALUE(rank(i) >= r, op_name(), ": ", arg_name(i), " has shape ", shape(i),
                     "; at least ", r, r == 1 ? " dimension is" : " dimensions are",
                     " needed; reshape or unsqueeze it.");
}

void Infer::require_rank(int i, int64_t r) const {
  PADDLE_CHECK_VALUE(rank(i) == r, op_name(), ": ", arg_name(i), " has shape ", shape(i),
                     "; exactly ", r, r == 1 ? " dimension is" : " dimensions are",
                     " needed; reshape it.");
}

void Infer::require_same_dtype(int i, int j) const {
  PADDLE_CHECK_TYPE(dtype(i) == dtype(j), op_name(), ": ", arg_name(i), " has dtype ", dtype(i),
                    " and ", arg_name(j), " has dtype ", dtype(j),
                    "; they must be equal. Cast one of them with astype().");
}

void Infer::require_dtype(int i, DType wanted) const {
  PADDLE_CHECK_TYPE(dtype(i) == wanted, op_name(), ": ", arg_name(i), " has dtype ", dtype(i),
                    "; it must be ", wanted, "; cast it with astype().");
}

void Infer::require_shape(int i, const Shape& wanted) const {
  const Shape& given = shape(i);
  bool same = given.size() == wanted.size();
  for (size_t k = 0; same && k < given.size(); ++k) same = decide_eq(given[k], wanted[k], true);
  PADDLE_CHECK_VALUE(same, op_name(), ": ", arg_name(i), " has shape ", given, "; it must be ",
                     wanted, "; reshape it.");
}

void Infer::require_elements(int i, Dim count) const {
  PADDLE_CHECK_VALUE(decide_eq(numel_of(shape(i)), count, true), op_name(), ": ", arg_name(i),
                     " has shape ", shape(i), "; it must have ", count, " elements.");
}

void Infer::require_like(int i, int j) const {
  require_same_dtype(i, j);
  require_shape(j, shape(i));
}

int64_t Infer::axis(int k, int64_t r) const {
  const Slot& slot = args_[k];
  const int64_t value = slot.kind == SlotKind::kScalar ? slot.scalar->to_int() : slot.i;
  return normalize_axis(value, r, op_name(), arg_name(k));
}

namespace infer {

void same_as_x(Infer& c) {
  // The loop of an elementwise operator without broadcasting walks its operands side by side.
  const OpDef& op = c.op();
  if (op.num_tensor_args == 2 && op.has(kElementwise) && c.has(1)) c.require_like(0, 1);
  c.out(0, c.shape(0), c.dtype(0));
}

void same_as_both(Infer& c) {
  c.require_like(0, 1);
  c.out(0, c.shape(0), c.dtype(0));
}

void same_as_x_float(Infer& c) {
  c.require_floating(0);
  c.out(0, c.shape(0), c.dtype(0));
}

void broadcast(Infer& c) {
  if (c.shape(0) == c.shape(1)) [[likely]]
    return c.out(0, c.shape(0), c.dtype(0));
  broadcast_into(c.shape(0), c.shape(1), c.op_name(), c.arg_name(0), c.arg_name(1),
                 c.out(0, c.dtype(0)));
}

void compare(Infer& c) {
  if (c.shape(0) == c.shape(1)) [[likely]]
    return c.out(0, c.shape(0), DType::kBool);
  broadcast_into(c.shape(0), c.shape(1), c.op_name(), c.arg_name(0), c.arg_name(1),
                 c.out(0, DType::kBool));
}

}  // namespace infer
}  // namespace paddle
