// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The shape rule's view of a call: shapes and dtypes of the inputs, constants, and the outputs to
// describe. The same rule runs on integers (eager) and on symbols (capture). It must not allocate
// on success beyond shapes, and raises every shape and dtype error of the operator.
#pragma once

#include "paddle_core/op/op_def.h"

namespace paddle {

class PADDLE_API Infer {
 public:
  Infer(const OpDef& op, const Slot* args, SmallVector<Tensor, 3>& outs)
      : op_(op), args_(args), outs_(outs) {}

  const OpDef& op() const { return op_; }
  const char* op_name() const { return op_.name(); }
  const char* arg_name(int i) const {
    return op_.schema().args[static_cast<size_t>(i)].name.c_str();
  }
  bool has(int i) const { return args_[i].kind != SlotKind::kNone; }
  const Shape& shape(int i) const { return args_[i].tensor->shape; }
  int64_t rank(int i) const { return static_cast<int64_t>(shape(i).size()); }
  DType dtype(int i) const { return args_[i].tensor->dtype; }
  std::span<const Tensor> list(int i) const { return {args_[i].list, args_[i].count}; }
  int64_t i(int k) const { return args_[k].i; }
  bool b(int k) const { return args_[k].i != 0; }
  double f(int k) const { return args_[k].f; }
  DType dtype_attr(int k) const { return static_cast<DType>(args_[k].i); }
  std::string_view text(int k) const { return {args_[k].chars, args_[k].count}; }
  // An IntArray argument: its constants, or, for a tensor operand, fresh symbols (one per element).
  Shape ints(int k) const;
  bool is_constant(int k) const { return args_[k].kind != SlotKind::kTensor; }
  Scalar scalar(int k) const { return *args_[k].scalar; }
  const Slot& slot(int k) const { return args_[k]; }

  // Result i is a new tensor of this shape and dtype.
  void out(int i, const Shape& shape, DType dtype) {
    TensorImpl* t = fresh(i);
    t->shape = shape;
    t->dtype = dtype;
  }
  // For building the shape in place.
  Shape& out(int i, DType dtype) {
    TensorImpl* t = fresh(i);
    t->dtype = dtype;
    return t->shape;
  }
  // A result that this call does not have (optional result).
  void absent(int) {}
  // Number of results of a list result; then out(i, ...) for each.
  void set_list_size(size_t n) { outs_.resize(n); }
  // A size that only the kernel knows: a fresh symbol under capture, 0 (to be replaced) in eager.
  Dim data_dependent_size() const;

  // -- checks in the operator's name -----------------------------------------------------------
  void require_floating(int i) const;  // floating or complex
  void require_integer(int i) const;   // integers (bool not)
  void require_index(int i) const;     // int32 or int64
  void require_rank_at_least(int i, int64_t rank) const;
  void require_rank(int i, int64_t rank) const;
  void require_same_dtype(int i, int j) const;
  void require_dtype(int i, DType dtype) const;
  void require_shape(int i, const Shape& shape) const;
  void require_elements(int i, Dim count) const;  // in any shape
  void require_like(int i, int j) const;          // argument j has shape and dtype of argument i
  int64_t axis(int k, int64_t rank) const;        // attribute k normalised into [0, rank)

 private:
  TensorImpl* fresh(int i) {
    Tensor& t = outs_[static_cast<size_t>(i)];
    if (!t.defined()) t = Tensor(IntrusivePtr<TensorImpl>::adopt(TensorImpl::create()));
    return t.impl();
  }
  const OpDef& op_;
  const Slot* args_;
  SmallVector<Tensor, 3>& outs_;
};

// Rules that many operators share.
namespace infer {
PADDLE_API void same_as_x(Infer& c);        // result 0 = shape and dtype of argument 0
PADDLE_API void same_as_both(Infer& c);     // the same; argument 1 must be like argument 0
PADDLE_API void same_as_x_float(Infer& c);  // the same; argument 0 must be floating or complex
PADDLE_API void broadcast(Infer& c);        // arguments 0 and 1 broadcast; dtype of argument 0
PADDLE_API void compare(Infer& c);          // arguments 0 and 1 broadcast; bool
}  // namespace infer

}  // namespace paddle
