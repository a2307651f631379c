// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The recorded graph. A Node stands for one recorded call: edges to the producers of its inputs and
// what its gradient rule reads. Saved outputs hold no reference to their own node.
// A graph is freed without recursion, so chains of any length die on a small stack.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "paddle_core/op/vjp.h"

namespace paddle::autograd {

class Node;
using NodePtr = IntrusivePtr<Node>;

// Where the gradient of an input goes: a producer's result, a leaf, or nowhere (both null).
struct Edge {
  NodePtr node;
  uint32_t result = 0;
  Tensor leaf;
  bool valid() const { return node || leaf.defined(); }
};

using Hook = std::function<Tensor(const Tensor& grad)>;  // undefined result: unchanged
struct HookEntry {
  uint64_t id;
  Hook fn;
  bool after = false;  // runs when .grad has the gradient, with none; others run before
};

// To what the engine brings the gradient of an edge.
struct TensorInfo {
  std::unique_ptr<const Shape> shape;  // null: the gradient already has it
  DType dtype = DType::kUndefined;
  uint8_t arg = 0;  // argument of the call that the edge belongs to, for nodes of operators
};

// A result of which no gradient came may need one of zeros.
struct ResultInfo {
  Shape shape;
  DType dtype = DType::kUndefined;
};

// What few nodes have: hooks and results whose .grad is wanted.
struct NodeExtras {
  std::string origin;  // of the forward call, as a sentence; only while results are checked
  std::vector<std::vector<HookEntry>> result_hooks;  // per result
  // Non-leaf tensors whose .grad is wanted (retain_grads): what the hooks below `hook` give.
  struct Retained {
    uint32_t result;
    TensorImpl* tensor;
    uint64_t hook;
  };
  std::vector<Retained> retained;
};

class PADDLE_API Node : public RefCounted<Node> {
 public:
  virtual ~Node() = default;
  virtual const char* name() const = 0;
  // Whether the gradient is that of one registered operator.
  virtual bool is_operator() const { return false; }
  // grads[k]: gradient of result k or undefined. Returns one gradient per edge (or undefined).
  // needs(e) says whether edge e leads anywhere that is wanted.
  virtual void apply(const TensorList& grads, const std::vector<bool>& needs, TensorList& out) = 0;
  // Frees saved values after a backward that does not retain the graph. Called once, when no thread
  // is inside of apply().
  virtual void release_saved() {}
  static void destroy(Node* node);

  SmallVector<Edge, 2> edges;
  SmallVector<TensorInfo, 2> edge_info;
  uint32_t num_results = 1;
  // Creation order, above that of every producer: later nodes run first among the ready ones. Set
  // with the first result; 0 until then.
  uint64_t sequence = 0;
  std::unique_ptr<NodeExtras> extras;  // null when there are none

  NodeExtras& ensure_extras() {
    if (!extras) extras = std::make_unique<NodeExtras>();
    return *extras;
  }

  // A backward that does not retain the graph went through; apply() of a node whose saved values
  // are gone says so.
  bool is_freed() const { return (walks_.load(std::memory_order_acquire) & kFreed) != 0; }

 private:
  friend class Walk;
  static constexpr uint32_t kFreed = 1u << 31, kReleased = 1u << 30;
  std::atomic<uint32_t> walks_{0};  // threads inside of apply(), and the two bits
};

// Surrounds apply(): threads may go through one graph, and one may free it, at the same time.
class Walk {
 public:
  explicit Walk(Node& node) : node_(node) { node.walks_.fetch_add(1, std::memory_order_acquire); }
  // Saved values go with the last walk; who comes later finds the node freed.
  void free_saved() { node_.walks_.fetch_or(Node::kFreed, std::memory_order_release); }
  ~Walk() {
    const uint32_t before = node_.walks_.fetch_sub(1, std::memory_order_acq_rel);
    if (before != (Node::kFreed | 1)) return;
    if (node_.walks_.fetch_or(Node::kReleased, std::memory_order_acq_rel) & Node::kReleased) return;
    node_.release_saved();
  }
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

 private:
  Node& node_;
};

}  // namespace paddle::autograd
