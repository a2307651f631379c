// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of the host language in captured programs: calls with values, and hooks on gradients.
#include "pir/capture/capture.h"
#include "pir/dialect/control_flow.h"

namespace paddle::pir {

TensorList Capture::host_call(HostFunction function, const TensorList& values,
                              const TensorList& like) {
  PADDLE_CHECK_RUNTIME(active_, "to_static: a call is recorded outside of a capture.");
  if (for_export_ && like.empty()) return {};
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, !for_export_,
                    "jit.save: a saved program cannot call a Python function", location_text(),
                    ".");
  std::vector<Value*> operands;
  for (const Tensor& t : values) {
    autograd::sync_view(t);
    operands.push_back(like.empty() ? value_of(t) : operand_of(t));
  }
  std::vector<Type> types;
  for (const Tensor& t : like) types.push_back(Type::of(t));
  result_->host_functions.push_back(std::make_shared<HostFunction>(std::move(function)));
  Operation* op =
      builder_.create(std::string(kHostCall), operands, std::move(types),
                      {{"function", register_host_function(result_->host_functions.back())}});
  op->location = location_text();
  if (like.empty()) return {};
  has_control_flow_ = true;  // gradients are those of the recorded run
  return results_of(*op, like);
}

void Capture::record_hook(const Tensor& t, uint64_t id, HostFunction hook) {
  if (for_export_ || in_parts_ || t.has_storage() || t->capture.program != id_) return;
  result_->host_functions.push_back(std::make_shared<HostFunction>(std::move(hook)));
  Operation* op =
      builder_.create(std::string(kHook), {value_of(t)}, {},
                      {{"function", register_host_function(result_->host_functions.back())}});
  op->location = location_text();
  hooks_.push_back({t, id, op, &builder_.block()});
}

void Capture::forget_hook(const Tensor& t, uint64_t id) {
  for (auto at = hooks_.rbegin(); at != hooks_.rend(); ++at) {
    if (at->id != id || !at->tensor.same_impl(t)) continue;
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, at->block == &builder_.block(),
                      "to_static: a hook is removed inside of a branch or loop on a tensor",
                      location_text(), "; remove it where it was registered.");
    builder_.block().erase(at->op);
    hooks_.erase(std::next(at).base());
    return;
  }
}

// Without control flow the gradient is part of the program and has the hooks already. The
// part of a gradient that is taken in the function, before the run, knows them too, so that a hook
// could see it in two halves.
void Capture::settle_hooks() {
  if (!has_control_flow_) {
    for (const RecordedHook& hook : hooks_) builder_.block().erase(hook.op);
    hooks_.clear();
  }
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, hooks_.empty() || !result_->has_gradient,
                    "to_static: register_hook in a function that takes gradients through branches "
                    "or loops on tensors itself; use full_graph=False.");
}

}  // namespace paddle::pir
