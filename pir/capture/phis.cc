// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tensors that are one of two behind a branch. Where one of the two is from before the branch,
// others may hold it or views of it: the phi is then a view of it, through a choice that the
// program makes. What is written to either is seen by both wherever they are one tensor.
#include "pir/capture/phis.h"

#include <algorithm>

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
bool Phis::dominates(const Tensor& t) {
  const autograd::ViewOf* view = view_of(t);
  if (!view) {
    if (!values().owns(t)) return t.has_storage();
    const Value* v = values().latest(static_cast<Value*>(t->capture.value));
    return !control_flow().is_discarded(v) && values().is_visible(v);
  }
  if (!dominates(view->base)) return false;
  for (const autograd::ViewStep* step : view->steps.list()) {
    SmallVector<Slot, 8> slots(step->args.data(), step->args.data() + step->args.size());
    for (const Slot& slot : slots) {
      if (slot.kind != SlotKind::kTensor || !slot.tensor) continue;
      if (!dominates(Tensor(IntrusivePtr<TensorImpl>::share(slot.tensor)))) return false;
    }
  }
  return true;
}

void Phis::add_phi(const Tensor& result, const Tensor& kept, const Tensor& mask,
                   const Tensor& other, bool other_dominates) {
  // A leaf that needs a gradient cannot be written, so a write is to the other one.
  const bool kept_is_fixed = is_fixed_leaf(memory_of(kept));
  if (kept_is_fixed || result.dtype() != kept.dtype() || result.shape() != kept.shape()) {
    if (!kept_is_fixed) may_alias(result, {kept});
    if (other.defined()) may_alias(result, {other});
    return;
  }
  Tensor second = other;
  const bool is_fixed = other.defined() && is_fixed_leaf(memory_of(other));
  if (!other.defined() || !other_dominates || is_fixed || other.shape() != result.shape()) {
    second = values().stand_in(values().value_of(result));
    autograd::adopt_history(second, result);
    if (other.defined() && !is_fixed) may_alias(second, {other});
  }
  const Slot slots[] = {Slot::of(kept), Slot::of(mask), Slot::of(second)};
  autograd::record_view(result, choice(), slots);
  phi_memory_.emplace_back(memory_of(kept), memory_of(second));
}

TensorList Phis::memories(const Tensor& t) {
  TensorList all{memory_of(t)};
  const autograd::ViewOf* view = view_of(t);
  if (!view) return all;
  for (const autograd::ViewStep* step : view->steps.list()) {
    if (step->op != &choice()) continue;
    for (const Tensor& m : memories(chosen(*step, 2))) all.push_back(m);
  }
  return all;
}

std::vector<Phis::Operand> Phis::operands_of(const Tensor& t) {
  const autograd::ViewOf* view = view_of(t);
  if (!view || view->steps.back().op != &choice() || dominates(t)) return {{t, {}}};
  Tensor kept = view->base;
  if (view->steps.size() > 1) {  // a view of its own, which takes its value when it is used
    kept = values().stand_in(values().value_of(t));
    auto rest = std::make_unique<autograd::ViewOf>();
    rest->base = view->base;
    rest->steps = view->steps.without_last();
    rest->seen_generation = autograd::ensure_meta(view->base).generation - 1;
    autograd::ensure_meta(kept).view = std::move(rest);
    kept->keys |= kModeView;
  }
  std::vector<Operand> all;
  const Tensor mask = chosen(view->steps.back(), 1);
  for (const bool is_other : {false, true}) {
    for (Operand& one : operands_of(is_other ? chosen(view->steps.back(), 2) : kept)) {
      one.conditions.emplace_back(mask, is_other);
      all.push_back(std::move(one));
    }
  }
  return all;
}

void Phis::may_alias(const Tensor& t, const TensorList& others) {
  const autograd::ViewOf* view = view_of(t);
  const bool is_phi = view && view->steps.back().op == &choice();
  const Tensor own = is_phi ? chosen(view->steps.back(), 2) : t;
  TensorList all;
  for (const Tensor& other : others) {
    for (const Tensor& m : memories(other)) all.push_back(m);
  }
  aliases_.may_alias(memory_of(own), all);
}

void Phis::no_alias(const TensorList& variables) { aliases_.no_alias(variables); }

// Views follow their base; phis follow the other tensor, too.
void Phis::invalidate(const Tensor& memory) {
  const auto follow = [this](const Tensor& written) {
    for (const auto& [kept, other] : phi_memory_) {
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

void Phis::check_not_stale(const Tensor& t) const {
  const auto found = aliases_.stale.find(t.impl());
  PADDLE_CHECK_RUNTIME(found == aliases_.stale.end(), "to_static: a tensor of shape ", t.shape(),
                       " is used", location_text(), " that may be the one that is written",
                       found->second.where,
                       ": a branch or loop on a tensor decides whether they are one tensor, and "
                       "the captured program does not follow that; write to a clone() instead.");
}

std::optional<TensorList> Phis::masks_of(const Tensor& t, const Tensor& kept) {
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

void Phis::check_visible_not_stale() const {
  const TensorList& inputs = values().inputs();
  for (const auto& [impl, entry] : aliases_.stale) {
    const bool is_input = std::any_of(inputs.begin(), inputs.end(),
                                      [&](const Tensor& t) { return t.impl() == impl; });
    if (is_input || entry.tensor.has_storage()) check_not_stale(entry.tensor);
  }
}

void Phis::clear() {
  phi_memory_.clear();
  aliases_.clear();
}

}  // namespace paddle::pir
