// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The checks of a point as statements.
#include "cinn/schedule/nest_schedule.h"

namespace paddle::cinn {

void NestSchedule::add_checks(Body& body) {
  for (Expr condition : values_.take_checks()) body.push_back({Check{condition}});
}

NestSchedule::Registers NestSchedule::begin_reductions(const RowCosts& costs, int level,
                                                       Body& body) {
  Registers mine;
  for (const int node : nest_->row_reductions) {
    if (costs.level(node) == level) mine.emplace_back(node, declare(body, identity(node)));
  }
  return mine;
}

void NestSchedule::add_to_outer(const RowCosts& costs, int level, Body& body, Expr position) {
  for (const int node : nest_->outer_reductions) {
    if (costs.level(node) != level) continue;
    const Reduction r = reduction(node);
    if (const auto total = totals_.find(node); total != totals_.end()) {
      body.push_back({Accumulate{total->second->integer, r.combine, reduced_value(node)}});
      continue;
    }
    const int64_t row = columns_.at(node);
    const Expr before = pool().load(row, r.accumulator, position);
    body.push_back({Store{row, position, combine(r.combine, before, reduced_value(node))}});
  }
}

bool NestSchedule::is_per_row(const RowCosts& costs, int result) const {
  return !nest_->inner.empty() &&
         !costs.has_inner_axes(graph_.results[static_cast<size_t>(result)]);
}

void NestSchedule::store_pass(const RowCosts& costs, int level, Body& body) {
  for (const int k : nest_->stores) {
    if (!is_per_row(costs, k) && costs.store_level(k) == level) {
      store_result(body, static_cast<size_t>(k));
    }
  }
}

Body NestSchedule::row_results(const RowCosts& costs) {
  go_to(Point{outer_});
  Body body;
  for (const int k : nest_->stores) {
    if (is_per_row(costs, k)) store_result(body, static_cast<size_t>(k));
  }
  for (const int node : nest_->row_reductions) store_reduction(body, node, registers_.at(node));
  return body;
}

void NestSchedule::emit_combines(const Partials& partials, Expr count) {
  for (const auto& [node, buffer] : partials) {
    if (totals_.contains(node)) {
      emit_combine(node, buffer, number(1), count);
    } else {
      emit_column_combine(node, buffer, count);
    }
  }
}

}  // namespace paddle::cinn
