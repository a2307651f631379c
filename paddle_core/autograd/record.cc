// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The autograd layer: records a node for each call that a gradient may flow through.

#include <atomic>

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/device/host_allocator.h"
#include "paddle_core/dispatch/core_ops.h"
#include "paddle_core/op/args.h"

namespace paddle::autograd {
namespace {

std::atomic<uint64_t> next_sequence{1};

// Shares memory (and captured value) but no history.
Tensor without_history(const Tensor& t) {
  if (!t.has_storage()) {
    Tensor copy = Tensor::meta(t.shape(), t.dtype(), t.place());
    copy->capture = t->capture;
    copy->keys = t->keys & kModeCapture;
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
  Tensor copy = Tensor::meta(t.shape(), t.dtype(), t.place());
  copy->capture = t->capture;
  copy->keys = t->keys & kModeCapture;
  return copy;
}

// A node of an operator: its arguments, of which only those in saves() keep their values.
class OpNode final : public Node {
 public:
  OpNode(const OpDef& op, const Slot* args, const Outputs& outs)
      : op_(op), args_(without_tensors(args, op.num_args)) {
    edges.reserve(op.num_tensor_args);
    num_results = static_cast<uint32_t>(outs.size());
    sequence = next_sequence++;
    for (size_t i = 0; i < op.num_args; ++i) add_argument(i, args[i], outs);
    for (size_t k = 0; k < outs.size(); ++k) {
      if (!outs[k].defined()) {
        saved_outs_.emplace_back();
      } else if (saves_output(k)) {
        saved_outs_.push_back(without_history(outs[k]));
        remember_version(outs[k]);
      } else {
        saved_outs_.push_back(shared_meta(outs[k]));
      }
    }
    last_meta_ = Tensor();
  }

  // Nodes are made and freed once per recorded call: they come from the warm blocks.
  static void* operator new(size_t bytes) { return host_memory::allocate(bytes); }
  static void operator delete(void* node, size_t bytes) { host_memory::free(node, bytes); }

  const char* name() const override { return op_.name(); }

  void apply(const TensorList& grads, const std::vector<bool>& needs, TensorList& out) override {
    PADDLE_CHECK_RUNTIME(!released_, "backward: the graph of ", op_.name(),
                         " was freed by an earlier backward(); pass retain_graph=True to the first "
                         "one to go through it again.");
    check_versions();
    uint64_t needed_args = 0;
    for (size_t e = 0; e < needs.size(); ++e) {
      if (needs[e]) needed_args |= uint64_t{1} << edge_arg_[e];
    }
    const TensorList outs = unpack_outputs();
    Vjp vjp(op_, args_.data(), outs.data(), grads.data(), needed_args);
    op_.vjp_fn(vjp);
    collect(vjp.results(), out);
  }

  void release_saved() override {
    args_ = OwnedArgs();
    saved_outs_.clear();
    versions_.clear();
    released_ = true;
  }

 private:
  struct Version {
    StoragePtr storage;
    uint32_t version;
  };

  // add_argument() sets the tensors.
  static OwnedArgs without_tensors(const Slot* args, size_t n) {
    SmallVector<Slot, 8> rest(args, args + n);
    for (Slot& slot : rest) {
      if (slot.kind == SlotKind::kTensor || slot.kind == SlotKind::kTensorList) slot = Slot();
    }
    return OwnedArgs(rest.data(), n);
  }

  // Arguments and results of one shape and dtype share one stand-in: nothing writes to it.
  const Tensor& shared_meta(const Tensor& t) {
    const bool same = last_meta_.defined() && t->capture.program == 0 &&
                      !(t->keys & kModeCapture) && last_meta_->capture.program == 0 &&
                      last_meta_.dtype() == t.dtype() && last_meta_.place() == t.place() &&
                      last_meta_.shape() == t.shape();
    if (!same) last_meta_ = only_meta(t);
    return last_meta_;
  }

  bool saves_output(size_t k) const {
    return (op_.saved_outputs >> (op_.list_result ? 0 : k)) & 1u;
  }

  void remember_version(const Tensor& t) {
    if (t.has_storage()) versions_.push_back({t->storage, t->storage->version()});
  }

  void add_edge(size_t arg, const Tensor& t, const Outputs& outs) {
    edges.push_back(edge_of(t));
    edge_arg_.push_back(static_cast<uint8_t>(arg));
    TensorInfo& info = edge_info.emplace_back();
    info.dtype = t.dtype();
    // A gradient rule may leave the sum over broadcast axes to the engine.
    if (outs.empty() || !outs[0].defined() || !(outs[0].shape() == t.shape())) {
      info.shape = t.shape();
      info.has_shape = true;
    }
  }

  void add_argument(size_t i, const Slot& slot, const Outputs& outs) {
    if (!op_.schema().args[i].is_tensor()) {
      if (slot.kind == SlotKind::kTensor || slot.kind == SlotKind::kTensorList) args_.set(i, slot);
      return;
    }
    const bool saved = (op_.saved_inputs >> i) & 1u;
    if (slot.kind == SlotKind::kTensor) {
      const Tensor t(IntrusivePtr<TensorImpl>::share(slot.tensor));
      add_edge(i, t, outs);
      if (saved) remember_version(t);
      args_.set(i, Slot::of(saved ? kept_input(t) : shared_meta(t)));
    } else if (slot.kind == SlotKind::kTensorList) {
      TensorList kept;
      for (uint32_t k = 0; k < slot.count; ++k) {
        const Tensor& t = slot.list[k];
        add_edge(i, t, outs);
        if (saved) remember_version(t);
        kept.push_back(saved ? kept_input(t) : shared_meta(t));
      }
      args_.set(i, Slot::of(kept));
    }
  }

  void check_versions() const {
    for (const Version& v : versions_) {
      PADDLE_CHECK_RUNTIME(
          v.storage->version() == v.version, "backward: a tensor that the gradient of ", op_.name(),
          " reads was changed in place after it was used (version ", v.version, " then, ",
          v.storage->version(), " now). Use the out-of-place form, or clone() before the change.");
    }
  }

  // Saved outputs get their history back while the rule runs, so that higher derivatives see it.
  TensorList unpack_outputs() {
    TensorList outs = saved_outs_;
    if (!grad_enabled()) return outs;
    for (size_t k = 0; k < outs.size(); ++k) {
      if (!outs[k].defined() || !saves_output(k) || !is_differentiable(outs[k].dtype())) continue;
      if ((op_.nondiff_results >> k) & 1u) continue;
      outs[k] = without_history(outs[k]);
      set_history(outs[k], NodePtr::share(this), static_cast<uint32_t>(k));
    }
    return outs;
  }

  void collect(std::vector<TensorList>& by_arg, TensorList& out) const {
    out.assign(edges.size(), Tensor());
    size_t e = 0;
    while (e < edge_arg_.size()) {
      const size_t arg = edge_arg_[e];
      size_t count = 1;
      while (e + count < edge_arg_.size() && edge_arg_[e + count] == arg) ++count;
      if (arg < by_arg.size()) {
        TensorList& given = by_arg[arg];
        for (size_t k = 0; k < count && k < given.size(); ++k) out[e + k] = std::move(given[k]);
      }
      e += count;
    }
  }

  const OpDef& op_;
  OwnedArgs args_;
  TensorList saved_outs_;
  Tensor last_meta_;  // only while the node is made
  SmallVector<uint8_t, 4> edge_arg_;
  SmallVector<Version, 2> versions_;
  bool released_ = false;
};

void autograd_layer(const OpDef& op, const Slot* args, Outputs& outs) {
  if (op.differentiable && !op.vjp_fn && op.decompose_fn) {
    Args view(op, args);
    TensorList results = op.decompose_fn(view);
    outs.clear();
    for (Tensor& t : results) outs.push_back(std::move(t));
    return;
  }
  {
    ModeGuard guard(kModeAutograd);
    call(op, args, outs);
  }
  if (!op.differentiable) return;
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, op.vjp_fn != nullptr, op.name(),
                    ": this operator has neither a gradient rule nor a decomposition.");
  bool any = false;
  for (size_t k = 0; k < outs.size(); ++k) {
    const bool aliased = op.is_native_inplace() && op.inplace_arg[k] >= 0;
    any |= outs[k].defined() && is_differentiable(outs[k].dtype()) && !aliased &&
           !((op.nondiff_results >> k) & 1u);
  }
  if (!any) return;
  const NodePtr node = NodePtr::adopt(new OpNode(op, args, outs));
  for (size_t k = 0; k < outs.size(); ++k) {
    const bool aliased = op.is_native_inplace() && op.inplace_arg[k] >= 0;
    if (!outs[k].defined() || !is_differentiable(outs[k].dtype()) || aliased) continue;
    if ((op.nondiff_results >> (op.list_result ? 0 : k)) & 1u) continue;
    set_history(outs[k], node, static_cast<uint32_t>(k));
  }
}

}  // namespace

// Defined in views.cc.
void install_views();

void install_autograd() {
  install_layer(kModeAutograd, autograd_layer);
  install_views();
}

}  // namespace paddle::autograd
