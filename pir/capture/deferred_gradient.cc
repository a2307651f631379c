// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Gradients that are taken when the program runs.
#include "pir/capture/deferred_gradient.h"

#include <unordered_set>

#include "pir/capture/capture.h"
#include "pir/dialect/control_flow.h"

namespace paddle::pir {

namespace {

// Every value that the given ones are computed from, through regions too, and they themselves.
std::unordered_set<const Value*> sources_of(const std::vector<Value*>& values) {
  std::unordered_set<const Value*> seen;
  std::vector<const Value*> open;
  const auto visit = [&](const Value* v) {
    if (v && seen.insert(v).second) open.push_back(v);
  };
  for (const Value* v : values) visit(v);
  while (!open.empty()) {
    const Operation* op = open.back()->producer();
    open.pop_back();
    if (!op) continue;
    for (const Value* v : op->operands()) visit(v);
    for (const auto& region : op->regions()) {
      for (const auto& block : region->blocks()) {
        for (const Value* v : free_values(*block)) visit(v);
      }
    }
  }
  return seen;
}

}  // namespace

void DeferredGradient::apply(const TensorList& grads, const std::vector<bool>&, TensorList& out) {
  Values& values = capture_.values();
  Gradients& history = capture_.gradients();
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, !capture_.control_flow().is_open(),
                    "to_static: a gradient is taken inside of a branch or loop on a tensor, "
                    "through another one; take it behind them.");
  std::vector<Value*> targets, inputs, seeds;
  for (size_t i = 0; i < results_.size() && i < grads.size(); ++i) {
    if (!grads[i].defined()) continue;
    targets.push_back(results_[i]);
    seeds.push_back(values.value_of(grads[i]));
  }
  for (const Tensor& t : sources_) inputs.push_back(history.differentiated_value_of(t));
  out.assign(sources_.size(), Tensor());
  if (targets.empty()) return;
  const std::vector<Value*> gradients = history.record_grad(targets, inputs, seeds);
  const auto node = history.deferred_history();  // with create_graph they have gradients
  size_t results = 0;
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i]) continue;
    out[i] = placeholder_of(gradients[i]);
    values.add_made(out[i], gradients[i]);
    if (!node) continue;
    node->add_result(gradients[i]);
    node->num_results = static_cast<uint32_t>(++results);
    history.set_deferred_history(out[i], node, results - 1);
  }
}

void Gradients::defer() {
  context_.has_dynamic_extents = true;
  if (!context_.for_export && !context_.in_parts) context_.has_control_flow = true;
}

// A node behind everything that needs a gradient; null when nothing does.
IntrusivePtr<DeferredGradient> Gradients::deferred_history(bool under_no_grad) {
  if (!grad_enabled() && !under_no_grad) return {};
  TensorList sources;
  for (const Tensor& t : values().inputs()) {
    if (!t->stop_gradient) sources.push_back(t);
  }
  for (const CapturedInput& c : context_.result->captured) {
    if (c.tensor.defined() && !c.tensor->stop_gradient) sources.push_back(c.tensor);
  }
  for (const Tensor& t : leaves_made_) {
    if (!t->stop_gradient) sources.push_back(t);
  }
  if (sources.empty()) return {};
  auto node = IntrusivePtr<DeferredGradient>::adopt(new DeferredGradient(capture_, sources));
  for (const Tensor& t : sources) {
    node->edges.push_back(autograd::edge_of(t));
    node->edge_info.push_back({nullptr, t.dtype()});
  }
  return node;
}

void Gradients::set_deferred_history(const Tensor& t, const IntrusivePtr<DeferredGradient>& node,
                                     size_t i) {
  if (!node || !is_differentiable(t.dtype())) return;
  mark(static_cast<Value*>(t->capture.value));
  t->stop_gradient = false;
  autograd::set_history(t, autograd::NodePtr::share(node.get()), static_cast<uint32_t>(i));
}

void Gradients::defer_results(const OpDef& op, const Outputs& results) {
  defer();
  const auto node = deferred_history(true);
  if (!node) return;
  node->num_results = static_cast<uint32_t>(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const Tensor& t = results[i];
    node->add_result(t.defined() ? static_cast<Value*>(t->capture.value) : nullptr);
    const bool differentiated = i >= 32 || !((op.nondiff_results >> i) & 1u);
    if (t.defined() && differentiated) set_deferred_history(t, node, i);
  }
}

// Tensors that stand for the results of a call whose gradients are those of the recorded run.
TensorList Gradients::deferred_results(Operation& call, const TensorList& like) {
  TensorList results;
  const auto node = deferred_history();
  if (node) node->num_results = static_cast<uint32_t>(call.num_results());
  for (size_t i = 0; i < call.num_results(); ++i) {
    if (node) node->add_result(call.result(i));
    results.push_back(placeholder_of(call.result(i)));
    values().add_made(results.back(), call.result(i));
    if (!like[i]->stop_gradient) set_deferred_history(results.back(), node, i);
  }
  return results;
}

TensorList Gradients::record(const TensorList& targets, const TensorList& inputs,
                             const TensorList& target_gradients) {
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, !control_flow().is_open(),
                    "grad: gradients are taken inside of a branch or loop that is recorded; take "
                    "them after it.");
  std::vector<Value*> operands, wanted, seeds;
  for (const Tensor& t : targets) operands.push_back(values().value_of(t));
  for (const Tensor& t : inputs) wanted.push_back(values().value_of(t));
  for (const Tensor& t : target_gradients)
    seeds.push_back(t.defined() ? values().value_of(t) : nullptr);
  TensorList results;
  for (Value* v : record_grad(operands, wanted, seeds)) {
    results.emplace_back();
    if (!v) continue;
    results.back() = placeholder_of(v);
    values().add_made(results.back(), v);
  }
  return results;
}

// Null for inputs that take no part.
std::vector<Value*> Gradients::record_grad(const std::vector<Value*>& targets,
                                           const std::vector<Value*>& inputs,
                                           const std::vector<Value*>& seeds) {
  std::vector<Value*> operands = targets;
  std::vector<Type> types;
  const auto sources = sources_of(targets);
  for (Value* v : inputs) {
    if (!sources.contains(v)) continue;
    operands.push_back(v);
    types.push_back(v->type());
  }
  const size_t count = types.size();
  operands.insert(operands.end(), seeds.begin(), seeds.end());
  Operation* op = context_.builder.create("cf.grad", operands, types,
                                          {{"targets", static_cast<int64_t>(targets.size())},
                                           {"inputs", static_cast<int64_t>(count)},
                                           {"create_graph", grad_enabled()}});
  op->location = location_text();
  context_.result->has_gradient = true;
  std::vector<Value*> results;
  size_t next = 0;
  for (const Value* v : inputs)
    results.push_back(sources.contains(v) ? op->result(next++) : nullptr);
  return results;
}

}  // namespace paddle::pir
