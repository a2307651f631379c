// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The map from tensors to values, and its end.
#include "pir/capture/values.h"

#include "pir/capture/capture.h"

namespace paddle::pir {

Tensor Values::add_input(const std::string& name, const std::vector<int64_t>& shape, DType dtype,
                         bool stop_gradient, const std::vector<int64_t>& examples, Place where) {
  Shape dims, declared;
  for (size_t i = 0; i < shape.size(); ++i) {
    declared.push_back(Dim(shape[i] < 0 ? -1 : shape[i]));
    if (shape[i] >= 0) {
      dims.push_back(Dim(shape[i]));
    } else {
      dims.push_back(i < examples.size() ? context_.symbols->fresh(examples[i])
                                         : context_.symbols->fresh());
    }
  }
  Place place;
  place.kind = DeviceKind::kUndefined;
  Operation* op = context_.builder.create(
      "pd_op.data", {}, {Type::tensor(dtype, dims, where)},
      {{"name", name}, {"shape", declared}, {"dtype", dtype}, {"place", place}});
  op->result()->stop_gradient = stop_gradient;
  if (!stop_gradient) gradients().mark(op->result());
  Tensor t = Tensor::meta(dims, dtype, where);
  attach(t, op->result());
  autograd::set_stop_gradient(t, stop_gradient);
  context_.result->inputs.push_back(op->result());
  inputs_.push_back(t);
  made_.push_back(t);
  return t;
}

Value* Values::capture_input(const Tensor& t) {
  const auto found = captured_index_.find(t.impl());
  if (found != captured_index_.end()) return context_.result->captured[found->second].value;
  Builder at_start(context_.result->program->block());
  auto& ops = context_.result->program->block().operations();
  if (!ops.empty()) at_start.set_before(ops.front().get());
  Operation* op =
      at_start.create("builtin.parameter", {}, {Type::of(t)},
                      {{"index", static_cast<int64_t>(context_.result->captured.size())}});
  op->result()->stop_gradient = t->stop_gradient;
  op->result()->persistable = t->persistable || t->is_parameter;
  if (!t->stop_gradient) gradients().mark(op->result());
  CapturedInput input;
  input.value = op->result();
  if (const Tensor* leaf = gradients().leaf_of(t.impl())) {
    input.grad_of = *leaf;
  } else {
    input.tensor = t;
  }
  captured_index_[t.impl()] = context_.result->captured.size();
  context_.result->captured.push_back(std::move(input));
  gradients().note_captured(t);
  return op->result();
}

Value* Values::copied_value(const Tensor& t) const {
  for (const auto& [id, values] : sources_) {
    if (t->capture.program != id) continue;
    const auto found = values.find(static_cast<const Value*>(t->capture.value));
    return found == values.end() ? nullptr : found->second;
  }
  return nullptr;
}

Value* Values::value_of(const Tensor& t) {
  if (t->capture.program == context_.id) {
    Value* v = latest(static_cast<Value*>(t->capture.value));
    PADDLE_CHECK_RUNTIME(
        !control_flow().is_discarded(v), "to_static: a tensor of shape ", t.shape(),
        " of a branch or loop on a tensor that was recorded again, or left by an "
        "exception, is used",
        location_text(),
        "; keep what goes from iteration to iteration in a variable, attribute, list or "
        "dict that the loop names.");
    return v;
  }
  if (!t.has_storage() && !sources_.empty()) {
    if (Value* v = copied_value(t)) return v;
  }
  PADDLE_CHECK_RUNTIME(t.has_storage(), "to_static: a tensor of shape ", t.shape(),
                       " has no values in this capture", location_text(),
                       "; it belongs to another capture that has ended.");
  Value* v = writes().value_when_left(t);
  if (!v) {
    v = capture_input(t);
    if (Value* written = writes().written_memory(t)) v = written;
  }
  attach(t, v);
  return v;
}

Value* Values::operand_of(const Tensor& t) {
  Value* v = value_of(t);
  PADDLE_CHECK_RUNTIME(
      is_visible(v), "to_static: a tensor of shape ", t.shape(),
      " that was made inside of a branch or loop on a tensor is used outside of it",
      location_text(),
      "; return it from there, or assign it to a variable, attribute or container that is named in "
      "the branch.");
  phis().check_not_stale(t);
  gradients().note_leaf(t);
  return gradients().constant_of(t, context_.builder);
}

bool Values::is_visible(const Value* v) const {
  const Block* block = v->block();
  if (block == &context_.result->program->block()) return true;
  for (const Block* at = &context_.builder.block(); at;) {
    if (block == at) return true;
    const Operation* owner = at->region() ? at->region()->parent() : nullptr;
    at = owner ? owner->block() : nullptr;
  }
  return control_flow().stands_in(block);
}

Tensor Values::find(std::string_view name) const {
  for (const TensorList* list : {&inputs_, &made_}) {
    for (const Tensor& t : *list) {
      if (t->name && *t->name == name) return t;
    }
  }
  for (const CapturedInput& c : context_.result->captured) {
    if (c.tensor.defined() && c.tensor->name && *c.tensor->name == name) return c.tensor;
  }
  return {};
}

Tensor Values::stand_in(Value* v) {
  Tensor t = Tensor::meta(v->type().local_shape(), v->type().dtype(), v->type().place());
  add_made(t, v);
  return t;
}

void Values::attach(const Tensor& t, Value* v) {
  if (control_flow().is_open()) control_flow().note_outer(t);
  t->capture = {context_.id, v};
}

void Values::replace_uses(Value* from, Value* to) {
  if (from == to) return;
  from->replace_all_uses_with(to);
  writes().replace_last(from, to);
}

void Values::replace_value(Value* from, Value* to) {
  if (from == to) return;
  replace_uses(from, to);
  replaced_.emplace(from, to);
  if (gradients().is_marked(from)) gradients().mark(to);
}

TensorList Values::take_made_from(size_t position) {
  const auto first = made_.begin() + static_cast<std::ptrdiff_t>(position);
  TensorList taken(first, made_.end());
  made_.resize(position);
  return taken;
}

Value* Values::captured_value(const TensorImpl* impl) const {
  const auto found = captured_index_.find(impl);
  return found == captured_index_.end() ? nullptr : context_.result->captured[found->second].value;
}

void Values::collect_input_writes() {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Tensor& t = inputs_[i];
    Value* last = static_cast<Value*>(t->capture.value);
    if (last == context_.result->inputs[i]) continue;
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, t->stop_gradient, "to_static: input ", i,
                      " is written in place and needs a gradient; clone() it in the function "
                      "before the write.");
    context_.result->input_writes.emplace_back(i, last);
  }
}

void Values::reset_history() {
  for (Tensor& t : made_) t->autograd.reset();
}

void Values::collect_created() {
  std::unordered_map<TensorImpl*, Tensor> unique;
  for (Tensor& t : inputs_) unique.emplace(t.impl(), Tensor());
  inputs_.clear();
  TensorList made;
  for (Tensor& t : made_) {
    if (unique.emplace(t.impl(), Tensor()).second) made.push_back(t);
  }
  made_.clear();
  unique.clear();
  for (Tensor& t : made) {
    if (t.ptr()->use_count() > 1) {
      context_.result->created.push_back({t, static_cast<Value*>(t->capture.value)});
    }
  }
}

void Values::release_captured() {
  if (!context_.result) return;
  for (CapturedInput& c : context_.result->captured) {
    if (c.tensor.defined() && owns(c.tensor)) c.tensor->capture = {};
  }
}

}  // namespace paddle::pir
