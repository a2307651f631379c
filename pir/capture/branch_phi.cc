// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tensors that are one of two behind a branch. Where one of the two stood before the branch, others
// may hold it or views of it: the joined tensor is then a view of it, through a choice that the
// program makes. What is written to either is seen by both wherever they are one tensor.
#include "paddle_core/autograd/autograd.h"
#include "paddle_core/autograd/view_sync.h"
#include "paddle_core/dispatch/call.h"
#include "paddle_core/op/args.h"
#include "pir/capture/capture.h"
#include "pir/dialect/control_flow.h"

namespace paddle::pir {
namespace {

const OpDef& masked_fill() {
  static const OpDef* const op = Registry::global().find("masked_fill");
  PADDLE_ASSERT(op);
  return *op;
}

// x, and where the mask holds the value.
Tensor filled(const Tensor& x, const Tensor& mask, const Tensor& value) {
  const Slot slots[] = {Slot::of(x), Slot::of(mask), Slot::of(value)};
  Outputs outs;
  call(masked_fill(), slots, outs);
  return outs[0];
}

// A write to the choice between x and another tensor goes to the one that was chosen.
Tensor scatter(Args& a, const Tensor& x, const Tensor& written) {
  const Tensor mask = a.tensor(1), other = a.tensor(2);
  autograd::sync_view(other);
  assign_inplace(other, filled(other, mask, written), "to_static");
  return filled(written, mask, x);
}

const OpDef& choice() {
  static const OpDef* const op = [] {
    auto* made = new OpDef(masked_fill());
    made->view_scatter_fn = scatter;
    return made;
  }();
  return *op;
}

bool is_fixed_leaf(const Tensor& t) { return !t->stop_gradient && autograd::is_leaf(t); }

const autograd::ViewOf* view_of(const Tensor& t) {
  const autograd::Meta* meta = autograd::meta_of(t);
  return meta ? meta->view.get() : nullptr;
}

const Tensor& memory_of(const Tensor& t) {
  const autograd::ViewOf* view = view_of(t);
  return view ? view->base : t;
}

// The mask (1) or the other tensor (2) of a choice.
Tensor chosen(const autograd::ViewStep& step, size_t i) {
  SmallVector<Slot, 8> slots(step.args.data(), step.args.data() + step.args.size());
  return Args(*step.op, slots.data()).tensor(i);
}

}  // namespace

// A view stands where what it is made of stands: its own value may be one of a region that has
// ended.
bool Capture::stood_before(const Tensor& t) {
  const autograd::ViewOf* view = view_of(t);
  if (!view) {
    if (!owns(t)) return t.has_storage();
    const Value* v = latest(static_cast<Value*>(t->capture.value));
    return !is_discarded(v) && is_visible(v);
  }
  if (!stood_before(view->base)) return false;
  for (const autograd::ViewStep* step : view->steps.list()) {
    SmallVector<Slot, 8> slots(step->args.data(), step->args.data() + step->args.size());
    for (const Slot& slot : slots) {
      if (slot.kind != SlotKind::kTensor || !slot.tensor) continue;
      if (!stood_before(Tensor(IntrusivePtr<TensorImpl>::share(slot.tensor)))) return false;
    }
  }
  return true;
}

void Capture::join(const Tensor& joined, const Tensor& kept, const Tensor& left,
                   const Tensor& other, bool stood) {
  // A leaf that needs a gradient cannot be written, so a write is to the other one.
  const bool kept_is_fixed = is_fixed_leaf(memory_of(kept));
  if (kept_is_fixed || joined.dtype() != kept.dtype() || joined.shape() != kept.shape()) {
    if (!kept_is_fixed) may_be(joined, {kept});
    if (other.defined()) may_be(joined, {other});
    return;
  }
  Tensor second = other;
  const bool is_fixed = other.defined() && is_fixed_leaf(memory_of(other));
  if (!other.defined() || !stood || is_fixed || other.shape() != joined.shape()) {
    second = stand_in(value_of(joined));
    autograd::adopt_history(second, joined);
    if (other.defined() && !is_fixed) may_be(second, {other});
  }
  const Slot slots[] = {Slot::of(kept), Slot::of(left), Slot::of(second)};
  autograd::record_view(joined, choice(), slots);
  chosen_.emplace_back(memory_of(kept), memory_of(second));
}

TensorList Capture::memories(const Tensor& t) {
  TensorList all{memory_of(t)};
  const autograd::ViewOf* view = view_of(t);
  if (!view) return all;
  for (const autograd::ViewStep* step : view->steps.list()) {
    if (step->op != &choice()) continue;
    for (const Tensor& m : memories(chosen(*step, 2))) all.push_back(m);
  }
  return all;
}

std::vector<Capture::Alternative> Capture::alternatives(const Tensor& t) {
  const autograd::ViewOf* view = view_of(t);
  if (!view || view->steps.back().op != &choice() || stood_before(t)) return {{t, {}}};
  Tensor kept = view->base;
  if (view->steps.size() > 1) {  // a view of its own, which takes its value when it is used
    kept = stand_in(value_of(t));
    auto rest = std::make_unique<autograd::ViewOf>();
    rest->base = view->base;
    rest->steps = view->steps.without_last();
    rest->seen_generation = autograd::ensure_meta(view->base).generation - 1;
    autograd::ensure_meta(kept).view = std::move(rest);
    kept->keys |= kModeView;
  }
  std::vector<Alternative> all;
  const Tensor mask = chosen(view->steps.back(), 1);
  for (const bool is_other : {false, true}) {
    for (Alternative& one : alternatives(is_other ? chosen(view->steps.back(), 2) : kept)) {
      one.conditions.emplace_back(mask, is_other);
      all.push_back(std::move(one));
    }
  }
  return all;
}

void Capture::may_be(const Tensor& t, const TensorList& others) {
  const autograd::ViewOf* view = view_of(t);
  const bool is_joined = view && view->steps.back().op == &choice();
  const Tensor own = is_joined ? chosen(view->steps.back(), 2) : t;
  TensorList all;
  for (const Tensor& other : others) {
    for (const Tensor& m : memories(other)) all.push_back(m);
  }
  aliases_.may_be(memory_of(own), all);
}

void Capture::apart(const TensorList& variables) { aliases_.apart(variables); }

// Views follow their base; joined tensors follow the other tensor, too.
void Capture::note_written(const Tensor& memory) {
  const auto follow = [this](const Tensor& written) {
    for (const auto& [kept, other] : chosen_) {
      if (other.same_impl(written)) autograd::forget_views(kept);
    }
  };
  follow(memory);
  if (aliases_.empty()) return;
  for (const Tensor& t : aliases_.write(memory, location_text())) {
    autograd::forget_views(t);
    follow(t);
  }
}

void Capture::check_not_stale(const Tensor& t) const {
  const auto found = aliases_.stale.find(t.impl());
  PADDLE_CHECK_RUNTIME(found == aliases_.stale.end(), "to_static: a tensor of shape ", t.shape(),
                       " is used", location_text(), " that may be the one that is written",
                       found->second.where,
                       ": a branch or loop on a tensor decides whether they are one tensor, and "
                       "the captured program does not follow that; write to a clone() instead.");
}

std::optional<TensorList> Capture::parting(const Tensor& t, const Tensor& kept) {
  const autograd::ViewOf *own = view_of(t), *before = view_of(kept);
  const auto known = before ? before->steps.list() : std::vector<const autograd::ViewStep*>();
  const size_t first = known.size();
  if (t.same_impl(kept)) return TensorList();
  if (!own || own->steps.size() < first || !own->base.same_impl(memory_of(kept))) {
    return std::nullopt;
  }
  TensorList masks;
  const std::vector<const autograd::ViewStep*> steps = own->steps.list();
  for (size_t i = 0; i < steps.size(); ++i) {
    const autograd::ViewStep& step = *steps[i];
    if (i < first) {
      if (step.op != known[i]->op) return std::nullopt;
      continue;
    }
    if (step.op != &choice()) return std::nullopt;
    masks.push_back(chosen(step, 1));
  }
  return masks;
}

bool Capture::is_written(const Tensor& t) {
  const Tensor& memory = memory_of(t);
  if (!owns(memory)) return false;
  const Value* v = value_of(memory);
  return v->producer() && is_within(v->block(), scopes_.back()->op.get());
}

}  // namespace paddle::pir
