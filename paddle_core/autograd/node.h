// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The recorded graph. A Node stands for one recorded call: edges to the producers of its inputs and
// what its gradient rule reads. Saved outputs hold no reference to their own node.
// A graph is freed without recursion, so chains of any length die on a small stack.
#pragma once

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
  // Frees saved values after a backward that does not retain the graph.
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
};

}  // namespace paddle::autograd
