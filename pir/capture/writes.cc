// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Writes, and several tensors over one memory: what detach() and `.data` give, and what is assigned
// to `.data`. What is written to one of them, the others have too. Tensors with values show by
// their storage that they are over one memory; those without are listed.
#include "pir/capture/writes.h"

#include <algorithm>

#include "paddle_core/autograd/view_sync.h"
#include "paddle_core/dispatch/call.h"
#include "paddle_core/dispatch/watch/observers.h"
#include "paddle_core/tensor/missing.h"
#include "pir/capture/capture.h"

namespace paddle::pir {

namespace {

void detached(const Tensor& copy, const Tensor& source) {
  auto* const capture = dynamic_cast<Capture*>(capture_sink());
  if (capture && !source.has_storage() && capture->values().own_value(source)) {
    capture->writes().share(copy, source);
  }
}

bool same_memory(const Tensor& a, const Tensor& b) {
  return a.has_storage() && b.has_storage() && a->storage == b->storage && a->offset == b->offset &&
         a.dtype() == b.dtype() && a.shape() == b.shape() && a.strides() == b.strides();
}

// Whether no other tensor can be over the memory of this one.
bool is_alone(const Tensor& t) { return !t.has_storage() || t->storage->use_count() == 1; }

bool contains(const TensorList& list, const Tensor& t) {
  return std::any_of(list.begin(), list.end(), [&t](const Tensor& s) { return s.same_impl(t); });
}

}  // namespace

void Writes::write(const Tensor& target, Value* v) {
  if (target.has_storage()) {
    values().value_of(target);  // a captured input first
    written_.emplace(target.impl(), Written{target});
  }
  values().attach(target, v);
  give_to_shared(target, v);
  control_flow().note_write();
  phis().note_written(target);
}

void Writes::assign_state(const Tensor& target, const Tensor& value, const std::string& operation) {
  PADDLE_CHECK_RUNTIME(target.has_storage() && target->name, operation,
                       ": the state has no name or no values.");
  Value* v = values().value_of(value);
  const bool parameter = operation == "builtin.set_parameter";
  context_.builder.location = running_location();
  context_.builder.create(operation, {v}, {},
                          {{parameter ? "parameter_name" : "output_name", *target->name}});
  written_.emplace(target.impl(), Written{target});
  values().attach(target, v);
}

void Writes::forget_state(const Operation& op) {
  for (auto at = written_.begin(); at != written_.end(); ++at) {
    const auto& [impl, w] = *at;
    if (last_value(impl, w) != op.operand(0)) continue;
    Value* read = values().captured_value(impl);
    impl->capture = {};
    if (read) impl->capture = {context_.id, read};
    written_.erase(at);
    return;
  }
}

std::vector<CapturedWrite> Writes::current() const {
  std::vector<CapturedWrite> all;
  for (const auto& [impl, w] : written_) all.push_back({w.tensor, last_value(impl, w)});
  return all;
}

void Writes::follow_detached() { set_detached_in_capture(detached); }

void Writes::share(const Tensor& copy, const Tensor& source) {
  if (!Phis::memories(source)[0].same_impl(source)) {
    phis().may_alias(copy, {source});  // a view: writes are not followed to what it is a view of
    return;
  }
  for (TensorList& group : shared_) {
    if (!contains(group, source)) continue;
    group.push_back(copy);
    return;
  }
  shared_.push_back({source, copy});
}

void Writes::leave_shared(const Tensor& t) {
  for (TensorList& group : shared_) {
    std::erase_if(group, [&t](const Tensor& s) { return s.same_impl(t); });
  }
  std::erase_if(shared_, [](const TensorList& group) { return group.size() < 2; });
}

void Writes::move_to(const Tensor& t, const Tensor& memory) {
  Value* v = values().value_of(memory);
  if (t.has_storage()) {
    PADDLE_CHECK_KIND(
        ErrorKind::kNotImplemented, t.shape() == memory.shape() && t.dtype() == memory.dtype(),
        "to_static: data: a tensor of shape ", t.shape(), " and dtype ", t.dtype(),
        " from outside of the program is given a value of shape ", memory.shape(), " and dtype ",
        memory.dtype(), location_text(), "; a program writes values of the same shape and dtype.");
    capture_.rebind(t, memory);
    return;
  }
  leave_shared(t);
  t->dtype = memory->dtype;
  t->shape = memory->shape;
  t->numel = memory->numel;
  t->set_contiguous_layout();
  t->strides.clear();
  values().attach(t, v);
  autograd::forget_views(t);
  control_flow().note_write();
  if (memory.has_storage()) {
    phis().may_alias(t, {memory});
  } else {
    share(t, memory);
  }
}

void Writes::give_to_shared(const Tensor& written, Value* v) {
  const auto give = [&](const Tensor& t) {
    if (t.same_impl(written)) return;
    values().attach(t, gradients().keep_history(t, v));
    autograd::forget_views(t);
  };
  for (const TensorList& group : shared_) {
    if (contains(group, written)) std::for_each(group.begin(), group.end(), give);
  }
  if (is_alone(written)) return;
  for (const CapturedInput& c : context_.result->captured) {
    if (c.tensor.defined() && same_memory(c.tensor, written)) give(c.tensor);
  }
  for (const auto& [impl, w] : written_) {
    if (same_memory(w.tensor, written)) give(w.tensor);
  }
}

Value* Writes::written_memory(const Tensor& t) const {
  const auto own = written_.find(t.impl());
  if (own != written_.end()) return last_value(own->first, own->second);
  if (is_alone(t)) return nullptr;
  for (const auto& [impl, w] : written_) {
    if (same_memory(w.tensor, t)) return last_value(impl, w);
  }
  return nullptr;
}

void Writes::note(const Tensor& target) { written_.emplace(target.impl(), Written{target}); }

Value* Writes::value_when_left(const Tensor& t) const {
  const auto known = written_.find(t.impl());
  return known == written_.end() ? nullptr : known->second.last;
}

void Writes::replace_last(const Value* from, Value* to) {
  for (auto& [impl, w] : written_) {
    if (last_value(impl, w) != from) continue;
    w.last = to;
    if (impl->capture.program == context_.id) impl->capture.value = to;
  }
}

void Writes::suspend() {
  for (auto& [impl, w] : written_) w.last = last_value(impl, w);
}

void Writes::collect() {
  for (auto& [impl, w] : written_) {
    CapturedWrite write{.target = w.tensor, .value = last_value(impl, w)};
    if (const Tensor* leaf = gradients().leaf_of(impl)) write.grad_of = *leaf;
    context_.result->writes.push_back(std::move(write));
  }
}

void Writes::restore() {
  for (auto& [impl, w] : written_) {
    // Else another program has it now.
    if (impl->capture.program == context_.id) impl->capture = {};
  }
  written_.clear();
}

}  // namespace paddle::pir
