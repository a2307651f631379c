// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Views and in-place writes. A view remembers its base and the steps from there. A write through a
// view becomes a new value of the base (each step's view_scatter, in operators); the base takes
// over that history, and every view of it replays its steps when it is next used.

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/dispatch/core_ops.h"
#include "paddle_core/dispatch/deferred.h"
#include "paddle_core/op/args.h"

namespace paddle::autograd {

void install_views();

namespace {

// Turns recording on for the replay: the history must follow the base also under no_grad().
class Recording {
 public:
  Recording() : saved_(thread_modes.allowed) {
    thread_modes.allowed |= kModeAutograd | kModeCapture;
    thread_modes.allowed &= ~uint32_t{kModeView | kModeAmp};
  }
  ~Recording() { thread_modes.allowed = saved_; }

 private:
  uint32_t saved_;
};

Tensor apply_step(const ViewStep& step, const Tensor& x) {
  SmallVector<Slot, 8> slots(step.args.data(), step.args.data() + step.args.size());
  slots[0] = Slot::of(x);
  Outputs outs;
  call(*step.op, slots.data(), outs);
  return outs[0];
}

// The tensors from base (first) to the view itself.
TensorList replay(const Tensor& base, const std::vector<ViewStep>& steps) {
  TensorList chain{base};
  for (const ViewStep& step : steps) chain.push_back(apply_step(step, chain.back()));
  return chain;
}

void take_over(const Tensor& target, const Tensor& value) {
  adopt_history(target, value);
  target->capture = value->capture;
  if (!value.has_storage()) target->keys |= value->keys & kModeCapture;
}

bool is_stale(const Meta& meta) {
  const Meta* base = meta.base.defined() ? meta_of(meta.base) : nullptr;
  return base && base->generation != meta.seen_generation;
}

void view_layer(const OpDef& op, const Slot* args, Outputs& outs) {
  for (int i = 0; i < op.num_args; ++i) {
    if (args[i].kind == SlotKind::kTensor) {
      sync_view(Tensor(IntrusivePtr<TensorImpl>::share(args[i].tensor)));
    } else if (args[i].kind == SlotKind::kTensorList) {
      for (uint32_t k = 0; k < args[i].count; ++k) sync_view(args[i].list[k]);
    }
  }
  ModeGuard guard(kModeView);
  call(op, args, outs);
}

void refuse_leaf(const Tensor& t, const char* op_name) {
  PADDLE_CHECK_VALUE(t->stop_gradient || !is_leaf(t) || !grad_enabled(), op_name,
                     ": a leaf tensor that needs a gradient (shape ", t.shape(),
                     ") can't be written in place, nor can a view of it. Write under "
                     "paddle.no_grad(), or write to a clone().");
}

void write_plain(const Tensor& target, const Tensor& value) {
  if (capture_sink()) {
    capture_sink()->rebind(target, value);
  } else {
    target.copy_data_from(value);
  }
}

void write_through_view(const Tensor& target, const Tensor& value) {
  Meta& meta = *meta_of(target);
  const Tensor base = meta.base;
  Tensor fresh = value;
  {
    const Recording recording;
    const TensorList chain = replay(base, meta.steps);
    for (size_t j = meta.steps.size(); j-- > 0;) {
      const ViewStep& step = meta.steps[j];
      SmallVector<Slot, 8> slots(step.args.data(), step.args.data() + step.args.size());
      slots[0] = Slot::of(chain[j]);
      Args args(*step.op, slots.data());
      fresh = step.op->view_scatter_fn(args, chain[j], fresh);
    }
  }
  if (capture_sink()) {
    capture_sink()->rebind(base, fresh);
  } else {
    target.copy_data_from(value);
  }
  adopt_history(base, fresh);
  ++ensure_meta(base).generation;
  sync_view(target);
}

void write(const Tensor& target, const Tensor& value, const char* op_name) {
  leave_repeated(target);
  sync_view(target);
  const Meta* meta = meta_of(target);
  if (DeferredSink* sink = deferred_sink();
      sink && ((meta && meta->base.defined()) || sink->has_aliases(target))) {
    const RunsNow now("an in-place write to a tensor that shares its memory with others");
    return write(target, value, op_name);
  }
  if (meta && meta->base.defined()) {
    refuse_leaf(meta->base, op_name);
    write_through_view(target, value);
    return;
  }
  refuse_leaf(target, op_name);
  write_plain(target, value);
  if (grad_enabled()) adopt_history(target, value);
  if (Meta* own = meta_of(target)) ++own->generation;
}

// A view stays a view of its base, with one more step; otherwise the old memory is left behind.
void follow_step(const Tensor& target, const OpDef* view, const Slot* args) {
  Meta* meta = meta_of(target);
  if (!meta || !meta->base.defined()) return;
  if (view) {
    OwnedArgs kept(args, view->num_args);
    kept.set(0, Slot());
    meta->steps.push_back({view, std::move(kept)});
  } else {
    meta->base = Tensor();
    meta->steps.clear();
    target->keys &= ~uint32_t{kModeView};
  }
}

void rebind(const Tensor& target, const Tensor& value, const OpDef* view, const Slot* args,
            const char* op_name) {
  if (deferred_sink()) {
    const RunsNow now("an in-place operator that changes shape, dtype or memory");
    return rebind(target, value, view, args, op_name);
  }
  leave_repeated(target);
  sync_view(target);
  const Meta* meta = meta_of(target);
  refuse_leaf(target, op_name);
  if (meta && meta->base.defined()) refuse_leaf(meta->base, op_name);
  if (capture_sink()) {
    if (meta && meta->base.defined()) {
      target->capture = value->capture;
    } else {
      capture_sink()->rebind(target, value);
    }
  }
  follow_step(target, view, args);
  if (grad_enabled()) adopt_history(target, value);
  target->ensure_logical_order();
  value->ensure_logical_order();
  TensorImpl& t = *target.impl();
  const TensorImpl& v = *value.impl();
  t.storage = v.storage;
  t.offset = v.offset;
  t.dtype = v.dtype;
  t.contiguous = v.contiguous;
  t.numel = v.numel;
  t.shape = v.shape;
  t.strides = v.strides;
}

Tensor without_history(const Tensor& t, bool copied) {
  if (!t.has_storage()) return Tensor::meta(t.shape(), t.dtype(), t.place());
  if (!copied) return t.share_values();
  Tensor copy = Tensor::empty(t.shape(), t.dtype(), t.place());
  copy.copy_data_from(t);
  return copy;
}

Tensor alias_with_history(const Tensor& t, bool copied) {
  sync_view(t);
  Tensor copy = without_history(t, copied);
  copy->capture = t->capture;
  copy->keys = t->keys & ~uint32_t{kModeView};
  if (DeferredSink* sink = deferred_sink()) sink->share(copy, t, false);
  if (t->stop_gradient) return copy;
  const Edge edge = edge_of(t);
  if (edge.node) {
    set_history(copy, edge.node, edge.result);
  } else {
    return t;  // a leaf: the write itself will refuse it
  }
  return copy;
}

}  // namespace

void record_view(const Tensor& view, const OpDef& op, const Slot* args) {
  const Tensor source(IntrusivePtr<TensorImpl>::share(args[0].tensor));
  Meta& meta = ensure_meta(view);
  const Meta* from = meta_of(source);
  if (from && from->base.defined()) {
    meta.base = from->base;
    meta.steps = from->steps;
  } else {
    meta.base = source;
    ensure_meta(source);
  }
  OwnedArgs kept(args, op.num_args);
  kept.set(0, Slot());
  meta.steps.push_back({&op, std::move(kept)});
  meta.seen_generation = meta_of(meta.base)->generation;
  view->keys |= kModeView;
}

void sync_view(const Tensor& t) {
  Meta* meta = meta_of(t);
  if (!meta || !is_stale(*meta)) return;
  meta->seen_generation = meta_of(meta->base)->generation;
  const Recording recording;
  const TensorList chain = replay(meta->base, meta->steps);
  take_over(t, chain.back());
}

void leave_repeated(const Tensor& t) {
  Meta* meta = meta_of(t);
  if (!meta || !meta->base.defined() || !t.has_storage()) return;
  bool repeats = false;
  for (size_t d = 0; d < t.shape().size(); ++d) {
    repeats |= t.strides()[d] == 0 && t.shape()[d].value() > 1;
  }
  if (!repeats) return;
  sync_view(t);
  const Tensor own = Tensor::empty(t.shape(), t.dtype());
  own.copy_data_from(t);
  t->storage = own->storage;
  t->offset = 0;
  t->strides = own->strides;
  t->contiguous = true;
  follow_step(t, nullptr, nullptr);
}

void install_views() {
  install_layer(kModeView, view_layer);
  set_view_recorder(record_view);
  set_inplace_write(write);
  set_inplace_rebind(rebind);
  set_alias_with_history(alias_with_history);
}

}  // namespace paddle::autograd
