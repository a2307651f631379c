// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of elements.
#include "cinn/group/elements.h"

#include <algorithm>

#include "cinn/group/group_op.h"
#include "paddle_core/op/op_def.h"

namespace paddle::cinn {

Dim numel(const pir::Type& type) {
  Dim all = 1;
  for (const Dim d : type.shape()) all = all * d;
  return all;
}

Dim larger(Dim a, Dim b) {
  if (a == b || b == Dim(1)) return a;
  if (a == Dim(1)) return b;
  if (!a.is_symbolic() && !b.is_symbolic()) return std::max(a.value(), b.value());
  return b.is_symbolic() && !a.is_symbolic() ? b : a;
}

Dim elements_of(const pir::Operation& op) {
  Dim most = 1;
  for (const pir::Value* v : op.operands()) {
    if (v && v->type().is_tensor() && !(v->producer() && is_constant_maker(*v->producer()))) {
      // What is read at some places only says nothing of the elements that are computed.
      const bool picks = op.is("pd_op.gather") || op.is("pd_op.gather_nd") ||
                         op.is("pd_op.take_along_axis") || op.def->is_view();
      if (!picks) most = larger(most, numel(v->type()));
    }
  }
  for (size_t k = 0; k < op.num_results(); ++k) {
    if (op.result(k)->type().is_tensor()) most = larger(most, numel(op.result(k)->type()));
  }
  return most;
}

Dim elements_of_group(const pir::Operation& op) {
  Dim most = 1;
  for (const pir::Value* v : op.operands()) {
    if (v && v->type().is_tensor()) most = larger(most, numel(v->type()));
  }
  for (size_t k = 0; k < op.num_results(); ++k) most = larger(most, numel(op.result(k)->type()));
  return most;
}

}  // namespace paddle::cinn
