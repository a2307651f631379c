// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Every reduction and result goes into the first nest that has its axes and, before it, what it
// depends on; where there is none, into a new one.
#include "cinn/schedule/nests.h"

#include <algorithm>

namespace paddle::cinn {
namespace {

std::set<int> set_of(const Axes& axes) { return {axes.begin(), axes.end()}; }

Axes without(const Axes& axes, const std::set<int>& less) {
  Axes rest;
  for (const int a : axes) {
    if (!less.contains(a)) rest.push_back(a);
  }
  return rest;
}

// A reduction that a value reads, and whether at the same point of the loops.
struct Reads {
  std::set<int> here, elsewhere;
  void merge(const Reads& other, bool aligned) {
    (aligned ? here : elsewhere).insert(other.here.begin(), other.here.end());
    elsewhere.insert(other.elsewhere.begin(), other.elsewhere.end());
  }
};

class NestBuilder {
 public:
  NestBuilder(const Graph& graph, bool split_rows, bool lanes)
      : graph_(graph), split_rows_(split_rows), lanes_(lanes) {
    nests_.nest_of.assign(graph.nodes.size(), -1);
  }

  Nests build() {
    find_reads();
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const int node = static_cast<int>(i);
      if (is_needed_[i] && graph_.node(node).kind == NodeKind::kReduce) place_reduction(node);
      for (size_t k = 0; k < graph_.results.size(); ++k) {
        if (graph_.results[k] == node) place_store(k);
      }
    }
    return std::move(nests_);
  }

 private:
  void find_reads() {
    reads_.resize(graph_.nodes.size());
    inner_reads_.resize(graph_.nodes.size());
    is_needed_.assign(graph_.nodes.size(), false);
    for (const int r : graph_.results) is_needed_[static_cast<size_t>(r)] = true;
    for (size_t i = graph_.nodes.size(); i-- > 0;) {
      if (!is_needed_[i]) continue;
      for (const int o : graph_.nodes[i].operands) is_needed_[static_cast<size_t>(o)] = true;
    }
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      for (size_t k = 0; k < node.operands.size(); ++k) {
        inner_reads_[i].merge(reads_[static_cast<size_t>(node.operands[k])], node.aligned[k]);
      }
      if (node.kind == NodeKind::kReduce) {
        reads_[i].here = {static_cast<int>(i)};
      } else {
        reads_[i] = inner_reads_[i];
      }
    }
  }

  // Whether nest n may compute what reads these.
  bool has_before(const Reads& reads, size_t n) const {
    const auto earlier = [&](int r) {
      return nests_.nest_of[static_cast<size_t>(r)] < static_cast<int>(n);
    };
    const auto in_row = [&](int r) {
      const Nest& nest = nests_.list[n];
      return nests_.nest_of[static_cast<size_t>(r)] == static_cast<int>(n) &&
             nest.order != Order::kChunks &&
             std::find(nest.row_reductions.begin(), nest.row_reductions.end(), r) !=
                 nest.row_reductions.end();
    };
    return std::all_of(reads.elsewhere.begin(), reads.elsewhere.end(), earlier) &&
           std::all_of(reads.here.begin(), reads.here.end(),
                       [&](int r) { return earlier(r) || in_row(r); });
  }

  void keep(const Reads& reads, size_t n) {
    for (const int r : reads.elsewhere) nests_.kept.insert(r);
    for (const int r : reads.here) {
      if (nests_.nest_of[static_cast<size_t>(r)] < static_cast<int>(n)) nests_.kept.insert(r);
    }
  }

  // Whether anything that reads the reduction at its own point has all the axes again.
  bool is_read_in_row(int reduction, const std::set<int>& all) const {
    for (size_t i = static_cast<size_t>(reduction) + 1; i < graph_.nodes.size(); ++i) {
      if (!is_needed_[i] || !inner_reads_[i].here.contains(reduction)) continue;
      const Axes axes = graph_.nodes[i].kind == NodeKind::kReduce
                            ? graph_.flat(graph_.nodes[i].operands[0])
                            : graph_.flat(static_cast<int>(i));
      if (set_of(axes) == all) return true;
    }
    return false;
  }

  void place_reduction(int node) {
    const size_t i = static_cast<size_t>(node);
    const Axes all = graph_.flat(graph_.node(node).operands[0]);
    const std::set<int> domain = set_of(all), reduced = set_of(graph_.reduced(node));
    const Axes rest = without(all, reduced);
    const Reads& reads = inner_reads_[i];
    for (size_t n = 0; n < nests_.list.size(); ++n) {
      Nest& nest = nests_.list[n];
      if (!has_before(reads, n)) continue;
      const std::set<int> outer = set_of(nest.outer), inner = set_of(nest.inner);
      const bool rows = !inner.empty() && reduced == inner && set_of(rest) == outer;
      std::set<int> both = outer;
      both.insert(inner.begin(), inner.end());
      const bool over_outer = domain == both && nest.order != Order::kLanes && !outer.empty() &&
                              !(split_rows_ && reduced == inner) &&
                              (reduced == outer || reduced == both);
      if (rows) {
        nest.row_reductions.push_back(node);
        if (nest.order == Order::kChunks && !split_rows_ && !nest.outer.empty()) {
          nest.order = Order::kRows;
        }
      } else if (over_outer && !split_rows_) {
        nest.outer_reductions.push_back(node);
        if (nest.order == Order::kChunks) nest.order = Order::kRows;
      } else {
        continue;
      }
      return placed(node, n, reads);
    }
    add_nest_for(node, all, rest, domain, reduced, reads);
  }

  void add_nest_for(int node, const Axes& all, const Axes& rest, const std::set<int>& domain,
                    const std::set<int>& reduced, const Reads& reads) {
    Nest nest;
    const bool dense = all.empty() || reduced.contains(all.back());
    const bool leads =
        std::all_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(reduced.size()),
                    [&](int a) { return reduced.contains(a); });
    if (dense && reduced == domain && all.size() > 1 && !split_rows_) {
      // All of it, row by row, so that it goes with what else reads these rows.
      nest.outer = Axes(all.begin(), all.end() - 1);
      nest.inner = {all.back()};
      nest.outer_reductions.push_back(node);
    } else if (dense) {
      nest.outer = rest;
      nest.inner = without(all, set_of(rest));
      nest.row_reductions.push_back(node);
      if (split_rows_ || nest.outer.empty()) {
        nest.order = Order::kChunks;
      } else if (lanes_) {
        nest.order = Order::kLanes;
      }
    } else if (leads && !is_read_in_row(node, domain)) {
      nest.outer = without(all, set_of(rest));
      nest.inner = rest;
      nest.outer_reductions.push_back(node);
    } else {
      nest.outer = rest;
      nest.inner = without(all, set_of(rest));
      nest.order = Order::kLanes;
      nest.row_reductions.push_back(node);
    }
    nests_.list.push_back(std::move(nest));
    placed(node, nests_.list.size() - 1, reads);
  }

  void placed(int node, size_t n, const Reads& reads) {
    nests_.nest_of[static_cast<size_t>(node)] = static_cast<int>(n);
    keep(reads, n);
  }

  void place_store(size_t k) {
    const int node = graph_.results[k];
    const Reads& reads = reads_[static_cast<size_t>(node)];
    if (graph_.node(node).kind == NodeKind::kReduce) {
      // Stored where it is done.
      nests_.kept.insert(node);
      return;
    }
    const Axes all = graph_.flat(node);
    const std::set<int> domain = set_of(all);
    for (size_t n = 0; n < nests_.list.size(); ++n) {
      Nest& nest = nests_.list[n];
      if (!has_before(reads, n)) continue;
      std::set<int> both = set_of(nest.outer);
      const bool per_row =
          domain == both && !nest.row_reductions.empty() && nest.order != Order::kChunks;
      both.insert(nest.inner.begin(), nest.inner.end());
      if (domain != both && !per_row) continue;
      nest.stores.push_back(static_cast<int>(k));
      return keep(reads, n);
    }
    Nest nest;
    nest.order = Order::kChunks;
    if (!all.empty()) {
      nest.outer = Axes(all.begin(), all.end() - 1);
      nest.inner = {all.back()};
    }
    nest.stores.push_back(static_cast<int>(k));
    nests_.list.push_back(std::move(nest));
    keep(reads, nests_.list.size() - 1);
  }

  const Graph& graph_;
  const bool split_rows_, lanes_;
  Nests nests_;
  std::vector<Reads> reads_;        // of the value
  std::vector<Reads> inner_reads_;  // of the operand of a reduction, else the same
  std::vector<bool> is_needed_;
};

}  // namespace

Nests build_nests(const Graph& graph, bool split_rows, bool lanes) {
  return NestBuilder(graph, split_rows, lanes).build();
}

}  // namespace paddle::cinn
