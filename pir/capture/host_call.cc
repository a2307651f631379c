// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of the host language in captured programs: calls with values, and hooks on gradients.
#include "paddle_core/autograd/view_sync.h"
#include "pir/capture/capture.h"
#include "pir/dialect/control_flow.h"

namespace paddle::pir {

TensorList Capture::host_call(HostFunction function, const TensorList& values,
                              const TensorList& like) {
  PADDLE_CHECK_RUNTIME(context_.active, "to_static: a call is recorded outside of a capture.");
  if (context_.for_export && like.empty()) return {};
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, !context_.for_export,
                    "jit.save: a saved program cannot call a Python function", location_text(),
                    ".");
  std::vector<Value*> operands;
  for (const Tensor& t : values) {
    autograd::sync_view(t);
    operands.push_back(like.empty() ? values_.value_of(t) : values_.operand_of(t));
  }
  std::vector<Type> types;
  for (const Tensor& t : like) types.push_back(Type::of(t));
  context_.result->host_functions.push_back(std::make_shared<HostFunction>(std::move(function)));
  Operation* op = context_.builder.create(
      std::string(kHostCall), operands, std::move(types),
      {{"function", register_host_function(context_.result->host_functions.back())}});
  op->location = location_text();
  if (like.empty()) return {};
  context_.has_control_flow = true;  // gradients are those of the recorded run
  return gradients_.deferred_results(*op, like);
}

void Gradients::record_hook(const Tensor& t, uint64_t id, HostFunction hook) {
  if (context_.for_export || context_.in_parts || t.has_storage() ||
      t->capture.program != context_.id)
    return;
  context_.result->host_functions.push_back(std::make_shared<HostFunction>(std::move(hook)));
  Operation* op = context_.builder.create(
      std::string(kHook), {values().value_of(t)}, {},
      {{"function", register_host_function(context_.result->host_functions.back())}});
  op->location = location_text();
  hooks_.push_back({t, id, op, &context_.builder.block()});
}

void Gradients::forget_hook(const Tensor& t, uint64_t id) {
  for (auto at = hooks_.rbegin(); at != hooks_.rend(); ++at) {
    if (at->id != id || !at->tensor.same_impl(t)) continue;
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, at->block == &context_.builder.block(),
                      "to_static: a hook is removed inside of a branch or loop on a tensor",
                      location_text(), "; remove it where it was registered.");
    context_.builder.block().erase(at->op);
    hooks_.erase(std::next(at).base());
    return;
  }
}

// Without control flow the gradient is part of the program and has the hooks already. The
// part of a gradient that is taken in the function, before the run, knows them too, so that a hook
// could see it in two halves.
void Gradients::finish_hooks() {
  if (!context_.has_control_flow) {
    for (const RecordedHook& hook : hooks_) context_.builder.block().erase(hook.op);
    hooks_.clear();
  }
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, hooks_.empty() || !context_.result->has_gradient,
                    "to_static: register_hook in a function that takes gradients through branches "
                    "or loops on tensors itself; use full_graph=False.");
}

}  // namespace paddle::pir
