// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Recording of calls, and the life of a capture.
#include "pir/capture/capture.h"

#include <algorithm>
#include <atomic>

#include "paddle_core/autograd/view_sync.h"
#include "paddle_core/dispatch/core_ops.h"
#include "paddle_core/dispatch/execute/decomposition.h"
#include "paddle_core/dispatch/open_numbers.h"
#include "paddle_core/dispatch/watch/observers.h"
#include "pir/dialect/control_flow.h"
#include "pir/dialect/runtime_value.h"

namespace paddle::pir {

namespace {

std::atomic<uint64_t> next_id{1};

// Extents given as tensors, for an operator whose gradient asks for them.
bool takes_open_extents(const OpDef& op, const Slot* args) {
  if (!op.differentiable || op.has(kGradientByShape)) return false;
  const auto& specs = op.schema().args;
  for (size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].type == ArgType::kIntArray &&
        (args[i].kind == SlotKind::kTensor || args[i].kind == SlotKind::kTensorList)) {
      return true;
    }
  }
  return false;
}

bool needs_gradient(const OpDef& op, const Slot* args) {
  bool needed = false;
  for (size_t i = 0; i < op.num_args && op.differentiable; ++i) {
    if (!op.schema().args[i].is_tensor()) continue;
    const bool one = args[i].kind == SlotKind::kTensor;
    if (!one && args[i].kind != SlotKind::kTensorList) continue;
    if (one) needed |= !args[i].tensor->stop_gradient;
    for (uint32_t k = 0; !one && k < args[i].count; ++k) {
      needed |= args[i].list[k].defined() && !args[i].list[k]->stop_gradient;
    }
  }
  return needed;
}

bool gradient_needs_value(const OpDef& op, const Slot* args) {
  if (!op.vjp_fn || op.has(kGradientByShape)) return false;
  return (OpenNumbers::needed(op, args) || decided_at_run_time(op, args)) &&
         needs_gradient(op, args);
}

// An extent that is a number as it was given may have stood for another one, as -1 does: it is
// known from the result.
void take_extents_of_results(const OpDef& op, const Slot* args, Outputs& outs) {
  const auto is_given = [&](Dim d) {
    return std::any_of(args, args + op.num_args, [d](const Slot& s) {
      return s.kind == SlotKind::kInts &&
             std::find(s.dims, s.dims + s.count, d) != s.dims + s.count;
    });
  };
  for (const Tensor& out : outs) {
    for (size_t k = 0; out.defined() && k < out.shape().size(); ++k) {
      Dim& extent = out->shape[k];
      if (extent.is_symbolic() && is_given(extent)) extent = SymbolScope::current()->fresh();
    }
  }
}

}  // namespace

CaptureContext::CaptureContext(bool exported)
    : id(next_id.fetch_add(1)),
      for_export(exported),
      result(std::make_unique<Captured>()),
      builder((result->program = std::make_unique<Program>())->block()) {
  result->for_export = exported;
}

std::string location_text() {
  const std::string where = running_location();
  return where.empty() ? std::string() : str(" at ", where);
}

Capture::Capture(bool for_export) : context_(for_export) {}

Capture::~Capture() {
  if (context_.active) end();
  restore();
}

void Capture::begin() {
  PADDLE_CHECK_RUNTIME(
      !capture_sink(),
      "to_static: another capture is active on this thread; captures do not nest.");
  context_.symbols = std::make_unique<SymbolScope>();
  context_.result->program->keep_symbols(context_.symbols->owner());
  Writes::follow_detached();
  set_capture_sink(this);
  control_flow_.list_views();
  context_.active = true;
}

void Capture::abandon() {
  end();
  restore();
}

void Capture::end() {
  if (!context_.active) return;
  context_.active = false;
  const bool installed = capture_sink() == this;  // else others took over before it is destroyed
  if (installed) set_capture_sink(nullptr);
  control_flow_.end(installed);
  context_.result->facts = context_.symbols->facts();
  context_.symbols.reset();
}

void Capture::suspend() {
  if (!context_.active) return;
  context_.active = false;
  writes_.suspend();
  set_capture_sink(outer_sink_);
  control_flow_.unlist_views();
  context_.symbols->suspend();
}

void Capture::resume() {
  PADDLE_CHECK_RUNTIME(!context_.active, "program_guard: the program is being recorded already.");
  outer_sink_ = capture_sink();
  if (context_.symbols) {
    context_.symbols->resume();
  } else {
    context_.symbols = std::make_unique<SymbolScope>();
    context_.result->program->keep_symbols(context_.symbols->owner());
  }
  set_capture_sink(this);
  control_flow_.list_views();
  context_.active = context_.in_parts = true;
}

std::vector<SymbolFact> Capture::current_facts() const {
  std::vector<SymbolFact> facts = context_.result->facts;
  if (context_.symbols)
    facts.insert(facts.end(), context_.symbols->facts().begin(), context_.symbols->facts().end());
  return facts;
}

bool Capture::record_composed(const OpDef& op, const Slot* args, Outputs& outs) {
  if (!context_.for_export || !op.has(kUnsaved)) return false;
  const PlaceScope constants(place_of_results(op, args));
  outs.clear();
  for (Tensor& t : decomposed(op, args)) outs.push_back(std::move(t));
  return true;
}

void Capture::record(const OpDef& op, const Slot* args, Outputs& outs) {
  if (record_composed(op, args, outs)) return;
  if (!OpenNumbers::needed(op, args)) return record_call(op, args, outs, false);
  const OpenNumbers numbers(op, args);
  apply_to_open_numbers(op, args, [&] { record_call(op, numbers.data(), outs, true); });
}

Shape Capture::extents_given(const OpDef& op, const Slot* args, int arg) {
  if (needs_gradient(op, args)) gradients_.defer();
  return extents_.numbers_in(op, arg, args[arg]);
}

void Capture::record_call(const OpDef& op, const Slot* args, Outputs& outs, bool open_numbers) {
  context_.has_dynamic_extents =
      context_.has_dynamic_extents || takes_open_extents(op, args) || decided_at_run_time(op, args);
  {
    const SymbolScope::Rule rule(SymbolScope::current());
    infer_results(op, args, outs);
  }
  if (open_numbers) take_extents_of_results(op, args, outs);
  // A gradient rule reads numbers: where one is a tensor, gradients are those of the recorded run.
  if (!context_.for_export && !context_.in_parts && gradient_needs_value(op, args))
    context_.has_control_flow = true;
  context_.builder.location = running_location();
  Operation* made = build_operation(context_.builder, op, args, outs,
                                    [this](const Tensor& t) { return values_.operand_of(t); });
  gradients_.propagate(*made);
  if (op.list_result) {
    std::vector<Type> types = made->result()->type().elements();
    made = context_.builder.create("builtin.split", {made->result()}, std::move(types));
    gradients_.propagate(*made);
  }
  for (size_t k = 0; k < outs.size(); ++k) {
    if (!outs[k].defined()) continue;
    Value* v = made->result(k);
    outs[k]->set_contiguous_layout();
    outs[k]->strides.clear();
    const int source = op.is_native_inplace() ? op.inplace_arg[k] : -1;
    if (source >= 0 && args[source].kind == SlotKind::kTensor) {
      values_.attach(outs[k], v);
      Tensor target(IntrusivePtr<TensorImpl>::share(args[source].tensor));
      gradients_.forget_first_value(target.impl());
      writes_.write(target, v);
      outs[k] = target;
      continue;
    }
    values_.add_made(outs[k], v);
  }
}

void Capture::rebind(const Tensor& target, const Tensor& value) {
  Value* v = values_.value_of(value);
  writes_.write(target, grad_enabled() ? v : gradients_.keep_history(target, v));
}

void Capture::value_requested(const Tensor& t, const char* what) {
  throw_error(context_.in_parts ? ErrorKind::kType : ErrorKind::kRuntime,
              str(context_.in_parts ? "static program: " : "to_static: ", what,
                  " asks for the values of a tensor of shape ", t.shape(), location_text(),
                  "; values are unknown while a program is captured. Use tensor operators such as "
                  "paddle.where instead, or mark the function with paddle.jit.not_to_static."));
}

void Capture::name_output(const Tensor& value, const std::string& name) {
  context_.builder.create("builtin.shadow_output", {values_.operand_of(value)}, {},
                          {{"output_name", name}});
}

void Capture::set_insertion_point(Operation* before) {
  if (before) {
    context_.builder.set_before(before);
  } else {
    context_.builder.set_end(context_.result->program->block());
  }
}

void Capture::set_outputs(const TensorList& outputs, bool differentiate) {
  Captured& result = *context_.result;
  for (const Tensor& t : outputs) {
    autograd::sync_view(t);
    result.outputs.push_back(values_.operand_of(t));
    result.outputs.back()->stop_gradient = t->stop_gradient;
  }
  gradients_.finish_hooks();
  result.num_forward = result.program->num_operations();
  const size_t captured_before = result.captured.size();
  result.output_grads.assign(outputs.size(), nullptr);
  result.has_control_flow = context_.has_control_flow;
  if (differentiate && !gradients_.ran_backward() && !context_.has_control_flow) {
    gradients_.append(outputs);
  }
  // Captured inputs stand at the front of the block, so late ones move the boundary.
  result.num_forward += result.captured.size() - captured_before;
}

std::unique_ptr<Captured> Capture::finish() {
  try {
    gradients_.collect();
    writes_.collect();
    phis_.check_visible_not_stale();
    values_.collect_input_writes();
    // What holds tensors of the capture lets go of them: those that stay outlive it.
    gradients_.forget_recorded();
    values_.reset_history();
    control_flow_.clear();
    phis_.clear();
    writes_.forget_shared();
    values_.collect_created();
  } catch (...) {
    abandon();  // the exception may keep this capture
    throw;
  }
  end();
  restore();
  return std::move(context_.result);
}

void Capture::restore() {
  gradients_.restore();
  values_.release_captured();
  writes_.restore();
}

}  // namespace paddle::pir
