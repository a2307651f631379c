// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A graph that computes each element by itself, of operands of one shape and of single elements,
// computes the same of their elements in one row, whatever the shape was.
#include <algorithm>

#include "cinn/group/graph.h"

namespace paddle::cinn {
namespace {

// Leaves out reshapes, which are what they read by then unless they change the dtype, and what no
// result needs.
void drop_unread(Graph& graph) {
  std::vector<int> same(graph.nodes.size());
  std::vector<bool> needed(graph.nodes.size(), false);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Node& node = graph.nodes[i];
    for (int& operand : node.operands) operand = same[static_cast<size_t>(operand)];
    const bool is_operand =
        node.kind == NodeKind::kReshape && graph.node(node.operands[0]).dtype == node.dtype;
    same[i] = is_operand ? node.operands[0] : static_cast<int>(i);
  }
  for (int& r : graph.results) needed[static_cast<size_t>(r = same[static_cast<size_t>(r)])] = true;
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    if (i < graph.num_inputs) needed[i] = true;
    if (!needed[i]) continue;
    for (const int operand : graph.nodes[i].operands) needed[static_cast<size_t>(operand)] = true;
  }
  std::vector<int> numbers(graph.nodes.size(), -1);
  std::vector<Node> left;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!needed[i]) continue;
    numbers[i] = static_cast<int>(left.size());
    left.push_back(std::move(graph.nodes[i]));
    for (int& operand : left.back().operands) operand = numbers[static_cast<size_t>(operand)];
  }
  graph.nodes = std::move(left);
  for (int& r : graph.results) r = numbers[static_cast<size_t>(r)];
}

}  // namespace

void flatten(Graph& graph) {
  Axes all;
  Dim count = 1;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    const bool simple = node.kind == NodeKind::kInput || node.kind == NodeKind::kFull ||
                        node.kind == NodeKind::kElementwise || node.kind == NodeKind::kReshape ||
                        node.kind == NodeKind::kDrawn;
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
  for (DrawOf& draw : graph.draws) {
    const bool one = std::all_of(draw.shape.begin(), draw.shape.end(), [](const Extent e) {
      return e == Extent{1, -1};
    });
    draw.shape.clear();
    if (!one) draw.shape.push_back({0, 0});
  }
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
  drop_unread(graph);
}

}  // namespace paddle::cinn
