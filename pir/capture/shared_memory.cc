// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Several tensors over one memory: what detach() and `.data` give, and what is assigned to `.data`.
// What is written to one of them, the others have too. Tensors with values show by their storage
// that they are over one memory; those without are listed.
#include <algorithm>

#include "paddle_core/autograd/view_sync.h"
#include "paddle_core/dispatch/call.h"
#include "paddle_core/tensor/missing.h"
#include "pir/capture/capture.h"

namespace paddle::pir {
namespace {

void detached(const Tensor& copy, const Tensor& source) {
  auto* const capture = dynamic_cast<Capture*>(capture_sink());
  if (capture && !source.has_storage() && capture->own_value(source)) capture->share(copy, source);
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

void Capture::follow_detached() { set_detached_in_capture(detached); }

void Capture::share(const Tensor& copy, const Tensor& source) {
  if (!memories(source).empty() && !memories(source)[0].same_impl(source)) {
    may_be(copy, {source});  // a view: writes are not followed to what it is a view of
    return;
  }
  for (TensorList& group : shared_) {
    if (!contains(group, source)) continue;
    group.push_back(copy);
    return;
  }
  shared_.push_back({source, copy});
}

void Capture::leave_shared(const Tensor& t) {
  for (TensorList& group : shared_) {
    std::erase_if(group, [&t](const Tensor& s) { return s.same_impl(t); });
  }
  std::erase_if(shared_, [](const TensorList& group) { return group.size() < 2; });
}

void Capture::move_to(const Tensor& t, const Tensor& memory) {
  Value* v = value_of(memory);
  if (t.has_storage()) {
    PADDLE_CHECK_KIND(
        ErrorKind::kNotImplemented, t.shape() == memory.shape() && t.dtype() == memory.dtype(),
        "to_static: data: a tensor of shape ", t.shape(), " and dtype ", t.dtype(),
        " from outside of the program is given a value of shape ", memory.shape(), " and dtype ",
        memory.dtype(), location_text(), "; a program writes values of the same shape and dtype.");
    rebind(t, memory);
    return;
  }
  leave_shared(t);
  t->dtype = memory->dtype;
  t->shape = memory->shape;
  t->numel = memory->numel;
  t->set_contiguous_layout();
  t->strides.clear();
  attach(t, v);
  autograd::forget_views(t);
  for (const auto& scope : scopes_) scope->writes = true;
  if (memory.has_storage()) {
    may_be(t, {memory});
  } else {
    share(t, memory);
  }
}

void Capture::give_to_shared(const Tensor& written, Value* v) {
  const auto give = [&](const Tensor& t) {
    if (t.same_impl(written)) return;
    attach(t, with_history_of(t, v));
    autograd::forget_views(t);
  };
  for (const TensorList& group : shared_) {
    if (contains(group, written)) std::for_each(group.begin(), group.end(), give);
  }
  if (is_alone(written)) return;
  for (const CapturedInput& c : result_->captured) {
    if (c.tensor.defined() && same_memory(c.tensor, written)) give(c.tensor);
  }
  for (const auto& [impl, w] : written_) {
    if (same_memory(w.tensor, written)) give(w.tensor);
  }
}

Value* Capture::written_memory(const Tensor& t) const {
  const auto own = written_.find(t.impl());
  if (own != written_.end()) return last_value(own->first, own->second);
  if (is_alone(t)) return nullptr;
  for (const auto& [impl, w] : written_) {
    if (same_memory(w.tensor, t)) return last_value(impl, w);
  }
  return nullptr;
}

}  // namespace paddle::pir
