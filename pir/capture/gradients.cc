// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which values have a gradient, and the gradient that is part of the program.
#include "pir/capture/gradients.h"

#include <algorithm>
#include <utility>

#include "paddle_core/autograd/autograd.h"
#include "pir/capture/capture.h"
#include "pir/capture/graph_boundary.h"
#include "pir/dialect/control_flow.h"

namespace paddle::pir {

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

void Gradients::note_leaf(const Tensor& t) {
  if (t->stop_gradient || t.has_storage() || !autograd::is_leaf(t)) return;
  if (is_differentiable(t.dtype())) mark(values().value_of(t));
  const auto is_same = [&t](const Tensor& s) { return s.same_impl(t); };
  for (const TensorList* list : {&values().inputs(), &std::as_const(leaves_made_)}) {
    if (std::any_of(list->begin(), list->end(), is_same)) return;
  }
  leaves_made_.push_back(t);
}

Value* Gradients::constant_of(const Tensor& t, Builder& at) {
  Value* v = values().value_of(t);
  if (!t->stop_gradient || context_.for_export || differentiating_ || !is_marked(v)) {
    return v;
  }
  const auto known = constants_.find(v);
  if (known != constants_.end() && known->second->block() == &at.block()) return known->second;
  Value* constant = at.create(std::string(kDetach), {v}, {v->type()})->result();
  constants_[v] = constant;
  return constant;
}

// Results that depend on something that needs a gradient: a recorded run gives them a history.
void Gradients::propagate(const Operation& op) {
  const auto flows = [this](const Value* v) { return v && is_marked(v); };
  bool any = false;
  for (const Value* v : op.operands()) {
    any = any || flows(v);
    if (!v || !v->producer() || !v->producer()->is("builtin.combine")) continue;
    const auto& list = v->producer()->operands();
    any = any || std::any_of(list.begin(), list.end(), flows);
  }
  for (size_t k = 0; any && k < op.num_results(); ++k) {
    const Type& type = op.result(k)->type();
    if (!type.is_tensor() || is_differentiable(type.dtype())) mark(op.result(k));
  }
}

// What leads to the outputs are operators alone: no PyLayer, no hook.
bool Gradients::has_only_operators(const TensorList& outputs) const {
  const auto has_hooks = [](const Tensor& t) {
    const autograd::Meta* meta = autograd::meta_of(t);
    return meta && !meta->hooks.empty();
  };
  const TensorList& inputs = values().inputs();
  if (std::any_of(inputs.begin(), inputs.end(), has_hooks)) return false;
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

void Gradients::append(const TensorList& outputs) {
  context_.result->of_operators = has_only_operators(outputs);
  TensorList wanted, differentiable, seeds;
  std::vector<size_t> position;
  const TensorList& inputs = values().inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i]->stop_gradient) continue;
    wanted.push_back(inputs[i]);
    context_.result->grad_inputs.push_back(static_cast<int>(i));
  }
  for (size_t i = 0; i < context_.result->captured.size(); ++i) {
    const Tensor& t = context_.result->captured[i].tensor;
    if (!t.defined() || t->stop_gradient) continue;
    wanted.push_back(t);
    context_.result->grad_inputs.push_back(-1 - static_cast<int>(i));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i]->stop_gradient) continue;
    Operation* data = context_.builder.create("builtin.gradient", {}, {Type::of(outputs[i])});
    Tensor seed = Tensor::meta(outputs[i].shape(), outputs[i].dtype(), outputs[i].place());
    values().add_made(seed, data->result());
    context_.result->output_grads[i] = data->result();
    differentiable.push_back(outputs[i]);
    seeds.push_back(seed);
  }
  if (wanted.empty() || differentiable.empty()) {
    context_.result->grad_inputs.clear();
    return;
  }
  differentiating_ = true;
  const GraphBoundary boundary(wanted);
  TensorList grads = autograd::grad(differentiable, wanted, seeds, false, false, true, {});
  for (size_t i = 0; i < grads.size(); ++i) {
    // Hooks of an input are those of the function; a captured tensor runs its own at each backward.
    if (grads[i].defined() && !wanted[i].has_storage()) grads[i] = hooked(wanted[i], grads[i]);
  }
  differentiating_ = false;
  for (const Tensor& g : grads)
    context_.result->input_grads.push_back(g.defined() ? values().value_of(g) : nullptr);
}

Value* Gradients::keep_history(const Tensor& t, Value* v) {
  const bool is_recorded = !context_.in_parts && !context_.for_export && !differentiating_;
  if (!is_recorded || t->stop_gradient || !is_differentiable(t.dtype())) return v;
  Value* before = values().value_of(t);
  if (before == v || !(before->type() == v->type()) || !is_marked(before)) return v;
  if (autograd::is_leaf(t)) first_values_.try_emplace(t.impl(), before);
  Operation* op = context_.builder.create(std::string(kWithHistory), {v, before}, {v->type()});
  op->location = location_text();
  mark(op->result());
  return op->result();
}

Value* Gradients::differentiated_value_of(const Tensor& t) {
  const auto found = first_values_.find(t.impl());
  const bool is_there = found != first_values_.end() && values().is_visible(found->second);
  return is_there ? found->second : values().value_of(t);
}

void Gradients::set_stop_gradient(const Tensor& t, bool stop) {
  if (control_flow().is_open() && !context_.in_parts && t->stop_gradient != stop) {
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, !t.has_storage(),
                      "to_static: stop_gradient of a tensor of shape ", t.shape(),
                      " from outside of the function is set in a branch or loop on a tensor",
                      location_text(), "; it would be so in some runs only. Set it outside of it.");
    if (stop && values().owns(t)) control_flow().note_outer(t);
  }
  autograd::set_stop_gradient(t, stop);
}

void Gradients::note_captured(const Tensor& t) {
  if (!t->stop_gradient && autograd::is_leaf(t)) leaf_gradient(t);
}

void Gradients::adopt(const Gradients& other, const ValueCopies& copies) {
  for (const Value* v : other.differentiated_) {
    if (const auto found = copies.find(v); found != copies.end()) mark(found->second);
  }
}

void Gradients::forget_recorded() {
  hooks_.clear();
  leaves_made_.clear();
}

}  // namespace paddle::pir
