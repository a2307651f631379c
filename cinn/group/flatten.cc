// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A graph that computes each element by itself, of operands of one shape and of single elements,
// computes the same of their elements in one row, whatever the shape was.
#include <algorithm>

#include "cinn/group/graph.h"

namespace paddle::cinn {

void flatten(Graph& graph) {
  Axes all;
  Dim count = 1;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    const bool simple = node.kind == NodeKind::kInput || node.kind == NodeKind::kFull ||
                        node.kind == NodeKind::kElementwise;
    const bool aligned =
        std::all_of(node.aligned.begin(), node.aligned.end(), [](bool a) { return a; });
    if (!simple || !aligned) return;
    Axes own = graph.flat(static_cast<int>(i));
    if (own.empty()) continue;
    if (!all.empty() && own != all) return;
    Dim extent = 1;
    for (const Dim d : node.dims) {
      if (d.is_symbolic()) return;  // which tells more than their product
      extent = extent * d;
    }
    all = std::move(own);
    count = extent;
  }
  if (all.empty()) return;
  graph.axes = AxisTable();
  const int axis = graph.axes.fresh(count);
  graph.sizes = {count};
  graph.axis_extents = {{0, 0}};
  for (Node& node : graph.nodes) {
    const bool one =
        std::all_of(node.dims.begin(), node.dims.end(), [](const Dim d) { return d == Dim(1); });
    node.dims.clear();
    node.shape.clear();
    node.layout.clear();
    if (one) continue;
    node.dims.push_back(count);
    node.shape.push_back({0, 0});
    node.layout.push_back({axis});
  }
}

}  // namespace paddle::cinn
