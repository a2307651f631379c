// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Writes that change no history: under no_grad(), or to another tensor over the same memory, a
// tensor gets other values and keeps what its gradient flows to.
#include "pir/capture/capture.h"
#include "pir/dialect/control_flow.h"

namespace paddle::pir {

Value* Capture::with_history_of(const Tensor& t, Value* v) {
  const bool is_recorded = !in_parts_ && !for_export_ && !differentiating_;
  if (!is_recorded || t->stop_gradient || !is_differentiable(t.dtype())) return v;
  Value* before = value_of(t);
  if (before == v || !(before->type() == v->type()) || !differentiated_.contains(before)) return v;
  if (autograd::is_leaf(t)) first_values_.try_emplace(t.impl(), before);
  Operation* op = builder_.create(std::string(kWithHistory), {v, before}, {v->type()});
  op->location = location_text();
  differentiated_.insert(op->result());
  return op->result();
}

Value* Capture::differentiated_value_of(const Tensor& t) {
  const auto found = first_values_.find(t.impl());
  const bool is_there = found != first_values_.end() && is_visible(found->second);
  return is_there ? found->second : value_of(t);
}

void Capture::set_stop_gradient(const Tensor& t, bool stop) {
  if (!scopes_.empty() && !in_parts_ && t->stop_gradient != stop) {
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, !t.has_storage(),
                      "to_static: stop_gradient of a tensor of shape ", t.shape(),
                      " from outside of the function is set in a branch or loop on a tensor",
                      location_text(), "; it would be so in some runs only. Set it outside of it.");
    if (stop && owns(t)) note_outer(t);
  }
  autograd::set_stop_gradient(t, stop);
}

}  // namespace paddle::pir
