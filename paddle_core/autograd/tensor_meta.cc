// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What hangs on a tensor: leaf or result, gradient, hooks; and the life and death of nodes.

#include <algorithm>
#include <atomic>

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/autograd/gradient_lock.h"
#include "paddle_core/autograd/gradient_sink.h"
#include "paddle_core/device/host_allocator.h"
#include "paddle_core/dispatch/core_ops.h"
#include "paddle_core/dispatch/deferred.h"

namespace paddle::autograd {
namespace {

std::atomic<uint64_t> next_hook_id{1};

// Nodes waiting to be freed on this thread: a chain dies in a loop, not by recursion.
using NodeQueue = SmallVector<Node*, 32>;
__thread NodeQueue* pending = nullptr;

// The sequence of the thread's latest node. Taken up from the producers, it orders a graph that
// several threads recorded without a count that they share.
__thread uint64_t latest_sequence = 0;

uint64_t next_sequence(const Node& node) {
  for (const Edge& edge : node.edges) {
    if (edge.node) latest_sequence = std::max(latest_sequence, edge.node->sequence);
  }
  return ++latest_sequence;
}

bool retained_here(const Node& node, const Tensor& t) {
  return node.extras && std::any_of(node.extras->retained.begin(), node.extras->retained.end(),
                                    [&](const auto& entry) { return entry.tensor == t.impl(); });
}

}  // namespace

void Node::destroy(Node* node) {
  if (pending) {
    pending->push_back(node);
    return;
  }
  NodeQueue queue;
  pending = &queue;
  for (;;) {
    delete node;
    if (queue.empty()) break;
    node = queue.back();
    queue.pop_back();
  }
  pending = nullptr;
}

void* Meta::operator new(size_t bytes) { return host_memory::allocate(bytes); }
void Meta::operator delete(void* meta, size_t bytes) { host_memory::free(meta, bytes); }

void* ViewOf::operator new(size_t bytes) { return host_memory::allocate(bytes); }
void ViewOf::operator delete(void* view, size_t bytes) { host_memory::free(view, bytes); }

Meta* meta_of(const Tensor& t) { return static_cast<Meta*>(t->autograd.get()); }

Meta& ensure_meta(const Tensor& t) {
  AutogradMeta* meta = t->autograd.get();
  if (!meta) meta = t->autograd.get_or_set(std::make_unique<Meta>());
  return *static_cast<Meta*>(meta);
}

void set_stop_gradient(const Tensor& t, bool stop) {
  t->stop_gradient = stop;
  t->keys = stop ? t->keys & ~uint32_t{kModeAutograd} : t->keys | kModeAutograd;
}

bool is_leaf(const TensorImpl& t) {
  const auto* meta = static_cast<const Meta*>(t.autograd.get());
  return t.stop_gradient || !meta || !meta->grad_fn;
}

NodePtr grad_fn(const Tensor& t) {
  sync_view(t);
  const Meta* meta = meta_of(t);
  return meta && !t->stop_gradient ? meta->grad_fn : NodePtr();
}

Edge edge_of(TensorImpl* t) {
  Edge edge;
  if (!t || t->stop_gradient) return edge;
  const auto* meta = static_cast<const Meta*>(t->autograd.get());
  if (meta && meta->grad_fn) {
    edge.node = meta->grad_fn;
    edge.result = meta->result;
  } else {
    edge.leaf = Tensor(IntrusivePtr<TensorImpl>::share(t));
  }
  return edge;
}

void set_history(const Tensor& t, NodePtr node, uint32_t k) {
  if (node && node->sequence == 0) node->sequence = next_sequence(*node);
  Meta& meta = ensure_meta(t);
  meta.grad_fn = std::move(node);
  meta.result = k;
  set_stop_gradient(t, false);
}

void adopt_history(const Tensor& target, const Tensor& value) {
  const Meta* from = value->stop_gradient ? nullptr : meta_of(value);
  if (from && from->grad_fn) {
    set_history(target, from->grad_fn, from->result);
  } else if (Meta* meta = meta_of(target)) {
    meta->grad_fn.reset();
    set_stop_gradient(target, true);
  }
}

std::unique_lock<std::mutex> hold_gradient(const Tensor& t) {
  static auto* const locks = new std::mutex[16];  // outlive threads that still compute at exit
  if (capture_sink()) return {};
  return std::unique_lock(locks[(reinterpret_cast<uintptr_t>(t.impl()) >> 6) % 16]);
}

Tensor grad_of(const Tensor& t) {
  GradientSink* const sink = gradient_sink();
  if (sink) sink->gradient_touched(t, GradientSink::Touch::kRead);
  Meta* meta = meta_of(t);
  if (!meta) return {};
  const auto lock = hold_gradient(t);
  if (meta->grad_is_zero) {
    const PlaceScope there(t.place());
    meta->grad = t->sharded ? sharded_full(t, Scalar(0))
                 : sink     ? core_ops().full(t.shape(), Scalar(0), t.dtype())
                            : Tensor::full(t.shape(), Scalar(0), t.dtype(), t.place());
    set_stop_gradient(meta->grad, false);
    meta->grad_is_zero = false;
  }
  return meta->grad;
}

GradState grad_state(const Tensor& t) {
  const Meta* meta = meta_of(t);
  if (!meta) return GradState::kNone;
  if (meta->grad_is_zero) return GradState::kZero;
  return meta->grad.defined() ? GradState::kValues : GradState::kNone;
}

void make_grad_zero(const Tensor& t) {
  set_grad(t, Tensor());
  ensure_meta(t).grad_is_zero = true;
}

void zero_grad(const Tensor& t) {
  GradientSink* const sink = gradient_sink();
  if (sink) sink->gradient_touched(t, GradientSink::Touch::kZeroed);
  Meta* meta = meta_of(t);
  if (!meta) return;
  Tensor old;  // dies after the lock is free
  const auto lock = hold_gradient(t);
  if (!meta->grad.defined()) return;
  if (sink && sink->gradient_is_outer(t)) {
    const PlaceScope there(t.place());
    capture_sink()->rebind(meta->grad, core_ops().full(t.shape(), Scalar(0), meta->grad.dtype()));
    return;
  }
  if (meta->grad->sharded) {
    if (meta->grad->use_count() > 1) meta->grad.copy_data_from(sharded_full(meta->grad, Scalar(0)));
    old = std::move(meta->grad);
    meta->grad_is_zero = dist_attr_of(old) == dist_attr_of(t);
    if (!meta->grad_is_zero) meta->grad = sharded_full(old, Scalar(0));
    return;
  }
  if (sink || (!meta->grad.has_storage() && !deferred_sink())) {  // static programs: dropped
    old = std::move(meta->grad);
    meta->grad_is_zero = sink != nullptr;
    return;
  }
  const bool shared = meta->grad->use_count() > 1 ||
                      (meta->grad.has_storage() && meta->grad->storage->use_count() > 1);
  old = std::move(meta->grad);
  const auto zeros = [&] { return Tensor::full(old.shape(), Scalar(0), old.dtype(), old.place()); };
  if (capture_sink() || old.dtype() != t.dtype() || old.place() != t.place()) {
    meta->grad = zeros();
    return;
  }
  if (shared) old.copy_data_from(zeros());  // others see the zeros as well
  meta->grad_is_zero = true;
}

void set_grad(const Tensor& t, const Tensor& grad) {
  if (grad.defined()) {
    PADDLE_CHECK_VALUE(grad.shape() == t.shape(), "grad: the tensor has shape ", t.shape(),
                       " but its gradient has shape ", grad.shape(), "; they must be equal.");
  }
  if (GradientSink* sink = gradient_sink()) {
    sink->gradient_touched(t, GradientSink::Touch::kReplaced);
    if (sink->gradient_is_outer(t)) {
      PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, grad.defined(),
                        "to_static: the gradient of a tensor of shape ", t.shape(),
                        " is set to None in a branch or loop on a tensor; fill it with zeros "
                        "there (clear_grad()), or use full_graph=False.");
      return capture_sink()->rebind(grad_of(t), grad);
    }
  }
  Meta* meta = grad.defined() ? &ensure_meta(t) : meta_of(t);
  if (!meta) return;
  Tensor next = grad;  // then the old one, which dies after the lock is free
  const auto lock = hold_gradient(t);
  std::swap(meta->grad, next);
  meta->grad_is_zero = false;
}

uint64_t add_hook(const Tensor& t, Hook hook, bool after) {
  PADDLE_CHECK_RUNTIME(!t->stop_gradient,
                       "register_hook: the tensor has stop_gradient=True, so no gradient reaches "
                       "it. Set stop_gradient = False first.");
  const uint64_t id = next_hook_id++;
  Meta& meta = ensure_meta(t);
  if (const NodePtr node = grad_fn(t)) {
    auto& hooks = node->ensure_extras().result_hooks;
    hooks.resize(node->num_results);
    hooks[meta.result].push_back({id, std::move(hook)});
  } else {
    meta.hooks.push_back({id, std::move(hook), after});
  }
  return id;
}

bool remove_hook(const Tensor& t, uint64_t id) {
  Meta* meta = meta_of(t);
  if (!meta) return false;
  const auto erase = [id](std::vector<HookEntry>& hooks) {
    return std::erase_if(hooks, [id](const HookEntry& h) { return h.id == id; }) > 0;
  };
  if (erase(meta->hooks)) return true;
  NodeExtras* extras = meta->grad_fn ? meta->grad_fn->extras.get() : nullptr;
  return extras && meta->result < extras->result_hooks.size() &&
         erase(extras->result_hooks[meta->result]);
}

void retain_grads(const Tensor& t) {
  if (t->stop_gradient) return;  // there will be none to keep
  const NodePtr node = grad_fn(t);
  Meta& meta = ensure_meta(t);
  meta.retain_grad = true;
  meta.owner = t.impl();
  if (node && !retained_here(*node, t)) {
    node->ensure_extras().retained.push_back({meta.result, t.impl(), next_hook_id++});
  }
}

Meta::~Meta() {
  if (!grad_fn || !retain_grad || !owner || !grad_fn->extras) return;
  std::erase_if(grad_fn->extras->retained,
                [this](const auto& entry) { return entry.tensor == owner; });
}

}  // namespace paddle::autograd
