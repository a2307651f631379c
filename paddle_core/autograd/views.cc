// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Views and in-place writes. A view remembers its base and the steps from there. A write through a
// view becomes a new value of the base (each step's view_scatter, in operators); the base takes
// over that history, and every view of it replays its steps when it is next used.

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/autograd/view_steps.h"
#include "paddle_core/autograd/view_sync.h"
#include "paddle_core/dispatch/core_ops.h"
#include "paddle_core/dispatch/deferred.h"
#include "paddle_core/op/args.h"
#include "paddle_core/op/registry.h"

namespace paddle::autograd {

void install_views();

namespace {

thread_local TensorList* synced = nullptr;

// Turns recording on for the replay: the history must follow the base also under no_grad(), unless
// a write leaves the base the one that it has.
class Recording {
 public:
  explicit Recording(bool with_history = true) : saved_(thread_modes.allowed) {
    thread_modes.allowed |= kModeCapture;
    if (with_history) thread_modes.allowed |= kModeAutograd;
    thread_modes.allowed &= ~uint32_t{kModeView | kModeAmp};
  }
  ~Recording() { thread_modes.allowed = saved_; }

 private:
  uint32_t saved_;
};

Tensor apply_step(const ViewStep& step, const Tensor& x) {
  SmallVector<Slot, 8> slots(step.args.data(), step.args.data() + step.args.size());
  slots[0] = Slot::of(x);
  for (size_t i = 1; i < slots.size(); ++i) {  // the view layer is off in a replay
    if (slots[i].kind != SlotKind::kTensor || !slots[i].tensor) continue;
    sync_view(Tensor(IntrusivePtr<TensorImpl>::share(slots[i].tensor)));
  }
  Outputs outs;
  call(*step.op, slots.data(), outs);
  return outs[0];
}

// What each of the steps is applied to, the base first.
TensorList sources(const Tensor& base, const std::vector<const ViewStep*>& steps) {
  TensorList chain{base};
  for (size_t i = 0; i + 1 < steps.size(); ++i) chain.push_back(apply_step(*steps[i], chain[i]));
  return chain;
}

// Whether writes to it replay the steps of views: parts of a base and of its views need not share
// memory.
bool is_sharded_view(const Tensor& t, const ViewOf* view) { return view && t->sharded; }

void take_over(const Tensor& target, const Tensor& value) {
  if (target->sharded && value->sharded) *target->sharded = *value->sharded;
  adopt_history(target, value);
  target->capture = value->capture;
  if (!value.has_storage()) target->keys |= value->keys & kModeCapture;
}

// What t is a view of; null when it is none.
ViewOf* view_of(const Tensor& t) {
  const Meta* meta = meta_of(t);
  return meta ? meta->view.get() : nullptr;
}

bool is_stale(const ViewOf& view) {
  const Meta* base = meta_of(view.base);
  return base && base->generation != view.seen_generation;
}

// The steps of a view start from the shape that its base had.
void check_layout(const Tensor& t, const ViewOf& view) {
  const Meta* base = meta_of(view.base);
  PADDLE_CHECK_RUNTIME(
      !base || base->layout == view.layout, "a tensor of shape ", t.shape(),
      " is a view of one to which an in-place operator gave shape ", view.base.shape(),
      " since, and which was written then, so that its history is not known any "
      "more. Make the view after the in-place operator (reshape_, transpose_, ...), "
      "or use the operator that gives a new tensor.");
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

// A leaf that needs a gradient, which is recorded now.
bool is_variable(const Tensor& t) { return !t->stop_gradient && is_leaf(t) && grad_enabled(); }

void refuse_leaf(const Tensor& t, const char* op_name) {
  PADDLE_CHECK_VALUE(!is_variable(t), op_name, ": a leaf tensor that needs a gradient (shape ",
                     t.shape(),
                     ") can't be written in place, nor can a view of it in a captured program. "
                     "Write under paddle.no_grad(), or write to a clone().");
}

void write_plain(const Tensor& target, const Tensor& value) {
  if (capture_sink() && !target->sharded) {
    capture_sink()->rebind(target, value);
  } else {
    target.copy_data_from(value);
  }
}

void write_through_view(const Tensor& target, const Tensor& value) {
  const ViewOf& view = *view_of(target);
  check_layout(target, view);
  const Tensor base = view.base;
  Tensor fresh = value;
  {
    const Recording recording(grad_enabled());
    const std::vector<const ViewStep*> steps = view.steps.list();
    const TensorList chain = sources(base, steps);
    for (size_t j = steps.size(); j-- > 0;) {
      const ViewStep& step = *steps[j];
      SmallVector<Slot, 8> slots(step.args.data(), step.args.data() + step.args.size());
      slots[0] = Slot::of(chain[j]);
      Args args(*step.op, slots.data());
      fresh = step.op->view_scatter_fn(args, chain[j], fresh);
    }
    if (DeferredSink* sink = deferred_sink()) fresh = sink->without_alias(fresh, value);
  }
  if (base->sharded) {
    base.copy_data_from(core_ops().reshard(fresh, dist_attr_of(base)));
  } else if (capture_sink()) {
    capture_sink()->rebind(base, fresh);
  } else {
    target.copy_data_from(value);
  }
  if (grad_enabled()) adopt_history(base, fresh);
  ++ensure_meta(base).generation;
  sync_view(target);
}

// A leaf has no node that could stand behind what is written; a recorded copy of it has.
Tensor with_node(const Tensor& value) {
  const bool leaf = grad_enabled() && !value->stop_gradient && is_leaf(value);
  return leaf ? core_ops().expand(value, value.shape()) : value;
}

// t remains in the memory of its base, whose history it does not follow any more.
void forget_base(const Tensor& t) {
  meta_of(t)->view.reset();
  t->keys &= ~uint32_t{kModeView};
}

void write(const Tensor& target, const Tensor& given, const char* op_name) {
  const Tensor value = with_node(given);
  before_write(target, op_name);
  sync_view(target);
  const ViewOf* view = view_of(target);
  DeferredSink* const sink = deferred_sink();
  if (sink && !target->sharded && (view || sink->has_aliases(target))) {
    const RunsNow now("an in-place write to a tensor that shares its memory with others");
    return write(target, value, op_name);
  }
  if (view) {
    const bool history = is_sharded_view(target, view) || !target->stop_gradient ||
                         !value->stop_gradient || !view->base->stop_gradient;
    if (!history && !capture_sink()) return target.copy_data_from(value);  // memory is all there is
    write_through_view(target, value);
    return;
  }
  write_plain(target, value);
  if (grad_enabled()) adopt_history(target, value);
  if (Meta* own = meta_of(target)) ++own->generation;
}

// A view stays a view of its base, with one more step; otherwise the old memory is left behind.
// `value` is what the step gave.
void follow_step(const Tensor& target, const Tensor& value, const OpDef* view, const Slot* args) {
  ViewOf* of = view_of(target);
  if (!of) return;
  const auto copies = [&] {
    if (value.has_storage() && target.has_storage()) return value->storage != target->storage;
    return gives_new_memory(of->steps, of->base, *view, args);
  };
  if (view && !copies()) {
    add_step(of->steps, of->base, target, value, *view, args);
  } else {
    forget_base(target);
  }
}

void rebind(const Tensor& target, const Tensor& value, const OpDef* view, const Slot* args,
            const char* op_name) {
  if (deferred_sink()) {
    const RunsNow now("an in-place operator that changes shape, dtype or memory");
    return rebind(target, value, view, args, op_name);
  }
  before_write(target, op_name);
  sync_view(target);
  const ViewOf* of = view_of(target);
  if (capture_sink()) {
    if (of) {
      target->capture = value->capture;
    } else {
      capture_sink()->rebind(target, value);
    }
  }
  follow_step(target, value, view, args);
  if (Meta* own = meta_of(target); own && !of) ++own->layout;
  if (grad_enabled()) adopt_history(target, value);
  if (value->sharded) {
    return become_sharded(target, value.shape(), value.dtype(), dist_attr_of(value),
                          local_part(value));
  }
  target->ensure_logical_order();
  value->ensure_logical_order();
  TensorImpl& t = *target.impl();
  const TensorImpl& v = *value.impl();
  PADDLE_CHECK_RUNTIME(!t.sharded, op_name, ": a distributed tensor can't become a plain one.");
  t.storage = v.storage;
  t.offset = v.offset;
  t.dtype = v.dtype;
  t.contiguous = v.contiguous;
  t.numel = v.numel;
  t.shape = v.shape;
  t.strides = v.strides;
}

Tensor without_history(const Tensor& t, bool copied) {
  if (t->sharded) return share_parts(t, copied);
  if (!t.has_storage()) return Tensor::meta(t.shape(), t.dtype(), t.place());
  if (!copied) return t.share_values();
  Tensor copy = Tensor::empty(t.shape(), t.dtype(), t.place());
  copy.copy_data_from(t);
  return copy;
}

Tensor alias_with_history(const Tensor& t, bool copied) {
  sync_view(t);
  const uint32_t keys = t->keys & ~uint32_t{kModeView};
  DeferredSink* sink = deferred_sink();
  Tensor copy;
  if (copied && sink) {
    copy = sink->copy(t);
    copy->keys |= keys;
  } else {
    copy = without_history(t, copied);
    copy->capture = t->capture;
    copy->keys = keys;
    if (sink) sink->share(copy, t, false);
  }
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
  auto made = std::make_unique<ViewOf>();
  if (const ViewOf* from = view_of(source)) {
    made->base = from->base;
    made->steps = from->steps;
    made->layout = from->layout;
  } else {
    made->base = source;
    made->layout = ensure_meta(source).layout;
  }
  if (!view.has_storage() && gives_new_memory(made->steps, made->base, op, args)) return;
  add_step(made->steps, made->base, source, view, op, args);
  made->seen_generation = ensure_meta(made->base).generation;
  ensure_meta(view).view = std::move(made);
  view->keys |= kModeView;
}

void sync_view(const Tensor& t) {
  ViewOf* view = view_of(t);
  if (!view || !is_stale(*view)) return;
  check_layout(t, *view);
  view->seen_generation = meta_of(view->base)->generation;
  const Recording recording;
  const std::vector<const ViewStep*> steps = view->steps.list();
  take_over(t, apply_step(*steps.back(), sources(view->base, steps).back()));
  if (synced) synced->push_back(t);
}

TensorList* list_synced_views(TensorList* list) { return std::exchange(synced, list); }

void forget_sync(const Tensor& view) {
  if (ViewOf* own = view_of(view)) own->seen_generation = meta_of(own->base)->generation - 1;
}

void become_variable(const Tensor& t) {
  if (!view_of(t) || capture_sink()) return;
  sync_view(t);
  if (!meta_of(t)->grad_fn) forget_base(t);
}

void forget_views(const Tensor& base) {
  if (Meta* own = meta_of(base)) ++own->generation;
}

void leave_base(const Tensor& t) {
  if (!view_of(t)) return;
  sync_view(t);
  if (t.has_storage()) {
    const Tensor own = Tensor::empty(t.shape(), t.dtype(), t.place());
    own.copy_data_from(t);
    t->storage = own->storage;
    t->offset = 0;
    t->strides = own->strides;
    t->contiguous = true;
  }
  follow_step(t, Tensor(), nullptr, nullptr);
}

void before_write(const Tensor& t, const char* op_name) {
  refuse_leaf(t, op_name);
  const ViewOf* const view = view_of(t);
  if (!view) return;
  if (capture_sink()) refuse_leaf(view->base, op_name);  // nothing in a program is memory
  bool repeats = false;
  for (size_t d = 0; t.has_storage() && d < t.shape().size(); ++d) {
    repeats |= t.strides()[d] == 0 && t.shape()[d].value() > 1;
  }
  if (repeats) {
    leave_base(t);
  } else if (is_variable(view->base)) {
    // A leaf has no history that could follow the write: it keeps its gradient, taken at the values
    // that it holds then, and the view becomes a result of its own in the same memory.
    forget_base(t);
  }
}

void install_views() {
  install_layer(kModeView, view_layer);
  set_view_recorder(record_view);
  set_inplace_write(write);
  set_inplace_rebind(rebind);
  set_alias_with_history(alias_with_history);
}

}  // namespace paddle::autograd
