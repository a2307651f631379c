// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Recording of calls, writes and gradients.
#include "pir/capture/capture.h"
#include "paddle_core/autograd/view_sync.h"

#include <algorithm>
#include <atomic>

#include "paddle_core/dispatch/core_ops.h"
#include "paddle_core/dispatch/observers.h"
#include "paddle_core/dispatch/open_numbers.h"
#include "pir/capture/graphs_end.h"
#include "pir/dialect/control_flow.h"
#include "pir/dialect/runtime_value.h"

namespace paddle::pir {
namespace {

std::atomic<uint64_t> next_id{1};

std::string at_user_line() {
  const std::string where = running_location();
  return where.empty() ? std::string() : str(" at ", where);
}

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

}  // namespace

Capture::Capture(bool for_export)
    : id_(next_id.fetch_add(1)),
      for_export_(for_export),
      result_(std::make_unique<Captured>()),
      builder_((result_->program = std::make_unique<Program>())->block()) {
  result_->for_export = for_export;
}

Capture::~Capture() {
  if (active_) end();
  restore();
}

void Capture::begin() {
  PADDLE_CHECK_RUNTIME(
      !capture_sink(),
      "to_static: another capture is active on this thread; captures do not nest.");
  symbols_ = std::make_unique<SymbolScope>();
  result_->program->keep_symbols(symbols_->owner());
  follow_detached();
  set_capture_sink(this);
  outer_synced_ = autograd::list_synced_views(&synced_);
  active_ = true;
}

void Capture::abandon() {
  end();
  restore();
}

void Capture::end() {
  if (!active_) return;
  active_ = false;
  scopes_.clear();
  if (capture_sink() == this) {  // not where it is destroyed after others took over
    set_capture_sink(nullptr);
    autograd::list_synced_views(outer_synced_);
  }
  synced_.clear();
  result_->facts = symbols_->facts();
  symbols_.reset();
}

void Capture::suspend() {
  if (!active_) return;
  active_ = false;
  for (auto& [impl, w] : written_) w.last = last_value(impl, w);
  set_capture_sink(outer_);
  autograd::list_synced_views(outer_synced_);
  symbols_->suspend();
}

void Capture::resume() {
  PADDLE_CHECK_RUNTIME(!active_, "program_guard: the program is being recorded already.");
  outer_ = capture_sink();
  if (symbols_) {
    symbols_->resume();
  } else {
    symbols_ = std::make_unique<SymbolScope>();
    result_->program->keep_symbols(symbols_->owner());
  }
  set_capture_sink(this);
  outer_synced_ = autograd::list_synced_views(&synced_);
  active_ = in_parts_ = true;
}

std::vector<CapturedWrite> Capture::current_writes() const {
  std::vector<CapturedWrite> writes;
  for (const auto& [impl, w] : written_) writes.push_back({w.tensor, last_value(impl, w)});
  return writes;
}

Tensor Capture::find(std::string_view name) const {
  for (const TensorList* list : {&inputs_, &born_}) {
    for (const Tensor& t : *list) {
      if (t->name && *t->name == name) return t;
    }
  }
  for (const CapturedInput& c : result_->captured) {
    if (c.tensor.defined() && c.tensor->name && *c.tensor->name == name) return c.tensor;
  }
  return {};
}

Tensor Capture::stand_in(Value* v) {
  Tensor t = Tensor::meta(v->type().local_shape(), v->type().dtype(), v->type().place());
  attach(t, v);
  born_.push_back(t);
  return t;
}

std::string Capture::location_text() { return at_user_line(); }

void Capture::attach(const Tensor& t, Value* v) {
  if (!scopes_.empty()) note_outer(t);
  t->capture = {id_, v};
}

Tensor Capture::add_input(const std::string& name, const std::vector<int64_t>& shape, DType dtype,
                          bool stop_gradient, const std::vector<int64_t>& examples, Place where) {
  Shape dims, declared;
  for (size_t i = 0; i < shape.size(); ++i) {
    declared.push_back(Dim(shape[i] < 0 ? -1 : shape[i]));
    if (shape[i] >= 0) {
      dims.push_back(Dim(shape[i]));
    } else {
      dims.push_back(i < examples.size() ? symbols_->fresh(examples[i]) : symbols_->fresh());
    }
  }
  Place place;
  place.kind = DeviceKind::kUndefined;
  Operation* op =
      builder_.create("pd_op.data", {}, {Type::tensor(dtype, dims, where)},
                      {{"name", name}, {"shape", declared}, {"dtype", dtype}, {"place", place}});
  op->result()->stop_gradient = stop_gradient;
  if (!stop_gradient) differentiated_.insert(op->result());
  Tensor t = Tensor::meta(dims, dtype, where);
  attach(t, op->result());
  autograd::set_stop_gradient(t, stop_gradient);
  result_->inputs.push_back(op->result());
  inputs_.push_back(t);
  born_.push_back(t);
  return t;
}

Value* Capture::capture_input(const Tensor& t) {
  const auto found = by_impl_.find(t.impl());
  if (found != by_impl_.end()) return result_->captured[found->second].value;
  Builder at_start(result_->program->block());
  auto& ops = result_->program->block().operations();
  if (!ops.empty()) at_start.set_before(ops.front().get());
  Operation* op = at_start.create("builtin.parameter", {}, {Type::of(t)},
                                  {{"index", static_cast<int64_t>(result_->captured.size())}});
  op->result()->stop_gradient = t->stop_gradient;
  op->result()->persistable = t->persistable || t->is_parameter;
  if (!t->stop_gradient) differentiated_.insert(op->result());
  CapturedInput input;
  input.value = op->result();
  const auto old = old_grad_.find(t.impl());
  if (old != old_grad_.end()) {
    input.grad_of = leaves_[old->second].leaf;
  } else {
    input.tensor = t;
  }
  by_impl_[t.impl()] = result_->captured.size();
  result_->captured.push_back(std::move(input));
  if (!t->stop_gradient && autograd::is_leaf(t)) leaf_gradient(t);
  return op->result();
}

Value* Capture::copied_value(const Tensor& t) const {
  for (const auto& [id, values] : sources_) {
    if (t->capture.program != id) continue;
    const auto found = values.find(static_cast<const Value*>(t->capture.value));
    return found == values.end() ? nullptr : found->second;
  }
  return nullptr;
}

std::vector<SymbolFact> Capture::current_facts() const {
  std::vector<SymbolFact> facts = result_->facts;
  if (symbols_) facts.insert(facts.end(), symbols_->facts().begin(), symbols_->facts().end());
  return facts;
}

Value* Capture::value_of(const Tensor& t) {
  if (t->capture.program == id_) {
    Value* v = latest(static_cast<Value*>(t->capture.value));
    PADDLE_CHECK_RUNTIME(!is_discarded(v), "to_static: a tensor of shape ", t.shape(),
                         " of a branch or loop on a tensor that was recorded anew, or left by an "
                         "exception, is used",
                         at_user_line(),
                         "; keep what goes from round to round in a variable, attribute, list or "
                         "dict that the loop names.");
    return v;
  }
  if (!t.has_storage() && !sources_.empty()) {
    if (Value* v = copied_value(t)) return v;
  }
  PADDLE_CHECK_RUNTIME(t.has_storage(), "to_static: a tensor of shape ", t.shape(),
                       " has no values in this capture", at_user_line(),
                       "; it belongs to another capture that has ended.");
  const auto known = written_.find(t.impl());
  const bool left = known != written_.end() && known->second.last;
  Value* v = left ? known->second.last : capture_input(t);
  if (Value* other = left ? nullptr : written_memory(t)) v = other;
  attach(t, v);
  return v;
}

bool Capture::is_visible(const Value* v) {
  const Block* block = v->block();
  if (block == &result_->program->block()) return true;
  for (const Block* at = &builder_.block(); at;) {
    if (block == at) return true;
    const Operation* owner = at->region() ? at->region()->parent() : nullptr;
    at = owner ? owner->block() : nullptr;
  }
  return std::any_of(scopes_.begin(), scopes_.end(),
                     [&](auto& s) { return &s->outer.block() == block; });
}

Value* Capture::operand_of(const Tensor& t) {
  Value* v = value_of(t);
  PADDLE_CHECK_RUNTIME(
      is_visible(v), "to_static: a tensor of shape ", t.shape(),
      " that was made inside of a branch or loop on a tensor is used outside of it", at_user_line(),
      "; return it from there, or assign it to a variable, attribute or container that is named in "
      "the branch.");
  check_not_stale(t);
  note_leaf(t);
  return constant_of(t, builder_);
}

void Capture::note_leaf(const Tensor& t) {
  if (t->stop_gradient || t.has_storage() || !autograd::is_leaf(t)) return;
  if (is_differentiable(t.dtype())) differentiated_.insert(value_of(t));
  const auto is_same = [&t](const Tensor& s) { return s.same_impl(t); };
  for (const TensorList* list : {&inputs_, &leaves_made_}) {
    if (std::any_of(list->begin(), list->end(), is_same)) return;
  }
  leaves_made_.push_back(t);
}

Value* Capture::constant_of(const Tensor& t, Builder& at) {
  Value* v = value_of(t);
  if (!t->stop_gradient || for_export_ || differentiating_ || !differentiated_.contains(v)) {
    return v;
  }
  const auto known = constants_.find(v);
  if (known != constants_.end() && known->second->block() == &at.block()) return known->second;
  Value* constant = at.create(std::string(kDetach), {v}, {v->type()})->result();
  constants_[v] = constant;
  return constant;
}

// Results that depend on something that needs a gradient: a recorded run gives them a history.
void Capture::note_gradient(const Operation& op) {
  const auto flows = [this](const Value* v) { return v && differentiated_.contains(v); };
  bool any = false;
  for (const Value* v : op.operands()) {
    any = any || flows(v);
    if (!v || !v->producer() || !v->producer()->is("builtin.combine")) continue;
    const auto& list = v->producer()->operands();
    any = any || std::any_of(list.begin(), list.end(), flows);
  }
  for (size_t k = 0; any && k < op.num_results(); ++k) {
    const Type& type = op.result(k)->type();
    if (!type.is_tensor() || is_differentiable(type.dtype())) differentiated_.insert(op.result(k));
  }
}

bool Capture::record_composed(const OpDef& op, const Slot* args, Outputs& outs) {
  if (!for_export_ || !op.has(kUnsaved)) return false;
  const PlaceScope constants(place_of_results(op, args));
  Args view(op, args);
  outs.clear();
  for (Tensor& t : op.decompose_fn(view)) outs.push_back(std::move(t));
  return true;
}

namespace {

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

void Capture::record(const OpDef& op, const Slot* args, Outputs& outs) {
  if (record_composed(op, args, outs)) return;
  if (!OpenNumbers::needed(op, args)) return record_call(op, args, outs, false);
  const OpenNumbers numbers(op, args);
  apply_to_open_numbers(op, args, [&] { record_call(op, numbers.data(), outs, true); });
}

Shape Capture::extents_given(const OpDef& op, const Slot* args, int arg) {
  if (needs_gradient(op, args)) leave_gradients_to_run();
  return numbers_in(op, arg, args[arg]);
}

void Capture::leave_gradients_to_run() {
  has_open_extents_ = true;
  if (!for_export_ && !in_parts_) has_control_flow_ = true;
}

void Capture::record_call(const OpDef& op, const Slot* args, Outputs& outs, bool open_numbers) {
  has_open_extents_ =
      has_open_extents_ || takes_open_extents(op, args) || decided_at_run_time(op, args);
  {
    const SymbolScope::Rule rule(SymbolScope::current());
    infer_results(op, args, outs);
  }
  if (open_numbers) take_extents_of_results(op, args, outs);
  // A gradient rule reads numbers: where one is a tensor, gradients are those of the recorded run.
  if (!for_export_ && !in_parts_ && gradient_needs_value(op, args)) has_control_flow_ = true;
  builder_.location = running_location();
  Operation* made =
      build_operation(builder_, op, args, outs, [this](const Tensor& t) { return operand_of(t); });
  note_gradient(*made);
  if (op.list_result) {
    std::vector<Type> types = made->result()->type().elements();
    made = builder_.create("builtin.split", {made->result()}, std::move(types));
    note_gradient(*made);
  }
  for (size_t k = 0; k < outs.size(); ++k) {
    if (!outs[k].defined()) continue;
    Value* v = made->result(k);
    outs[k]->set_contiguous_layout();
    outs[k]->strides.clear();
    const int source = op.is_native_inplace() ? op.inplace_arg[k] : -1;
    if (source >= 0 && args[source].kind == SlotKind::kTensor) {
      attach(outs[k], v);
      Tensor target(IntrusivePtr<TensorImpl>::share(args[source].tensor));
      first_values_.erase(target.impl());
      put(target, v);
      outs[k] = target;
      continue;
    }
    attach(outs[k], v);
    born_.push_back(outs[k]);
  }
}

void Capture::rebind(const Tensor& target, const Tensor& value) {
  Value* v = value_of(value);
  put(target, grad_enabled() ? v : with_history_of(target, v));
}

void Capture::put(const Tensor& target, Value* v) {
  if (target.has_storage()) {
    value_of(target);  // a captured input first
    written_.emplace(target.impl(), Written{target});
  }
  attach(target, v);
  give_to_shared(target, v);
  for (const auto& scope : scopes_) scope->writes = true;
  if (!chosen_.empty() || !aliases_.empty()) note_written(target);
}

void Capture::give_state(const Tensor& target, const Tensor& value, const std::string& operation) {
  PADDLE_CHECK_RUNTIME(target.has_storage() && target->name, operation,
                       ": the state has no name or no values.");
  Value* v = value_of(value);
  const bool parameter = operation == "builtin.set_parameter";
  builder_.location = running_location();
  builder_.create(operation, {v}, {},
                  {{parameter ? "parameter_name" : "output_name", *target->name}});
  written_.emplace(target.impl(), Written{target});
  attach(target, v);
}

void Capture::name_output(const Tensor& value, const std::string& name) {
  builder_.create("builtin.shadow_output", {operand_of(value)}, {}, {{"output_name", name}});
}

void Capture::forget_state(const Operation& op) {
  for (auto at = written_.begin(); at != written_.end(); ++at) {
    const auto& [impl, w] = *at;
    if (last_value(impl, w) != op.operand(0)) continue;
    const auto read = by_impl_.find(impl);
    impl->capture = {};
    if (read != by_impl_.end()) impl->capture = {id_, result_->captured[read->second].value};
    written_.erase(at);
    return;
  }
}

void Capture::replace_uses(Value* from, Value* to) {
  if (from == to) return;
  from->replace_all_uses_with(to);
  for (auto& [impl, w] : written_) {
    if (last_value(impl, w) != from) continue;
    w.last = to;
    if (impl->capture.program == id_) impl->capture.value = to;
  }
}

void Capture::put_in_place(Value* from, Value* to) {
  if (from == to) return;
  replace_uses(from, to);
  put_.emplace(from, to);
  if (differentiated_.contains(from)) differentiated_.insert(to);
}

void Capture::set_before(Operation* op) {
  if (op) {
    builder_.set_before(op);
  } else {
    builder_.set_end(result_->program->block());
  }
}

void Capture::value_requested(const Tensor& t, const char* what) {
  throw_error(in_parts_ ? ErrorKind::kType : ErrorKind::kRuntime,
              str(in_parts_ ? "static program: " : "to_static: ", what,
                  " asks for the values of a tensor of shape ", t.shape(), at_user_line(),
                  "; values are unknown while a program is captured. Use tensor operators such as "
                  "paddle.where instead, or mark the function with paddle.jit.not_to_static."));
}

namespace {

Tensor hooked(const Tensor& leaf, Tensor grad) {
  const autograd::Meta* meta = autograd::meta_of(leaf);
  if (!meta) return grad;
  for (const autograd::HookEntry& hook : meta->hooks) {
    if (hook.after) continue;
    if (Tensor changed = hook.fn(grad); changed.defined()) grad = std::move(changed);
  }
  return grad;
}

}  // namespace

// What leads to the outputs are operators alone: no PyLayer, no hook.
bool Capture::has_only_operators(const TensorList& outputs) const {
  const auto has_hooks = [](const Tensor& t) {
    const autograd::Meta* meta = autograd::meta_of(t);
    return meta && !meta->hooks.empty();
  };
  if (std::any_of(inputs_.begin(), inputs_.end(), has_hooks)) return false;
  std::unordered_set<const autograd::Node*> seen;
  std::vector<const autograd::Node*> open;
  const auto visit = [&](const autograd::Edge& edge) {
    if (edge.node && seen.insert(edge.node.get()).second) open.push_back(edge.node.get());
  };
  for (const Tensor& t : outputs) visit(autograd::edge_of(t));
  while (!open.empty()) {
    const autograd::Node* node = open.back();
    open.pop_back();
    if (!node->is_operator() || node->extras) return false;
    for (const autograd::Edge& edge : node->edges) visit(edge);
  }
  return true;
}

void Capture::append_gradient(const TensorList& outputs) {
  result_->of_operators = has_only_operators(outputs);
  TensorList wanted, differentiable, seeds;
  std::vector<size_t> position;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i]->stop_gradient) continue;
    wanted.push_back(inputs_[i]);
    result_->grad_inputs.push_back(static_cast<int>(i));
  }
  for (size_t i = 0; i < result_->captured.size(); ++i) {
    const Tensor& t = result_->captured[i].tensor;
    if (!t.defined() || t->stop_gradient) continue;
    wanted.push_back(t);
    result_->grad_inputs.push_back(-1 - static_cast<int>(i));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i]->stop_gradient) continue;
    Operation* data = builder_.create("builtin.gradient", {}, {Type::of(outputs[i])});
    Tensor seed = Tensor::meta(outputs[i].shape(), outputs[i].dtype(), outputs[i].place());
    attach(seed, data->result());
    born_.push_back(seed);
    result_->output_grads[i] = data->result();
    differentiable.push_back(outputs[i]);
    seeds.push_back(seed);
  }
  if (wanted.empty() || differentiable.empty()) {
    result_->grad_inputs.clear();
    return;
  }
  differentiating_ = true;
  const GraphsEnd here(wanted);
  TensorList grads = autograd::grad(differentiable, wanted, seeds, false, false, true, {});
  for (size_t i = 0; i < grads.size(); ++i) {
    // Hooks of an input are those of the function; a captured tensor runs its own at each backward.
    if (grads[i].defined() && !wanted[i].has_storage()) grads[i] = hooked(wanted[i], grads[i]);
  }
  differentiating_ = false;
  for (const Tensor& g : grads) result_->input_grads.push_back(g.defined() ? value_of(g) : nullptr);
}

void Capture::set_outputs(const TensorList& outputs, bool differentiate) {
  for (const Tensor& t : outputs) {
    autograd::sync_view(t);
    result_->outputs.push_back(operand_of(t));
    result_->outputs.back()->stop_gradient = t->stop_gradient;
  }
  settle_hooks();
  result_->num_forward = result_->program->num_operations();
  const size_t captured_before = result_->captured.size();
  result_->output_grads.assign(outputs.size(), nullptr);
  result_->has_control_flow = has_control_flow_;
  if (differentiate && !ran_backward_ && !has_control_flow_) append_gradient(outputs);
  // Captured inputs stand at the front of the block, so late ones move the boundary.
  result_->num_forward += result_->captured.size() - captured_before;
}

void Capture::collect_input_writes() {
  for (const auto& [impl, entry] : aliases_.stale) {  // others see these
    const bool is_input = std::any_of(inputs_.begin(), inputs_.end(),
                                      [&](const Tensor& t) { return t.impl() == impl; });
    if (is_input || entry.tensor.has_storage()) check_not_stale(entry.tensor);
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Tensor& t = inputs_[i];
    Value* last = static_cast<Value*>(t->capture.value);
    if (last == result_->inputs[i]) continue;
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, t->stop_gradient, "to_static: input ", i,
                      " is written in place and needs a gradient; clone() it in the function "
                      "before the write.");
    result_->input_writes.emplace_back(i, last);
  }
}

void Capture::collect_created() {
  hooks_.clear();
  leaves_made_.clear();
  for (Tensor& t : born_) t->autograd.reset();
  for (Tensor& t : inner_born_) {
    t->autograd.reset();
    t->capture = {};
  }
  inner_born_.clear();
  discarded_.clear();
  chosen_.clear();
  aliases_.clear();
  shared_.clear();
  synced_.clear();
  std::unordered_map<TensorImpl*, Tensor> unique;
  for (Tensor& t : inputs_) unique.emplace(t.impl(), Tensor());
  inputs_.clear();
  TensorList born;
  for (Tensor& t : born_) {
    if (unique.emplace(t.impl(), Tensor()).second) born.push_back(t);
  }
  born_.clear();
  unique.clear();
  for (Tensor& t : born) {
    if (t.ptr()->use_count() > 1) {
      result_->created.push_back({t, static_cast<Value*>(t->capture.value)});
    }
  }
}

std::unique_ptr<Captured> Capture::finish() {
  try {
    collect_grads();
    for (auto& [impl, w] : written_) {
      CapturedWrite write{.target = w.tensor, .value = last_value(impl, w)};
      if (const auto old = old_grad_.find(impl); old != old_grad_.end()) {
        write.grad_of = leaves_[old->second].leaf;
      }
      result_->writes.push_back(std::move(write));
    }
    collect_input_writes();
    collect_created();
  } catch (...) {
    abandon();  // the exception may keep this capture
    throw;
  }
  end();
  restore();
  return std::move(result_);
}

void Capture::restore() {
  for (LeafGradient& g : leaves_) {
    autograd::Meta& meta = autograd::ensure_meta(g.leaf);
    meta.grad = g.before;
    meta.grad_is_zero = g.found == autograd::GradState::kZero;
  }
  const auto release = [this](TensorImpl* impl) {
    if (impl->capture.program == id_) impl->capture = {};  // else another program has it now
  };
  for (auto& [impl, w] : written_) release(impl);
  if (result_) {
    for (CapturedInput& c : result_->captured) {
      if (c.tensor.defined()) release(c.tensor.impl());
    }
  }
  leaves_.clear();
  by_leaf_.clear();
  old_grad_.clear();
  written_.clear();
}

}  // namespace paddle::pir
