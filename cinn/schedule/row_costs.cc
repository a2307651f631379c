// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
#include "cinn/schedule/row_costs.h"

#include <algorithm>

#include "cinn/scalar/random_math.h"
#include "cinn/scalar/scalar_math.h"
#include "paddle_core/op/op_def.h"

namespace paddle::cinn {
namespace {

int weight_of(const Node& node) {
  switch (node.kind) {
    case NodeKind::kElementwise:
      return node.op->def->has(kRandom) ? random_weight(*node.op) : scalar_weight(*node.op);
    case NodeKind::kGather:
    case NodeKind::kGatherNd:
    case NodeKind::kTakeAlong:
      return 8;
    case NodeKind::kConcat:
      return 2 * static_cast<int>(node.operands.size());
    case NodeKind::kInput:
    case NodeKind::kPutAlong:
    case NodeKind::kOneHot:
    case NodeKind::kDrawn:  // a row at a time, before the first pass
    case NodeKind::kTriangle:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

RowCosts::RowCosts(const Graph& graph, const Nest& nest)
    : graph_(graph), nest_(nest), inner_(nest.inner.begin(), nest.inner.end()) {
  for (const auto* list : {&nest.row_reductions, &nest.outer_reductions}) {
    for (const int r : *list) levels_[r] = depth(graph.node(r).operands[0]);
  }
  for (const int k : nest.stores) {
    store_levels_[k] = depth(graph.results[static_cast<size_t>(k)]);
  }
  for (const auto& [node, level] : levels_) num_passes_ = std::max(num_passes_, level + 1);
  for (const auto& [k, level] : store_levels_) {
    if (has_inner_axes(graph.results[static_cast<size_t>(k)])) {
      num_passes_ = std::max(num_passes_, level + 1);
    }
  }
  std::set<int> before;
  for (int pass = 0; pass < num_passes_; ++pass) {
    std::set<int> seen;
    for (const auto& [node, level] : levels_) {
      if (level == pass) visit(graph.node(node).operands[0], pass, seen, before);
    }
    for (const auto& [k, level] : store_levels_) {
      if (level == pass) visit(graph.results[static_cast<size_t>(k)], pass, seen, before);
    }
    for (const int node : seen) first_pass_.try_emplace(node, pass);
    before.insert(seen.begin(), seen.end());
    passes_.push_back(std::move(seen));
  }
}

bool RowCosts::has_inner_axes(int node) const {
  const Axes all = graph_.flat(node);
  return std::any_of(all.begin(), all.end(), [&](int a) { return inner_.contains(a); });
}

// How many reductions over the row lie before the value, one after the other.
int RowCosts::depth(int node) {
  if (const auto found = depths_.find(node); found != depths_.end()) return found->second;
  const Node& n = graph_.node(node);
  const auto& rows = nest_.row_reductions;
  const bool mine = std::find(rows.begin(), rows.end(), node) != rows.end();
  int depth_here = 0;
  if (n.kind != NodeKind::kReduce || mine) {
    for (size_t k = 0; k < n.operands.size(); ++k) {
      if (n.aligned[k]) depth_here = std::max(depth_here, depth(n.operands[k]));
    }
    depth_here += mine;
  }
  return depths_[node] = depth_here;
}

int RowCosts::cost(int node) const {
  std::set<int> seen;
  std::vector<int> waiting = {node};
  int total = 0;
  while (!waiting.empty()) {
    const int at = waiting.back();
    waiting.pop_back();
    if (!seen.insert(at).second || !has_inner_axes(at) || kept_.contains(at)) continue;
    const Node& n = graph_.node(at);
    if (n.kind == NodeKind::kReduce) continue;
    total += weight_of(n);
    waiting.insert(waiting.end(), n.operands.begin(), n.operands.end());
  }
  return total;
}

// Walks what a pass computes for every element. What an earlier one had is kept where that pays.
void RowCosts::visit(int node, int level, std::set<int>& seen, const std::set<int>& before,
                     bool within_again) {
  const Node& n = graph_.node(node);
  if (!has_inner_axes(node) || n.kind == NodeKind::kReduce || seen.contains(node)) return;
  if (kept_.contains(node)) return;
  const bool again = before.contains(node) && n.kind != NodeKind::kInput;
  const int price = again ? cost(node) : 0;
  const bool keep = again && price >= kWorthKeeping;
  if (keep || (price > 0 && !within_again)) {
    again_.push_back({node, price, first_pass_.at(node), level, keep});
  }
  if (keep) {
    kept_[node] = first_pass_.at(node);
    return;
  }
  seen.insert(node);
  for (size_t k = 0; k < n.operands.size(); ++k) {
    if (n.aligned[k]) visit(n.operands[k], level, seen, before, again);
  }
}

int RowCosts::of_pass(int level) const {
  int total = 0;
  for (const int node : passes_[static_cast<size_t>(level)]) total += weight_of(graph_.node(node));
  return total;
}

}  // namespace paddle::cinn
