// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A nest that stores results and reduces nothing reads and writes one point after the other.
#include "cinn/schedule/in_place.h"

#include <algorithm>

namespace paddle::cinn {
namespace {

class Readers {
 public:
  explicit Readers(const Graph& graph)
      : graph_(graph), nests_of_(graph.nodes.size()), elsewhere_(graph.nodes.size(), false) {}

  // What nest n computes of a value, at its point or at another one.
  void visit(int node, int n, bool aligned) {
    const auto at = static_cast<size_t>(node);
    if (!aligned) elsewhere_[at] = true;
    if (!seen_.insert({node, aligned}).second) return;
    nests_of_[at].insert(n);
    const Node& value = graph_.node(node);
    if (value.kind == NodeKind::kReduce) return;
    operands(value, n, aligned);
  }
  void operands(const Node& value, int n, bool aligned) {
    for (size_t k = 0; k < value.operands.size(); ++k) {
      visit(value.operands[k], n, aligned && value.aligned[k]);
    }
  }
  void begin() { seen_.clear(); }
  bool only_here(int input, int n) const {
    const auto at = static_cast<size_t>(input);
    return !elsewhere_[at] && std::all_of(nests_of_[at].begin(), nests_of_[at].end(),
                                          [&](int other) { return other == n; });
  }

 private:
  const Graph& graph_;
  std::vector<std::set<int>> nests_of_;
  std::vector<bool> elsewhere_;
  std::set<std::pair<int, bool>> seen_;
};

}  // namespace

std::vector<bool> written_straight(const Graph& graph, const Nests& nests) {
  std::vector<bool> straight(graph.results.size(), false);
  if (std::all_of(graph.in_place.begin(), graph.in_place.end(), [](int i) { return i < 0; })) {
    return straight;
  }
  Readers readers(graph);
  for (size_t n = 0; n < nests.list.size(); ++n) {
    const Nest& nest = nests.list[n];
    readers.begin();
    for (const int k : nest.stores) {
      readers.visit(graph.results[static_cast<size_t>(k)], static_cast<int>(n), true);
    }
    for (const auto* list : {&nest.row_reductions, &nest.outer_reductions}) {
      for (const int r : *list) readers.operands(graph.node(r), static_cast<int>(n), true);
    }
  }
  for (size_t n = 0; n < nests.list.size(); ++n) {
    const Nest& nest = nests.list[n];
    if (nest.order != Order::kChunks || !nest.row_reductions.empty()) continue;
    for (const int k : nest.stores) {
      const auto at = static_cast<size_t>(k);
      const int input = graph.in_place[at];
      straight[at] =
          input >= 0 && !nests.kept.contains(graph.results[at]) &&
          graph.flat(input) == graph.flat(graph.results[at]) &&
          std::count(graph.in_place.begin(), graph.in_place.end(), input) == 1 &&
          std::find(graph.results.begin(), graph.results.end(), input) == graph.results.end() &&
          readers.only_here(input, static_cast<int>(n));
    }
  }
  return straight;
}

}  // namespace paddle::cinn
