// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a gradient rule sees. It is written with operators, so it can itself be differentiated,
// captured and compiled. Conventions: the gradient of a real loss with respect to a complex tensor
// is the conjugate one (grad = dL/dRe + i dL/dIm), so d(x*y) gives multiply(g, conj(y)).
// The engine sums each gradient to its input's shape and casts it to its dtype; the rule does not.
// Arguments that are not declared in saves() have shape and dtype but no values.
#pragma once

#include "paddle_core/op/args.h"

namespace paddle {

class PADDLE_API Vjp {
 public:
  Vjp(const OpDef& op, const Slot* args, const Tensor* outs, const Tensor* grads, uint64_t needs)
      : args_(op, args), outs_(outs), grads_(grads), needs_(needs) {}

  const Args& args() const { return args_; }
  // Gradient of result k; undefined when nothing flows into it (a symbolic zero).
  const Tensor& grad(int k = 0) const { return grads_[k]; }
  bool has_grad(int k) const { return grads_[k].defined(); }
  Tensor in(int i) const { return args_.tensor(i); }
  TensorList list(int i) const { return args_.list(i); }
  const Tensor& out(int k = 0) const { return outs_[k]; }
  bool needs(int i) const { return (needs_ >> i) & 1u; }  // any element, for a list
  bool has(int i) const { return args_.has(i); }
  int64_t i(int k) const { return args_.i(k); }
  bool b(int k) const { return args_.b(k); }
  double f(int k) const { return args_.f(k); }
  DType dtype(int k) const { return args_.dtype(k); }
  Scalar scalar(int k) const { return args_.scalar(k); }
  Shape ints(int k) const { return args_.ints(k); }
  std::string_view text(int k) const { return args_.text(k); }

  void set(int i, Tensor gradient) { result_slot(i) = {std::move(gradient)}; }
  void set_list(int i, TensorList gradients) { result_slot(i) = std::move(gradients); }

  // For the engine: per argument, the gradients given (one, or one per list element).
  std::vector<TensorList>& results() { return results_; }

 private:
  TensorList& result_slot(int i) {
    if (results_.size() <= static_cast<size_t>(i)) results_.resize(static_cast<size_t>(i) + 1);
    return results_[static_cast<size_t>(i)];
  }
  Args args_;
  const Tensor* outs_;
  const Tensor* grads_;
  uint64_t needs_;
  std::vector<TensorList> results_;
};

}  // namespace paddle
