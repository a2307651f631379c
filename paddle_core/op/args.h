// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Read access to a call's arguments by position, for decompositions and view functions.
#pragma once

#include "paddle_core/op/op_def.h"

namespace paddle {

[[noreturn]] PADDLE_API void throw_no_constant(const OpDef& op, int arg);

class Args {
 public:
  Args(const OpDef& op, const Slot* slots) : op_(op), slots_(slots) {}
  const OpDef& op() const { return op_; }
  bool has(int i) const { return slots_[i].kind != SlotKind::kNone; }
  Tensor tensor(int i) const {
    if (slots_[i].kind != SlotKind::kTensor) return Tensor();
    return Tensor(IntrusivePtr<TensorImpl>::share(slots_[i].tensor));
  }
  TensorList list(int i) const { return {slots_[i].list, slots_[i].list + slots_[i].count}; }
  // Numbers. NotImplementedError where one is given as a tensor whose value is not known yet, as in
  // a program that is captured.
  int64_t i(int k) const { return constant(k).i; }
  bool b(int k) const { return constant(k).i != 0; }
  double f(int k) const { return constant(k).f; }
  DType dtype(int k) const { return static_cast<DType>(constant(k).i); }
  Scalar scalar(int k) const { return *constant(k).scalar; }
  Shape ints(int k) const {
    const Slot& s = constant(k);
    return Shape(s.dims, s.dims + s.count);
  }
  std::string_view text(int k) const { return {slots_[k].chars, slots_[k].count}; }
  const Slot& slot(int k) const { return slots_[k]; }
  const Slot* slots() const { return slots_; }

 private:
  const Slot& constant(int k) const {
    const Slot& s = slots_[k];
    if (s.kind == SlotKind::kTensor || s.kind == SlotKind::kTensorList) [[unlikely]]
      throw_no_constant(op_, k);
    return s;
  }

  const OpDef& op_;
  const Slot* slots_;
};

}  // namespace paddle
