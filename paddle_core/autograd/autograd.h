// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reverse-mode differentiation over recorded graphs, to any order. Semantics are PaddlePaddle's:
// stop_gradient, leaf .grad accumulation, retain_graph, hooks, grad() with create_graph.
#pragma once

#include "paddle_core/autograd/node.h"
#include "paddle_core/dispatch/call.h"
#include "paddle_core/tensor/sharded_part.h"

namespace paddle::autograd {

// How a view was made from its base: replayed when the base or a view of it is written in place.
struct ViewStep {
  const OpDef* op;
  OwnedArgs args;  // args[0] is the tensor the step is applied to
};

// The steps from a base to a view. A view of a view shares the steps that they have in common, so
// that one more step costs the same however many there are.
class PADDLE_API ViewSteps {
 public:
  size_t size() const { return last_ ? last_->count : 0; }
  bool empty() const { return !last_; }
  const ViewStep& back() const { return last_->step; }
  void push_back(ViewStep step);
  ViewSteps without_last() const { return ViewSteps(last_->before); }
  std::vector<const ViewStep*> list() const;  // that of the base first

  ViewSteps() = default;

 private:
  struct Link : RefCounted<Link> {
    ViewStep step;
    IntrusivePtr<Link> before;
    size_t count;
    Link(ViewStep s, IntrusivePtr<Link> b)
        : step(std::move(s)), before(std::move(b)), count(before ? before->count + 1 : 1) {}
    static void* operator new(size_t bytes);
    static void operator delete(void* link, size_t bytes);
    static void destroy(Link* link);
  };
  explicit ViewSteps(IntrusivePtr<Link> last) : last_(std::move(last)) {}
  IntrusivePtr<Link> last_;
};

struct PADDLE_API ViewOf {
  Tensor base;  // never itself a view
  ViewSteps steps;
  uint64_t seen_generation = 0;  // of base when last synced
  uint32_t layout = 0;           // of base when the steps were made
  static void* operator new(size_t bytes);
  static void operator delete(void* view, size_t bytes);
};

struct PADDLE_API Meta : AutogradMeta {
  ~Meta() override;
  // One is made per recorded result: they come from the warm blocks.
  static void* operator new(size_t bytes);
  static void operator delete(void* meta, size_t bytes);

  NodePtr grad_fn;      // null on a leaf
  uint32_t result = 0;  // which result of grad_fn
  Tensor grad;
  const DistAttr* grad_attr = nullptr;  // how .grad of a distributed leaf lies; null: like it
  bool grad_is_zero = false;            // .grad is zeros that are not made before they are read
  std::vector<HookEntry> hooks;         // of a leaf; others' hooks live in grad_fn
  bool retain_grad = false;
  TensorImpl* owner = nullptr;   // set with retain_grad: the node forgets it when it dies
  std::unique_ptr<ViewOf> view;  // null when the tensor is no view
  uint64_t generation = 0;  // of a base: raised by each in-place write to it or to a view of it
  uint32_t layout = 0;  // of a base: raised when it gets another shape, dtype or memory in place
};

PADDLE_API Meta* meta_of(const Tensor& t);  // null when there is none
PADDLE_API Meta& ensure_meta(const Tensor& t);
// Sets keys and stop_gradient.
PADDLE_API void set_stop_gradient(const Tensor& t, bool stop);
PADDLE_API bool is_leaf(const TensorImpl& t);
inline bool is_leaf(const Tensor& t) { return is_leaf(*t.impl()); }
// The producer, after bringing a stale view up to date.
PADDLE_API NodePtr grad_fn(const Tensor& t);
PADDLE_API Edge edge_of(TensorImpl* t);  // no edge for null
inline Edge edge_of(const Tensor& t) { return edge_of(t.impl()); }
// Makes `t` result k of `node`.
PADDLE_API void set_history(const Tensor& t, NodePtr node, uint32_t k);
// Takes over value's history (detached value: becomes a leaf without gradient).
PADDLE_API void adopt_history(const Tensor& target, const Tensor& value);

// Records that `view` = op(args) aliases args[0].
PADDLE_API void record_view(const Tensor& view, const OpDef& op, const Slot* args);
// Replays the view's steps when its base has changed since (history or captured value).
PADDLE_API void sync_view(const Tensor& t);
// Before a user marks t for gradients: a view without history becomes a leaf of its own, in the
// same memory.
PADDLE_API void become_variable(const Tensor& t);
// Gives a view memory of its own: from here on it and its base do not see each other's writes.
PADDLE_API void leave_base(const Tensor& t);
// Before t is written, whole or in part: ValueError if it is a leaf that needs a gradient. A
// broadcast view leaves its base, which keeps its values; a view of such a leaf leaves its history.
PADDLE_API void before_write(const Tensor& t, const char* op_name);

PADDLE_API Tensor grad_of(const Tensor& t);
PADDLE_API void set_grad(const Tensor& t, const Tensor& grad);
// Fills .grad, if there is one, with zeros; the next backward then gives its own memory instead of
// adding to them.
PADDLE_API void zero_grad(const Tensor& t);
// `after`: of a leaf, to run when .grad has the gradient.
PADDLE_API uint64_t add_hook(const Tensor& t, Hook hook, bool after = false);
PADDLE_API bool remove_hook(const Tensor& t, uint64_t id);
PADDLE_API void retain_grads(const Tensor& t);

// tensor.backward(): accumulates into the .grad of leaves. grads may be empty or hold undefined
// tensors (ones are used; RuntimeError in that case unless the output has one element or the
// rule that gives ones to all applies).
PADDLE_API void backward(const TensorList& outputs, const TensorList& grads, bool retain_graph);
// paddle.grad(): gradients of outputs with respect to inputs, nothing accumulated. RuntimeError
// naming the position of an input that is unreachable unless allow_unused.
PADDLE_API TensorList grad(const TensorList& outputs, const TensorList& inputs,
                           const TensorList& grad_outputs, bool retain_graph, bool create_graph,
                           bool allow_unused, const TensorList& no_grad_vars);

// Installs the autograd layer into the dispatcher.
PADDLE_API void install_autograd();
// Called between nodes with no lock held; may throw kInterrupt.
using InterruptFn = void (*)();
PADDLE_API void set_interrupt_check(InterruptFn fn);

}  // namespace paddle::autograd
