// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// From the nests and their costs, which the schedule is made of.
#include "cinn/schedule/value_uses.h"

#include <algorithm>

#include "cinn/schedule/nests.h"
#include "cinn/schedule/row_costs.h"

namespace paddle::cinn {
namespace {

using How = ValueUse::How;

class Uses {
 public:
  Uses(const Graph& graph, Variant variant)
      : graph_(graph),
        order_(order_of(variant)),
        nests_(build_nests(graph, order_ == kFewRows, order_ == kShortRows)),
        nests_with_(graph.nodes.size(), 0) {}

  std::vector<ValueUse> find() {
    for (size_t n = 0; n < nests_.list.size(); ++n) {
      const Nest& nest = nests_.list[n];
      const RowCosts costs(graph_, nest);
      for (const int r : nest.row_reductions) add_reduction(r);
      for (const int r : nest.outer_reductions) add_reduction(r);
      if (nest.order != Order::kChunks) add_passes(nest, costs);
      add_other_loops(nest, costs);
    }
    return std::move(uses_);
  }

 private:
  void add_reduction(int node) {
    const bool stored = nests_.kept.contains(node);
    uses_.push_back({name_at(node), stored ? How::kStored : How::kRegister, 0, 0,
                     stored ? "a later loop reads it, or it is a result"
                            : "later passes over the row read it"});
  }

  void add_passes(const Nest& nest, const RowCosts& costs) {
    const bool keeps = order_ != kLongRows && nest.order == Order::kRows;
    for (const RowCosts::Again& a : costs.again()) {
      const bool kept = a.kept && keeps;
      std::string why =
          str("again it costs ", a.cost, ", a store and a load ", RowCosts::kWorthKeeping);
      if (a.kept && !keeps) why += "; rows of this variant are kept nowhere";
      uses_.push_back({name_at(a.node), kept ? How::kRow : How::kAgain, a.cost,
                       RowCosts::kWorthKeeping, std::move(why)});
    }
  }

  // What an earlier nest computed for its own.
  void add_other_loops(const Nest& nest, const RowCosts& costs) {
    std::set<int> seen;
    const auto visit = [&](const auto& self, int node, bool within) -> void {
      const Node& n = graph_.node(node);
      if (n.kind == NodeKind::kReduce || n.kind == NodeKind::kInput || !seen.insert(node).second) {
        return;
      }
      const bool again = nests_with_[static_cast<size_t>(node)]++ > 0;
      const int cost = again && !within ? costs.cost(node) : 0;
      if (cost > 0) {
        uses_.push_back({name_at(node), How::kAgain, cost, 0,
                         str("an earlier loop computed it; again it costs ", cost,
                             ", in memory it would be written and read as a whole")});
      }
      for (const int o : n.operands) self(self, o, within || again);
    };
    for (const auto* list : {&nest.row_reductions, &nest.outer_reductions}) {
      for (const int r : *list) visit(visit, graph_.node(r).operands[0], false);
    }
    for (const int k : nest.stores) {
      visit(visit, graph_.results[static_cast<size_t>(k)], false);
    }
  }

  std::string name_at(int node) const {
    const pir::Operation* op = graph_.node(node).op;
    const std::string name = op ? op->name() : "input";
    constexpr std::string_view kPrefix = "pd_op.";
    return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
  }

  const Graph& graph_;
  const Variant order_;
  const Nests nests_;
  std::vector<int> nests_with_;  // by node: how many nests compute it
  std::vector<ValueUse> uses_;
};

}  // namespace

const char* name_of(ValueUse::How how) {
  static constexpr const char* kNames[] = {"register", "row memory", "stored", "computed again"};
  return kNames[static_cast<size_t>(how)];
}

std::vector<ValueUse> value_uses(const GroupForm& form, Variant variant) {
  return Uses(form.graph(), variant).find();
}

}  // namespace paddle::cinn
