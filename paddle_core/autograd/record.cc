// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The autograd layer: records a node for each call that a gradient may flow through.

#include <bit>

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/autograd/gradient_sink.h"
#include "paddle_core/autograd/saved_tensors.h"
#include "paddle_core/device/host_allocator.h"
#include "paddle_core/dispatch/core_ops.h"
#include "paddle_core/dispatch/deferred.h"
#include "paddle_core/dispatch/execute/decomposition.h"
#include "paddle_core/dispatch/open_numbers.h"
#include "paddle_core/dispatch/recorder.h"
#include "paddle_core/dispatch/watch/observers.h"
#include "paddle_core/op/args.h"

namespace paddle::autograd {
namespace {

// Of the first gradient that there is.
Place place_of(const TensorList& grads) {
  for (const Tensor& g : grads) {
    if (g.defined()) return g.place();
  }
  return Place();
}

Tensor sharing(TensorImpl* impl) { return Tensor(IntrusivePtr<TensorImpl>::share(impl)); }

// Shares memory (and captured value) but no history.
Tensor without_history(const Tensor& t) {
  if (!(t->shared_keys() & kModeLayout) && !t.has_storage() && !t->sharded) {
    Tensor copy = Tensor::meta(t.shape(), t.dtype(), t.place());
    copy->capture = t->capture;
    copy->keys = t->keys & kModeCapture;
    if (DeferredSink* sink = deferred_sink()) sink->share(copy, t, false);
    return copy;
  }
  return t.share_values();
}

// What a node keeps of an input that it reads. A tensor that may later take over another history
// is kept as an alias, so that no node owns a tensor whose history leads back to the node.
Tensor kept_input(const Tensor& t) {
  if (!t->stop_gradient && is_leaf(t)) return t;
  Tensor copy = without_history(t);
  if (!t->stop_gradient) adopt_history(copy, t);
  return copy;
}

// A captured tensor keeps naming its value: its shape may only be known when the program runs.
Tensor only_meta(const Tensor& t) {
  if (const DistAttr* attr = dist_attr_of(t)) {
    return sharded_meta(t.shape(), t.dtype(), attr, t.place());
  }
  Tensor copy = Tensor::meta(t.shape(), t.dtype(), t.place());
  if (deferred_sink()) return copy;  // shapes are known there
  copy->capture = t->capture;
  copy->keys = t->keys & kModeCapture;
  return copy;
}

bool carries_gradient(const OpDef& op, size_t result) {
  return !((op.nondiff_results >> (op.list_result ? 0 : result)) & 1u);
}

// An integer result carries a gradient when it is a cast, or made of integers that want one.
bool carries_gradient_as_integer(const OpDef& op, const Slot* args) {
  if (std::string_view(op.name()) == "cast") return true;
  const auto wants = [](const TensorImpl& t) {
    return !t.stop_gradient && !is_differentiable(t.dtype);
  };
  for (size_t i = 0; i < op.num_args; ++i) {
    if (args[i].kind == SlotKind::kTensor && wants(*args[i].tensor)) return true;
    if (args[i].kind != SlotKind::kTensorList) continue;
    for (uint32_t k = 0; k < args[i].count; ++k) {
      if (args[i].list[k].defined() && wants(*args[i].list[k].impl())) return true;
    }
  }
  return false;
}

thread_local std::vector<std::shared_ptr<const SavedTensorHooks>> saved_hooks;

// While a hook runs, its own calls are neither recorded nor packed.
class HooksOff {
 public:
  HooksOff() { saved_hooks.emplace_back(); }
  ~HooksOff() { saved_hooks.pop_back(); }
  HooksOff(const HooksOff&) = delete;
  HooksOff& operator=(const HooksOff&) = delete;

 private:
  ModeGuard no_grad_{kModeAutograd};
};

// A node of an operator: its arguments, of which only those in saves() keep their values. Of the
// others it knows shape, dtype and place; tensors of that kind are made when the gradient rule
// runs.
class OpNode final : public Node {
 public:
  OpNode(const OpDef& op, const Slot* args, const Outputs& outs)
      : OpNode(op, SmallVector<Slot, 8>(args, args + op.num_args), KeepAlive(), outs) {}

  // Nodes are made and freed once per recorded call: they come from the warm blocks.
  static void* operator new(size_t bytes) { return host_memory::allocate(bytes); }
  static void operator delete(void* node, size_t bytes) { host_memory::free(node, bytes); }

  const char* name() const override { return op_.name(); }
  bool is_operator() const override { return true; }

  void apply(const TensorList& grads, const std::vector<bool>& needs, TensorList& out) override {
    PADDLE_CHECK_RUNTIME(!is_freed(), "backward: the graph of ", op_.name(),
                         " was freed by an earlier backward(); pass retain_graph=True to the first "
                         "one to go through it again.");
    check_versions();
    uint64_t needed_args = 0;
    for (size_t e = 0; e < needs.size(); ++e) {
      if (needs[e]) needed_args |= uint64_t{1} << edge_info[e].arg;
    }
    SmallVector<Tensor, 2> stand_ins;
    for (const Kind& k : kinds_) {
      stand_ins.push_back(k.attr ? sharded_meta(k.shape, k.dtype, k.attr, k.place)
                                 : Tensor::meta(k.shape, k.dtype, k.place));
    }
    SmallVector<Slot, 8> slots(args_.data(), args_.data() + args_.size());
    for (Slot& slot : slots) {
      if (slot.kind == SlotKind::kNone && slot.count > 0) {
        slot = Slot::of(stand_ins[slot.count - 1]);
      }
    }
    TensorList given;  // by the unpack hook
    std::vector<TensorList> given_lists;
    if (packed_) unpack_arguments(slots, given, given_lists);
    const TensorList outs = unpack_results(stand_ins);
    const PlaceScope constants(place_of(grads));
    Vjp vjp(op_, slots.data(), outs.data(), grads.data(), needed_args);
    op_.vjp_fn(vjp);
    collect(vjp.results(), out);
  }

  void release_saved() override {
    args_ = OwnedArgs();
    results_.clear();
    kinds_.clear();
    versions_.clear();
    packed_.reset();
  }

  // Hands what the node saves to the hook and keeps its handles instead.
  void pack(std::shared_ptr<const SavedTensorHooks> hooks) {
    packed_ = std::make_unique<Packed>();
    packed_->hooks = std::move(hooks);
    for (size_t i = 0; i < args_.size(); ++i) {
      if (!((op_.saved_inputs >> i) & 1u) || static_cast<int>(i) == unread_) continue;
      if (args_[i].kind == SlotKind::kTensor) {
        const Tensor kept = pack_one(args_.tensor(i), i, 0, false);
        args_.set(i, Slot::of(kept));
      } else if (args_[i].kind == SlotKind::kTensorList) {
        TensorList list = args_.tensor_list(i);
        for (size_t k = 0; k < list.size(); ++k) list[k] = pack_one(list[k], i, k, false);
        args_.set(i, Slot::of(list));
      }
    }
    for (size_t k = 0; k < results_.size(); ++k) {
      if (saves_result(k)) results_[k].value = pack_one(results_[k].value, k, 0, true);
    }
    versions_.clear();  // a handle does not follow writes, and no memory is held for them
  }

 private:
  // A saved tensor that only its handle stands for.
  struct PackedTensor {
    size_t place = 0, element = 0;  // argument or result, and place in a list
    bool is_result = false;
    std::shared_ptr<void> handle;
    bool is_leaf = false;
    Tensor kept;  // a leaf that needs a gradient, else shape, dtype and history
  };
  struct Packed {
    std::shared_ptr<const SavedTensorHooks> hooks;
    std::vector<PackedTensor> tensors;
  };

  // What the node keeps of t; t itself where there is nothing to pack.
  Tensor pack_one(const Tensor& t, size_t place, size_t element, bool is_result) {
    if (!t.defined() || !(t.has_storage() || t->sharded)) return t;
    const bool leaf = !is_result && !t->stop_gradient && is_leaf(t);
    Tensor kept = leaf ? t : only_meta(t);
    if (!leaf && !t->stop_gradient) adopt_history(kept, t);
    std::shared_ptr<void> handle;
    {
      const HooksOff off;
      handle = packed_->hooks->pack(t);
    }
    packed_->tensors.push_back({place, element, is_result, std::move(handle), leaf, kept});
    return kept;
  }

  Tensor unpack_one(const PackedTensor& p) const {
    const bool leaf = p.is_leaf;
    if (leaf && grad_enabled()) return p.kept;  // higher derivatives lead to the leaf itself
    Tensor value;
    {
      const HooksOff off;
      value = packed_->hooks->unpack(p.handle);
    }
    PADDLE_CHECK_VALUE(
        value.defined() && value.shape() == p.kept.shape() && value.dtype() == p.kept.dtype(),
        "saved_tensors_hooks: unpack_hook gave ",
        value.defined() ? str("shape ", value.shape(), " and dtype ", value.dtype())
                        : std::string("nothing"),
        " for a tensor of ", op_.name(), " of shape ", p.kept.shape(), " and dtype ",
        p.kept.dtype(), "; it must give back what pack_hook got.");
    value = without_history(value);
    if (!leaf && !p.kept->stop_gradient) adopt_history(value, p.kept);
    return value;
  }

  void unpack_arguments(SmallVector<Slot, 8>& slots, TensorList& given,
                        std::vector<TensorList>& lists) const {
    given.reserve(packed_->tensors.size());
    lists.reserve(slots.size());
    size_t last_list = slots.size();
    for (const PackedTensor& p : packed_->tensors) {
      if (p.is_result) continue;
      given.push_back(unpack_one(p));
      if (args_[p.place].kind == SlotKind::kTensor) {
        slots[p.place] = Slot::of(given.back());
        continue;
      }
      if (last_list != p.place) lists.push_back(args_.tensor_list(p.place));
      last_list = p.place;
      lists.back()[p.element] = given.back();
      slots[p.place] = Slot::of(lists.back());
    }
  }

  struct Version {
    StoragePtr storage;
    uint32_t version;
  };
  // What is known of a tensor whose values are not kept.
  struct Kind {
    Shape shape;
    DType dtype;
    Place place;
    const DistAttr* attr;  // null of a plain tensor
  };
  struct Result {
    Tensor value;       // undefined when only its kind is kept, or when there was none
    uint32_t kind = 0;  // position in kinds_ + 1
  };
  // What the slots of the constructor borrow until args_ owns it.
  struct KeepAlive {
    TensorList tensors;
    std::vector<TensorList> lists;
  };

  OpNode(const OpDef& op, SmallVector<Slot, 8> args, KeepAlive owned, const Outputs& outs)
      : op_(op), args_(keep_arguments(args, owned, outs), args.size()) {
    num_results = static_cast<uint32_t>(outs.size());
    for (size_t k = 0; k < outs.size(); ++k) keep_result(k, outs[k]);
  }

  const Slot* keep_arguments(SmallVector<Slot, 8>& args, KeepAlive& owned, const Outputs& outs) {
    edges.reserve(op_.num_tensor_args);
    unread_ = unread_argument(args);
    for (size_t i = 0; i < args.size(); ++i) keep_argument(i, args[i], outs, owned);
    return args.data();
  }

  // The factor of a product that no gradient reads, because the other one needs none; -1: both are.
  int unread_argument(const SmallVector<Slot, 8>& args) const {
    if (!op_.has(kBilinear)) return -1;
    const int first = std::countr_zero(op_.saved_inputs),
              second = std::countr_zero(op_.saved_inputs & (op_.saved_inputs - 1));
    const auto needs_gradient = [&](int i) {
      const Slot& s = args[static_cast<size_t>(i)];
      return s.kind != SlotKind::kTensor || !s.tensor->stop_gradient;
    };
    if (!needs_gradient(second)) return first;
    return needs_gradient(first) ? -1 : second;
  }

  // Position + 1 of the kind of `t`; 0 when only a tensor can say it: a captured one names a value.
  uint32_t kind_of(const TensorImpl& t) {
    if ((t.capture.program != 0 || (t.keys & kModeCapture)) && !deferred_sink()) [[unlikely]]
      return 0;
    for (size_t k = 0; k < kinds_.size(); ++k) {
      const Kind& kind = kinds_[k];
      if (kind.dtype == t.dtype && kind.place == t.place && kind.attr == dist_attr_of(t) &&
          kind.shape == t.shape) {
        return static_cast<uint32_t>(k + 1);
      }
    }
    kinds_.push_back({t.shape, t.dtype, t.place, dist_attr_of(t)});
    return static_cast<uint32_t>(kinds_.size());
  }

  // With the writes that are recorded and still to be run.
  static uint32_t version_of(const Storage& storage) {
    const DeferredSink* sink = deferred_sink();
    return storage.inplace_version() + (sink ? sink->pending_writes(&storage) : 0);
  }

  bool saves_result(size_t k) const {
    return (op_.saved_outputs >> (op_.list_result ? 0 : k)) & 1u;
  }

  // Of what is kept: an argument with a private layout may get other memory from another thread.
  void remember_version(const TensorImpl& t) {
    if (t.shared_keys() & kModeLayout) [[unlikely]] {
      const Tensor same = sharing(const_cast<TensorImpl*>(&t)).share_values();
      versions_.push_back({same->storage, version_of(*same->storage)});
    } else if (t.sharded) {
      if (t.sharded->local.defined()) remember_version(*t.sharded->local.impl());
    } else if (t.storage) {
      versions_.push_back({t.storage, version_of(*t.storage)});
    } else if (deferred_sink()) {
      was_deferred_ = true;
    }
  }

  void add_edge(size_t arg, TensorImpl* t, const Outputs& outs) {
    edges.push_back(edge_of(t));
    TensorInfo& info = edge_info.emplace_back();
    info.arg = static_cast<uint8_t>(arg);
    if (!t) return;
    info.dtype = t->dtype;
    // A gradient rule may leave the sum over broadcast axes to the engine.
    if (outs.empty() || !outs[0].defined() || !(outs[0].shape() == t->shape)) {
      info.shape = std::make_unique<Shape>(t->shape);
    }
  }

  // Replaces the slot of argument i by what is kept of it.
  void keep_argument(size_t i, Slot& slot, const Outputs& outs, KeepAlive& owned) {
    if (slot.kind != SlotKind::kTensor && slot.kind != SlotKind::kTensorList) return;
    const bool operand =
        op_.tensors_first ? i < op_.num_tensor_args : op_.schema().args[i].is_tensor();
    if (!operand) return;
    const bool saved = ((op_.saved_inputs >> i) & 1u) && static_cast<int>(i) != unread_;
    if (slot.kind == SlotKind::kTensorList) return keep_list(i, slot, saved, outs, owned);
    TensorImpl* t = slot.tensor;
    add_edge(i, t, outs);
    if (saved) {
      if (!t->stop_gradient && is_leaf(*t)) return remember_version(*t);
      owned.tensors.push_back(kept_input(sharing(t)));
      remember_version(*owned.tensors.back().impl());
    } else if (const uint32_t kind = kind_of(*t)) {
      slot = Slot();
      slot.count = kind;
      return;
    } else {
      owned.tensors.push_back(only_meta(sharing(t)));
    }
    slot = Slot::of(owned.tensors.back());
  }

  void keep_list(size_t i, Slot& slot, bool saved, const Outputs& outs, KeepAlive& owned) {
    TensorList kept;
    for (uint32_t k = 0; k < slot.count; ++k) {
      const Tensor& t = slot.list[k];
      add_edge(i, t.impl(), outs);
      if (!t.defined()) {
        kept.emplace_back();
      } else if (saved) {
        kept.push_back(kept_input(t));
        remember_version(*kept.back().impl());
      } else {
        kept.push_back(k > 0 && same_kind(kept.back(), t) ? kept.back() : only_meta(t));
      }
    }
    owned.lists.push_back(std::move(kept));
    slot = Slot::of(owned.lists.back());
  }

  // Elements of one kind share a stand-in: nothing writes to it.
  static bool same_kind(const Tensor& a, const Tensor& b) {
    const auto captured = [](const Tensor& t) {
      return t->capture.program != 0 || (t->keys & kModeCapture);
    };
    return a.defined() && !captured(a) && !captured(b) && a.dtype() == b.dtype() &&
           a.place() == b.place() && a.shape() == b.shape() && dist_attr_of(a) == dist_attr_of(b);
  }

  void keep_result(size_t k, const Tensor& t) {
    Result& result = results_.emplace_back();
    if (!t.defined()) return;
    if (saves_result(k)) {
      result.value = without_history(t);
      remember_version(*result.value.impl());
    } else if (result.kind = kind_of(*t.impl()); result.kind == 0) {
      result.value = only_meta(t);
    }
  }

  void check_versions() const {
    for (const Version& v : versions_) check_version(v.version, version_of(*v.storage));
    if (was_deferred_) check_deferred();
  }

  void check_version(uint32_t then, uint32_t now) const {
    PADDLE_CHECK_RUNTIME(then == now, "backward: a tensor that the gradient of ", op_.name(),
                         " reads was changed in place after it was used (received tensor_version:",
                         now, " != wrapper_version_snapshot:", then,
                         "). Use the out-of-place form, or clone() before the change.");
  }

  // Tensors that had no memory yet know the version with which they got it.
  void check_deferred() const {
    const auto check = [this](const Tensor& t) {
      if (!t.defined() || !t.has_storage() || t->capture.program != kWasDeferred) return;
      check_version(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(t->capture.value)),
                    version_of(*t->storage));
    };
    for (size_t i = 0; i < args_.size(); ++i) {
      if (args_[i].kind == SlotKind::kTensor) check(args_.tensor(i));
      if (args_[i].kind != SlotKind::kTensorList) continue;
      for (const Tensor& t : args_.tensor_list(i)) check(t);
    }
    for (const Result& r : results_) check(r.value);
  }

  // Saved results get their history back while the rule runs, so that higher derivatives see it.
  TensorList unpack_results(const SmallVector<Tensor, 2>& stand_ins) {
    TensorList outs;
    outs.reserve(results_.size());
    for (size_t k = 0; k < results_.size(); ++k) {
      const Result& r = results_[k];
      outs.push_back(r.kind > 0 ? stand_ins[r.kind - 1] : r.value);
      if (packed_ && r.value.defined()) outs[k] = unpack_result(k, outs[k]);
      if (!grad_enabled() || !r.value.defined() || !saves_result(k)) continue;
      if (!carries_gradient(op_, k)) continue;
      if (!is_differentiable(r.value.dtype()) && !carries_gradient_as_integer(op_, args_.data()))
        continue;
      outs[k] = without_history(outs[k]);
      set_history(outs[k], NodePtr::share(this), static_cast<uint32_t>(k));
    }
    return outs;
  }

  Tensor unpack_result(size_t k, const Tensor& otherwise) const {
    for (const PackedTensor& p : packed_->tensors) {
      if (p.is_result && p.place == k) return unpack_one(p);
    }
    return otherwise;
  }

  void collect(std::vector<TensorList>& by_arg, TensorList& out) const {
    out.assign(edges.size(), Tensor());
    size_t e = 0;
    while (e < edges.size()) {
      const size_t arg = edge_info[e].arg;
      size_t count = 1;
      while (e + count < edges.size() && edge_info[e + count].arg == arg) ++count;
      if (arg < by_arg.size()) {
        TensorList& given = by_arg[arg];
        for (size_t k = 0; k < count && k < given.size(); ++k) out[e + k] = std::move(given[k]);
      }
      e += count;
    }
  }

  const OpDef& op_;
  SmallVector<Kind, 2> kinds_;
  SmallVector<Version, 2> versions_;
  bool was_deferred_ = false;  // set, like the two above, while args_ is made
  int unread_ = -1;
  OwnedArgs args_;  // an empty slot with a count n stands for a tensor of kind n - 1
  SmallVector<Result, 1> results_;
  std::unique_ptr<Packed> packed_;  // null without hooks
};

[[gnu::noinline]] void note_origin(Node& node) {
  const std::string line = running_location();
  if (line.empty()) return;
  node.ensure_extras().origin =
      str(" It is part of the gradient of ", node.name(), ", called at ", line, ".");
}

// Gives the results of a call that has run their history.
void record(const OpDef& op, const Slot* args, Outputs& outs) {
  if (!op.differentiable) return;
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, op.vjp_fn != nullptr, op.name(),
                    ": this operator has neither a gradient rule nor a decomposition.");
  const auto has_history = [&](size_t k) {
    const bool aliased = op.is_native_inplace() && op.inplace_arg[k] >= 0;
    return outs[k].defined() && !aliased && carries_gradient(op, k) &&
           (is_differentiable(outs[k].dtype()) || carries_gradient_as_integer(op, args));
  };
  size_t last = outs.size();
  for (size_t k = 0; k < outs.size(); ++k) {
    if (has_history(k)) last = k;
  }
  if (last == outs.size()) return;
  auto* made = new OpNode(op, args, outs);
  NodePtr node = NodePtr::adopt(made);
  if (!saved_hooks.empty() && saved_hooks.back() && !capture_sink()) [[unlikely]]
    made->pack(saved_hooks.back());
  if (checks_nan_inf()) [[unlikely]]
    note_origin(*node);
  for (size_t k = 0; k < last; ++k) {
    if (has_history(k)) set_history(outs[k], node, static_cast<uint32_t>(k));
  }
  set_history(outs[last], std::move(node), static_cast<uint32_t>(last));
}

// Decompositions read numbers: where only a run tells them, the call is recorded as it is and its
// gradient is that of the run.
bool recorded_whole(const OpDef& op, const Slot* args, Outputs& outs) {
  if (!capture_sink() || deferred_sink() || !OpenNumbers::needed(op, args)) return false;
  auto* sink = dynamic_cast<GradientSink*>(capture_sink());
  if (!sink) return false;
  {
    ModeGuard guard(kModeAutograd);
    call(op, args, outs);
  }
  sink->give_history_of_run(op, outs);
  return true;
}

void autograd_layer(const OpDef& op, const Slot* args, Outputs& outs) {
  if (op.differentiable && !op.vjp_fn && op.decompose_fn) {
    if (recorded_whole(op, args, outs)) return;
    check_arguments(op, args);
    TensorList results = decomposed(op, args);
    outs.clear();
    for (Tensor& t : results) outs.push_back(std::move(t));
    return;
  }
  {
    ModeGuard guard(kModeAutograd);
    call(op, args, outs);
  }
  record(op, args, outs);
}

}  // namespace

void push_saved_tensor_hooks(std::shared_ptr<const SavedTensorHooks> hooks) {
  saved_hooks.push_back(std::move(hooks));
}

void pop_saved_tensor_hooks() {
  PADDLE_CHECK_RUNTIME(!saved_hooks.empty(),
                       "saved_tensors_hooks: none is in force on this thread.");
  saved_hooks.pop_back();
}

// Defined in views.cc.
void install_views();

void install_autograd() {
  install_layer(kModeAutograd, autograd_layer);
  set_recorder(record);
  install_views();
}

}  // namespace paddle::autograd
