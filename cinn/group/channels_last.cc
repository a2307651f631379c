// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
#include "cinn/group/channels_last.h"

#include <algorithm>

namespace paddle::cinn {
namespace {

template <typename List>
void rotate(List& list) {
  std::rotate(list.begin() + 1, list.begin() + 2, list.end());
}

bool is_one(Dim d) { return d == Dim(1); }

// Whether the elements stand in the same order with the channels last: nothing is behind them.
bool keeps_order(const Node& node) {
  return std::all_of(node.dims.begin() + 2, node.dims.end(), is_one) || is_one(node.dims[1]);
}

class Turn {
 public:
  Turn(Graph& graph, size_t rank) : graph_(graph), rank_(rank) {}

  bool run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!may_turn(graph_.node(static_cast<int>(i)))) return false;
    }
    for (Node& node : graph_.nodes) turn_axes(node);
    for (Node& node : graph_.nodes) {
      if (!turns(node)) continue;
      rotate(node.dims);
      rotate(node.shape);
      rotate(node.layout);
    }
    for (Node& node : graph_.nodes) {
      if (node.kind == NodeKind::kReshape) {
        node.runs = equal_runs(node.dims, graph_.node(node.operands[0]).dims);
      }
    }
    return true;
  }

 private:
  bool turns(const Node& node) const { return has_moved_channels(node.dims.size(), rank_); }

  bool may_turn(const Node& node) const {
    switch (node.kind) {
      case NodeKind::kInput:
      case NodeKind::kFull:
        return true;
      case NodeKind::kReduce:
        return true;
      case NodeKind::kElementwise:
      case NodeKind::kBroadcast:
        // What is aligned to the last axes would meet others there.
        return std::all_of(node.operands.begin(), node.operands.end(), [&](int o) {
          const Node& from = graph_.node(o);
          return turns(node) == turns(from) ||
                 std::all_of(from.dims.begin(), from.dims.end(), is_one);
        });
      case NodeKind::kReshape: {
        const Node& from = graph_.node(node.operands[0]);
        return (!turns(node) || keeps_order(node)) && (!turns(from) || keeps_order(from));
      }
      default:
        return std::none_of(node.operands.begin(), node.operands.end(),
                            [&](int o) { return turns(graph_.node(o)); }) &&
               !turns(node);
    }
  }

  // Before dimensions move.
  void turn_axes(Node& node) const {
    if (node.kind != NodeKind::kReduce || !turns(graph_.node(node.operands[0]))) return;
    for (int64_t& a : node.axes) {
      a = a == 0 ? 0 : a == 1 ? static_cast<int64_t>(rank_) - 1 : a - 1;
    }
    std::sort(node.axes.begin(), node.axes.end());
  }

  Graph& graph_;
  const size_t rank_;
};

}  // namespace

pir::Type with_channels_last(const pir::Type& type, size_t activations) {
  if (!type.is_tensor() || !has_moved_channels(type.shape().size(), activations)) return type;
  Shape shape = type.shape();
  rotate(shape);
  return pir::Type::tensor(type.dtype(), shape, type.place());
}

bool put_channels_last(Graph& graph, size_t activations) { return Turn(graph, activations).run(); }

std::optional<GroupPart> with_channels_last(const GroupPart& part,
                                            const std::vector<pir::Type>& inputs,
                                            const std::vector<pir::Type>& results,
                                            size_t activations) {
  const Graph& graph = part.form->graph();
  const auto turns = [&](const pir::Type& type) {
    return has_moved_channels(type.shape().size(), activations);
  };
  // One dimension of all: any order does, if all have the same.
  const bool flat = std::all_of(graph.nodes.begin(), graph.nodes.end(),
                                [](const Node& node) { return node.dims.size() < 2; });
  bool all = true, any = false;
  const auto look = [&](const pir::Type& type) {
    const bool single = std::all_of(type.shape().begin(), type.shape().end(), is_one);
    all = all && (turns(type) || single);
    any = any || turns(type);
  };
  for (const int i : part.inputs) look(inputs[static_cast<size_t>(i)]);
  for (const int k : part.results) {
    if (k >= 0) look(results[static_cast<size_t>(k)]);
  }
  if (!any || (flat && all)) return part;
  if (flat) return std::nullopt;
  GroupPart turned = part;
  turned.form = GroupForm::with_channels_last(part.form, activations);
  return turned.form ? std::optional(turned) : std::nullopt;
}

}  // namespace paddle::cinn
