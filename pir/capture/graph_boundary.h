// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A captured function may read tensors that other calls computed. Its gradient ends at them: a run
// hands it to their graph, which the capture neither walks nor frees.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/autograd/node.h"

namespace paddle::pir {

// Within it, the graphs that tensors come from end at the tensors: what lies behind is not the
// function's.
class GraphBoundary {
 public:
  explicit GraphBoundary(const TensorList& tensors) {
    for (const Tensor& t : tensors) {
      const autograd::Edge edge = t.has_storage() ? autograd::edge_of(t) : autograd::Edge{};
      if (!edge.node || known(edge.node)) continue;
      cuts_.push_back({edge.node, std::move(edge.node->edges), std::move(edge.node->extras)});
      edge.node->edges.clear();
    }
  }
  ~GraphBoundary() {
    for (Cut& cut : cuts_) {
      cut.node->edges = std::move(cut.edges);
      cut.node->extras = std::move(cut.extras);
    }
  }
  GraphBoundary(const GraphBoundary&) = delete;
  GraphBoundary& operator=(const GraphBoundary&) = delete;

 private:
  struct Cut {
    autograd::NodePtr node;
    SmallVector<autograd::Edge, 2> edges;
    std::unique_ptr<autograd::NodeExtras> extras;
  };
  bool known(const autograd::NodePtr& node) const {
    return std::any_of(cuts_.begin(), cuts_.end(), [&](const Cut& c) { return c.node == node; });
  }
  std::vector<Cut> cuts_;
};
}  // namespace paddle::pir
