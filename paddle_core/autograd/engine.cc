// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The backward pass: nodes in reverse order of their creation, each once all gradients of its
// results are known. Iterative; its state lives in side tables, so that several threads, or a
// backward inside a hook, may walk one graph at a time.

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <queue>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/autograd/gradient_lock.h"
#include "paddle_core/autograd/interrupt.h"
#include "paddle_core/autograd/pointer_table.h"
#include "paddle_core/base/log.h"
#include "paddle_core/dispatch/core_ops.h"
#include "paddle_core/dispatch/deferred.h"
#include "paddle_core/dispatch/watch/observers.h"

namespace paddle::autograd {
namespace {

InterruptFn interrupt_check = nullptr;

struct NodeTask {
  TensorList grads;
  uint32_t waiting = 0;  // edges that still lead here
  bool needed = true, seen = false, queued = false;
};

struct LeafTask {
  Tensor leaf, grad;
  bool as_given = false;  // grad is what a PyLayer's backward returned, and keeps its stop_gradient
};

struct LaterFirst {
  bool operator()(const Node* a, const Node* b) const { return a->sequence < b->sequence; }
};

// Where grad() wants the gradient of a result: position in its answer.
struct Target {
  uint32_t result;
  size_t position;
};

class Engine {
 public:
  Engine(bool retain_graph, bool create_graph)
      : retain_graph_(retain_graph), create_graph_(create_graph) {}

  void add_root(const Tensor& output, const Tensor& grad) {
    const Edge edge = edge_of(output);
    if (edge.node) {
      task(edge.node.get());
      roots_.push_back(edge.node);
    }
    seeds_.emplace_back(edge, grad);
  }

  // grad(): what is wanted instead of the .grad of all leaves.
  void want(const TensorList& inputs) {
    selective_ = true;
    answers_.resize(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Edge edge = edge_of(inputs[i]);
      if (edge.node) {
        targets_[edge.node.get()].push_back({edge.result, i});
        wanted_nodes_.push_back(edge.node);
      } else if (edge.leaf.defined()) {
        leaf_targets_[edge.leaf.impl()].push_back(i);
      }
    }
  }

  void block(const TensorList& no_grad) {
    for (const Tensor& t : no_grad) {
      const Edge edge = edge_of(t);
      if (edge.node) blocked_.emplace(edge.node.get(), edge.result);
      if (edge.leaf.defined()) blocked_leaves_.insert(edge.leaf.impl());
    }
  }

  void run() {
    discover();
    if (selective_) mark_needed();
    for (auto& [edge, grad] : seeds_) deliver(edge, std::move(grad));
    for (const NodePtr& root : roots_) {
      NodeTask& t = task(root.get());
      if (t.waiting == 0 && !std::exchange(t.queued, true)) ready_.push(root.get());
    }
    while (!ready_.empty()) {
      Node* node = ready_.top();
      ready_.pop();
      check_interrupt();
      run_node(node);
    }
    if (!selective_) finish_leaves();
  }

  TensorList& answers() { return answers_; }

 private:
  NodeTask& task(Node* node) {
    NodeTask& t = tasks_[node];
    if (t.grads.empty()) t.grads.resize(node->num_results);
    return t;
  }

  void discover() {
    std::vector<Node*> stack;
    for (const NodePtr& root : roots_) {
      if (!std::exchange(task(root.get()).seen, true)) stack.push_back(root.get());
    }
    while (!stack.empty()) {
      Node* node = stack.back();
      stack.pop_back();
      order_.push_back(node);
      for (const Edge& edge : node->edges) {
        if (!edge.node) continue;
        NodeTask& t = task(edge.node.get());
        ++t.waiting;
        if (!std::exchange(t.seen, true)) stack.push_back(edge.node.get());
      }
    }
  }

  // A node is needed when a wanted tensor lies below it. Inputs are older than their consumers, so
  // going through the nodes by age sees every node after what it leads to.
  void mark_needed() {
    std::sort(order_.begin(), order_.end(),
              [](const Node* a, const Node* b) { return a->sequence < b->sequence; });
    for (Node* node : order_) {
      bool needed = targets_.count(node) > 0;
      for (const Edge& edge : node->edges) needed |= leads_to_wanted(edge);
      task(node).needed = needed;
    }
  }

  bool leads_to_wanted(const Edge& edge) {
    if (edge.leaf.defined()) {
      return leaf_targets_.count(edge.leaf.impl()) > 0 && !blocked_leaves_.count(edge.leaf.impl());
    }
    return edge.node && task(edge.node.get()).needed && !is_blocked(edge);
  }

  bool is_blocked(const Edge& edge) const {
    const auto range = blocked_.equal_range(edge.node.get());
    return std::any_of(range.first, range.second,
                       [&](const auto& entry) { return entry.second == edge.result; });
  }

  bool wants(const Edge& edge) {
    if (selective_) return leads_to_wanted(edge);
    if (edge.leaf.defined()) return !blocked_leaves_.count(edge.leaf.impl());
    return edge.node && !is_blocked(edge);
  }

  Tensor sum(const Tensor& a, const Tensor& b) const {
    const bool sole = a->use_count() == 1 && a.has_storage() && a->storage->use_count() == 1;
    const bool plain = !((a->keys | b->keys) & kModeLayout) && a.is_contiguous();
    if (sole && !create_graph_ && !capture_sink() && plain && b.has_storage() &&
        a.dtype() == b.dtype() && a.shape() == b.shape()) {
      core_ops().accumulate(a, b);
      return a;
    }
    return core_ops().add(a, b);
  }

  void accumulate(Tensor& into, Tensor grad) {
    if (!into.defined()) {
      into = std::move(grad);
    } else {
      into = sum(into, grad);
    }
  }

  void deliver(const Edge& edge, Tensor grad, const Node* from = nullptr) {
    if (edge.node) {
      accumulate(task(edge.node.get()).grads[edge.result], std::move(grad));
    } else if (edge.leaf.defined()) {
      if (selective_) {
        accumulate(leaf_answers_[edge.leaf.impl()], std::move(grad));
        for (const size_t i : leaf_targets_[edge.leaf.impl()]) {
          answers_[i] = leaf_answers_[edge.leaf.impl()];
        }
      } else {
        LeafTask*& task = leaf_tasks_[edge.leaf.impl()];
        const bool first = !task;
        if (first) task = &leaves_.emplace_back(LeafTask{edge.leaf, Tensor()});
        task->as_given = first && from && !from->is_operator();
        accumulate(task->grad, std::move(grad));
      }
    }
  }

  static constexpr uint64_t kAllHooks = std::numeric_limits<uint64_t>::max();

  // Runs those whose ids are from `first` on and below `last`.
  static Tensor run_hooks(const std::vector<HookEntry>& hooks, Tensor grad, bool after = false,
                          uint64_t first = 0, uint64_t last = kAllHooks) {
    const std::vector<HookEntry> snapshot = hooks;  // a hook may remove itself
    for (const HookEntry& hook : snapshot) {
      if (hook.after != after || hook.id < first || hook.id >= last) continue;
      Tensor replaced = hook.fn(grad);
      if (replaced.defined()) grad = std::move(replaced);
    }
    return grad;
  }

  // Hooks and kept gradients of results, in the order in which they were asked for.
  void run_extras(const NodeExtras& extras, TensorList& grads) const {
    const auto defined = [](const Tensor& g) { return g.defined(); };
    const bool reached = std::any_of(grads.begin(), grads.end(), defined);
    for (uint32_t k = 0; k < grads.size(); ++k) {
      uint64_t done = 0;
      const auto run_until = [&](uint64_t last) {
        if (!grads[k].defined() || k >= extras.result_hooks.size()) return;
        grads[k] = run_hooks(extras.result_hooks[k], std::move(grads[k]), false, done, last);
        done = last;
      };
      for (const NodeExtras::Retained& kept : extras.retained) {
        if (selective_ || kept.result != k) continue;
        run_until(kept.hook);
        const Tensor t(IntrusivePtr<TensorImpl>::share(kept.tensor));
        if (grads[k].defined()) {
          store(t, grads[k], Stored::kInstead);
        } else if (reached && !grad_of(t).defined()) {  // only its siblings have a gradient
          store(t, Tensor::full(t.shape(), Scalar(0), t.dtype(), t.place()), Stored::kInstead);
        }
      }
      run_until(kAllHooks);
    }
  }

  void run_node(Node* node) {
    NodeTask& mine = task(node);
    TensorList grads = std::move(mine.grads);
    const bool needed = mine.needed;
    if (node->extras) run_extras(*node->extras, grads);
    if (const auto it = targets_.find(node); it != targets_.end()) {
      for (const Target& target : it->second) answers_[target.position] = grads[target.result];
    }
    std::vector<bool> needs(node->edges.size());
    bool any_edge = false, any_grad = false;
    for (size_t e = 0; e < needs.size(); ++e) any_edge |= needs[e] = wants(node->edges[e]);
    for (const Tensor& g : grads) any_grad |= g.defined();
    TensorList results(node->edges.size());
    if (needed && any_edge && (any_grad || !retain_graph_)) {
      Walk walk(*node);
      if (any_grad) apply(node, grads, needs, results);
      if (!retain_graph_) walk.free_saved();
    }
    grads.clear();
    for (size_t e = 0; e < results.size(); ++e) {
      const Edge& edge = node->edges[e];
      if (needs[e] && results[e].defined()) deliver(edge, std::move(results[e]), node);
      if (edge.node && --task(edge.node.get()).waiting == 0) ready_.push(edge.node.get());
    }
  }

  // What fails names the line of the forward call.
  static void apply_with_origin(Node* node, const TensorList& grads, const std::vector<bool>& needs,
                                TensorList& results) {
    const std::string& origin = node->extras->origin;
    const OriginScope scope(origin);
    try {
      node->apply(grads, needs, results);
    } catch (const Error& e) {
      const bool said = e.message().find(origin) != std::string::npos;
      if (said || e.kind() == ErrorKind::kPython) throw;
      throw Error(e.kind(), e.message() + origin);
    }
  }

  void apply(Node* node, const TensorList& grads, const std::vector<bool>& needs,
             TensorList& results) {
    ModeGuard no_amp(kModeAmp);
    std::optional<ModeGuard> no_grad;
    if (!create_graph_) no_grad.emplace(kModeAutograd);
    if (node->extras && !node->extras->origin.empty()) [[unlikely]] {
      apply_with_origin(node, grads, needs, results);
    } else {
      node->apply(grads, needs, results);
    }
    results.resize(node->edges.size());
    for (size_t e = 0; e < results.size(); ++e) {
      if (!needs[e] || !results[e].defined() || e >= node->edge_info.size()) continue;
      const TensorInfo& info = node->edge_info[e];
      if (info.shape && !(results[e].shape() == *info.shape)) {
        results[e] = core_ops().sum_to(results[e], *info.shape);
      }
      if (info.dtype != DType::kUndefined && results[e].dtype() != info.dtype) {
        results[e] = core_ops().cast(results[e], info.dtype);
      }
    }
  }

  // Whether nothing else holds the memory of a distributed tensor's part.
  static bool has_own_part(const Tensor& t) {
    const Tensor& local = local_part(t);
    return t->use_count() == 1 &&
           (!local.defined() ||
            (local->use_count() == 1 && local.has_storage() && local->storage->use_count() == 1));
  }

  // Gradients of leaves add up; one that a result keeps is that of the latest backward.
  enum class Stored { kAdded, kInstead };

  // Adds into tensor.grad, which stays the same object where it can, or stands in its place.
  void store(const Tensor& t, Tensor grad, Stored how = Stored::kAdded,
             bool as_given = false) const {
    if (t->sharded) {  // a gradient lies like its tensor, and is no Partial
      const DistAttr* own = ensure_meta(t).grad_attr;
      const DistAttr* attr = own ? own : dist_attr_of(t)->reduced();
      if (dist_attr_of(grad) != attr) grad = core_ops().reshard(grad, attr);
    } else if (grad->sharded) {
      grad = core_ops().reshard(grad, nullptr);
    }
    auto lock = hold_gradient(t);
    Meta& meta = ensure_meta(t);
    if (capture_sink() && !t->sharded) {
      meta.grad_is_zero = false;
      const bool adds = meta.grad.defined() && how == Stored::kAdded;
      capture_sink()->set_grad(t, adds ? core_ops().add(meta.grad, grad) : grad);
      return;
    }
    meta.grad_is_zero = false;
    if (!meta.grad.defined() || how == Stored::kInstead) {
      const bool stop = as_given && grad->stop_gradient;
      const bool sole = grad->use_count() == 1 && grad.has_storage() &&
                        grad->storage->use_count() == 1 && grad.is_contiguous();
      if (grad->sharded) {
        if (!create_graph_ && !has_own_part(grad)) grad = share_parts(grad, true);
      } else if (!create_graph_ && !sole) {
        Tensor own = Tensor::empty(grad.shape(), grad.dtype(), grad.place());
        own.copy_data_from(grad);
        grad = std::move(own);
      }
      meta.grad = std::move(grad);
      if (!create_graph_) set_stop_gradient(meta.grad, stop);
      return;
    }
    const bool plain = !meta.grad->sharded && !grad->sharded;
    if (create_graph_ || !plain || !(meta.grad.shape() == grad.shape())) {
      // Another thread may store between: what it stored is added to as well.
      Tensor before, sum;
      do {
        before = meta.grad;
        if (lock.owns_lock()) lock.unlock();
        sum = before.defined() ? core_ops().add(before, grad) : grad;
        lock = hold_gradient(t);
      } while (meta.grad.impl() != before.impl());
      meta.grad = std::move(sum);  // `before` holds the old one until the lock is gone
      if (lock.owns_lock()) lock.unlock();
    } else {
      core_ops().accumulate(meta.grad, grad);
    }
  }

  void finish_leaves() {
    for (LeafTask& leaf : leaves_) {
      Meta& meta = [&]() -> Meta& {
        const auto lock = hold_gradient(leaf.leaf);
        return ensure_meta(leaf.leaf);
      }();
      Tensor grad = std::move(leaf.grad);
      if (!meta.hooks.empty()) grad = run_hooks(meta.hooks, std::move(grad));
      store(leaf.leaf, std::move(grad), Stored::kAdded, leaf.as_given);
      if (!meta.hooks.empty()) run_hooks(meta.hooks, Tensor(), true);
    }
  }

  const bool retain_graph_, create_graph_;
  bool selective_ = false;
  std::vector<std::pair<Edge, Tensor>> seeds_;
  std::vector<NodePtr> roots_, wanted_nodes_;
  std::vector<Node*> order_;
  PointerTable<Node, NodeTask> tasks_;
  std::priority_queue<Node*, std::vector<Node*>, LaterFirst> ready_;
  std::deque<LeafTask> leaves_;  // in the order in which they are reached
  PointerTable<TensorImpl, LeafTask*> leaf_tasks_;
  std::unordered_map<Node*, std::vector<Target>> targets_;
  std::unordered_map<TensorImpl*, std::vector<size_t>> leaf_targets_;
  std::unordered_map<TensorImpl*, Tensor> leaf_answers_;
  std::unordered_multimap<Node*, uint32_t> blocked_;
  std::unordered_set<TensorImpl*> blocked_leaves_;
  TensorList answers_;
};

// Extents that only a run knows count as equal; the run checks them.
bool same_extents(const Shape& a, const Shape& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](Dim x, Dim y) {
           return x == y || ((x.is_symbolic() || y.is_symbolic()) && decide_eq(x, y, true));
         });
}

Tensor first_gradient(const Tensor& output, const TensorList& grads, size_t i, const char* who) {
  if (i < grads.size() && grads[i].defined()) {
    PADDLE_CHECK_VALUE(same_extents(grads[i].shape(), output.shape()), who, ": output ", i,
                       " has shape ", output.shape(), " and its gradient ", grads[i].shape(),
                       "; they must be equal.");
    return grads[i].dtype() == output.dtype() ? grads[i]
                                              : core_ops().cast(grads[i], output.dtype());
  }
  const PlaceScope there(output.place());
  return core_ops().full(output.shape(), Scalar(1.0), output.dtype());
}

// An output that needs no gradient adds nothing, as in PaddlePaddle; a warning says so.
bool needs_gradient(const Tensor& output, size_t i, const char* who) {
  if (!output->stop_gradient) return true;
  warn_once(str(who, "/stop_gradient"),
            str(who, ": output ", i,
                " has stop_gradient=True: nothing that it was computed from needs a gradient, so "
                "none flows. Set stop_gradient = False on an input, or on the parameters, before "
                "the forward call. This is said once."));
  return false;
}

}  // namespace

void set_interrupt_check(InterruptFn fn) { interrupt_check = fn; }
void check_interrupt() {
  if (interrupt_check) interrupt_check();
}

void backward(const TensorList& outputs, const TensorList& grads, bool retain_graph) {
  Engine engine(retain_graph, false);
  for (size_t i = 0; i < outputs.size(); ++i) {
    sync_view(outputs[i]);
    if (!needs_gradient(outputs[i], i, "backward")) continue;
    engine.add_root(outputs[i], first_gradient(outputs[i], grads, i, "backward"));
  }
  engine.run();
}

TensorList grad(const TensorList& outputs, const TensorList& inputs, const TensorList& grad_outputs,
                bool retain_graph, bool create_graph, bool allow_unused,
                const TensorList& no_grad_vars) {
  Engine engine(retain_graph || create_graph, create_graph);
  for (const Tensor& t : inputs) sync_view(t);
  engine.want(inputs);
  engine.block(no_grad_vars);
  for (size_t i = 0; i < outputs.size(); ++i) {
    sync_view(outputs[i]);
    if (!needs_gradient(outputs[i], i, "grad")) continue;
    engine.add_root(outputs[i], first_gradient(outputs[i], grad_outputs, i, "grad"));
  }
  engine.run();
  TensorList answers = std::move(engine.answers());
  for (size_t i = 0; i < inputs.size(); ++i) {
    PADDLE_CHECK_VALUE(answers[i].defined() || allow_unused, "grad: input ", i,
                       " is not reachable from the outputs; pass allow_unused=True to get None "
                       "for it.");
  }
  return answers;
}

}  // namespace paddle::autograd
