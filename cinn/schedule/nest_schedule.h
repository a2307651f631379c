// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the schedules of all devices share: the buffers of a kernel, where the values of a nest come
// from, and the statements that store results and reductions. A schedule derives from it and makes
// the loops.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "cinn/scalar/scalar_math.h"
#include "cinn/schedule/nests.h"
#include "cinn/schedule/row_costs.h"
#include "cinn/schedule/schedule.h"
#include "cinn/schedule/values.h"

namespace paddle::cinn {

// Whether a vector of the type is a whole line of the cache. Half a line at a time, stores that
// pass the caches took twice as long as others beside two streams of loads.
inline bool fills_lines(DType type) { return size_of(type) >= 4; }

class NestSchedule {
 public:
  virtual ~NestSchedule() = default;
  Kernel build() {
    kernel_.name = "group";
    for (size_t i = 0; i < graph_.sizes.size(); ++i) kernel_.sizes.push_back(str("n", i));
    for (size_t d = 0; d < graph_.draws.size(); ++d) {
      kernel_.sizes.push_back(str("seed", d));
      kernel_.sizes.push_back(str("offset", d));
    }
    for (size_t i = 0; i < graph_.num_inputs; ++i)
      add_buffer(static_cast<int>(i), Space::kInput, i);
    for (size_t k = 0; k < graph_.results.size(); ++k) {
      if (straight_[k]) {
        outputs_.push_back(graph_.in_place[k]);
        kernel_.buffers[static_cast<size_t>(graph_.in_place[k])].space = Space::kUpdated;
        continue;
      }
      outputs_.push_back(static_cast<int64_t>(kernel_.buffers.size()));
      add_buffer(graph_.results[k], Space::kOutput, k);
    }
    for (const int node : nests_.kept) add_kept(node);
    for (size_t n = 0; n < nests_.list.size(); ++n) {
      nest_ = &nests_.list[n];
      number_ = static_cast<int>(n);
      registers_.clear();
      rows_.clear();
      drawn_.clear();
      emit();
    }
    return std::move(kernel_);
  }

 protected:
  // `straight`: by result, whether it is written into the input that it replaces. `streams`: large
  // results are written past the caches.
  NestSchedule(const Graph& graph, Nests nests, std::vector<bool> straight, bool streams)
      : graph_(graph),
        streams_(streams),
        nests_(std::move(nests)),
        straight_(std::move(straight)),
        runs_(graph),
        values_(graph, kernel_) {}
  // The stages of nest_.
  virtual void emit() = 0;

  ExprPool& pool() { return *kernel_.pool; }
  Expr number(int64_t v) { return pool().integer(v); }
  Expr min(Expr a, Expr b) { return pool().binary(ExprOp::kMin, a, b); }
  Expr max(Expr a, Expr b) { return pool().binary(ExprOp::kMax, a, b); }
  Expr ceil_divide(Expr a, Expr b) {
    return pool().floor_divide(pool().subtract(pool().add(a, b), number(1)), b);
  }

  // -- buffers --
  void add_buffer(int node, Space space, size_t argument) {
    const Node& n = graph_.node(node);
    Expr elements = number(1);
    for (const Extent e : n.shape) elements = pool().multiply(elements, values_.extent(e));
    const char* kind = space == Space::kInput ? "in" : "out";
    kernel_.buffers.push_back(
        {str(kind, argument), n.dtype, space, elements, static_cast<int64_t>(argument)});
  }
  int64_t add_own(const char* name, DType type, Space space, Expr elements) {
    const auto position = static_cast<int64_t>(kernel_.buffers.size());
    kernel_.buffers.push_back({str(name, position), type, space, elements});
    return position;
  }
  int64_t output(size_t k) const { return outputs_[k]; }
  // Where later nests read a reduction: in the result that it is, unless that is rounded.
  void add_kept(int node) {
    const Node& n = graph_.node(node);
    const auto at = std::find(graph_.results.begin(), graph_.results.end(), node);
    if (at != graph_.results.end() && computed_in(n.dtype) == n.dtype) {
      kept_[node] = output(static_cast<size_t>(at - graph_.results.begin()));
      return;
    }
    Expr elements = number(1);
    for (const Extent e : n.shape) elements = pool().multiply(elements, values_.extent(e));
    kept_[node] = add_own("kept", computed_in(n.dtype), Space::kTemporary, elements);
  }

  // -- registers --
  Expr declare(Body& body, Expr value) {
    const int64_t reg = kernel_.num_registers++;
    body.push_back({Declare{reg, value}});
    return pool().reg(reg, value->type);
  }
  Reduction reduction(int node) const { return reduction_of(*graph_.node(node).op); }

  // -- the point of the loops --
  // The variables of the outer runs at row p.
  std::vector<std::pair<Run, Expr>> outer_point(const std::vector<Run>& runs, Expr p) {
    std::vector<std::pair<Run, Expr>> point;
    Expr after = number(1);
    for (size_t i = runs.size(); i-- > 0;) {
      const Expr extent = values_.product(runs[i]);
      Expr value = pool().floor_divide(p, after);
      if (i > 0) value = pool().modulo(value, extent);
      point.emplace_back(runs[i], value);
      after = pool().multiply(after, extent);
    }
    return point;
  }

  Expr source(int node, const std::vector<Expr>* dims) {
    if (!dims) {
      if (const auto found = registers_.find(node); found != registers_.end()) return found->second;
      if (const auto row = rows_.find(node); row != rows_.end()) {
        return pool().load(row->second, computed_in(graph_.node(node).dtype), row_position_);
      }
      if (const auto row = drawn_.find(node); row != drawn_.end()) {
        return pool().load(row->second.buffer, graph_.node(node).dtype,
                           pool().add(row->second.lead, row_position_));
      }
    }
    if (graph_.node(node).kind != NodeKind::kReduce) return nullptr;
    const auto kept = kept_.find(node);
    if (kept == kept_.end() || nests_.nest_of[static_cast<size_t>(node)] >= number_) return nullptr;
    return pool().load(kept->second, computed_in(graph_.node(node).dtype),
                       dims ? values_.position_at(node, *dims) : values_.position(node));
  }
  void go_to(Point point) {
    values_.at(std::move(point),
               [this](int node, const std::vector<Expr>* dims) { return source(node, dims); });
  }

  // -- statements --
  void add_checks(Body& body);
  // Dense along the vectors of its nest, and read by no other one.
  bool is_streamed(int node) const {
    const Axes all = graph_.flat(node);
    return fills_lines(graph_.node(node).dtype) && nest_->order != Order::kLanes &&
           !nest_->inner.empty() && !all.empty() && all.back() == nest_->inner.back() &&
           !nests_.kept.contains(node);
  }
  void store_result(Body& body, size_t k) {
    const int node = graph_.results[k];
    const bool streamed = streams_ && !straight_[k] && is_streamed(node);
    body.push_back({Store{output(k), values_.position(node), values_.value(node), streamed}});
  }
  // All of a point. What overwrites an input is stored when every value of the point is known.
  void store_results(Body& body) {
    const auto& stores = nest_->stores;
    const bool overwrites = std::any_of(stores.begin(), stores.end(),
                                        [&](int k) { return straight_[static_cast<size_t>(k)]; });
    const size_t first = body.size();
    for (const int k : stores) store_result(body, static_cast<size_t>(k));
    if (!overwrites || stores.size() == 1) return;
    Body later(std::make_move_iterator(body.begin() + static_cast<std::ptrdiff_t>(first)),
               std::make_move_iterator(body.end()));
    body.resize(first);
    for (Statement& s : later) {
      Store& store = std::get<Store>(s.is);
      store.value = declare(body, store.value);
    }
    for (Statement& s : later) body.push_back(std::move(s));
  }
  // A reduction that is done, at the point of what stays of it.
  void store_reduction(Body& body, int node, Expr value) {
    for (size_t k = 0; k < graph_.results.size(); ++k) {
      if (graph_.results[k] == node)
        body.push_back({Store{output(k), values_.position(node), value}});
    }
    const auto kept = kept_.find(node);
    if (kept != kept_.end() &&
        kernel_.buffers[static_cast<size_t>(kept->second)].space == Space::kTemporary) {
      body.push_back({Store{kept->second, values_.position(node), value}});
    }
  }
  Expr combine(Combine c, Expr a, Expr b) {
    switch (c) {
      case Combine::kAdd:
        return pool().add(a, b);
      case Combine::kMultiply:
        return pool().multiply(a, b);
      case Combine::kMin:
        return min(a, b);
      case Combine::kMax:
        return max(a, b);
      case Combine::kAnd:
        return pool().binary(ExprOp::kAnd, a, b);
      default:
        return pool().binary(ExprOp::kOr, a, b);
    }
  }
  Expr identity(int node) {
    const Reduction r = reduction(node);
    return cinn::identity(pool(), r.combine, r.accumulator);
  }
  Expr reduced_value(int node) {
    return pool().cast(reduction(node).accumulator, values_.value(graph_.node(node).operands[0]));
  }
  Expr finished(int node, Expr accumulated) {
    return pool().cast(computed_in(graph_.node(node).dtype), accumulated);
  }

  // -- the passes over a row --
  using Registers = std::vector<std::pair<int, Expr>>;    // by reduction
  using Partials = std::vector<std::pair<int, int64_t>>;  // by reduction: its buffer
  // Registers of the reductions over the row that a pass does.
  Registers begin_reductions(const RowCosts& costs, int level, Body& body);
  // What a pass adds to reductions over the outer axes.
  void add_to_outer(const RowCosts& costs, int level, Body& body, Expr position);
  // The results that a pass stores for each element, and those that there is one of for each row.
  bool is_per_row(const RowCosts& costs, int result) const;
  void store_pass(const RowCosts& costs, int level, Body& body);
  // What is stored when all passes over the row are done, at outer_.
  Body row_results(const RowCosts& costs);
  // The stages that make sums of `count` partial ones.
  void emit_combines(const Partials& partials, Expr count);
  virtual void emit_combine(int node, int64_t partial, Expr rows, Expr count) = 0;
  virtual void emit_column_combine(int node, int64_t partial, Expr count) = 0;

  // Loops over the inner runs, the last one in vectors; `fill` makes the body.
  struct Inner {
    std::vector<std::pair<Run, Expr>> point;
    Expr position;  // in the row
    std::vector<Loop> loops;
  };
  Inner inner_loops(const std::vector<Run>& runs) {
    Inner inner;
    inner.position = number(0);
    for (const Run& run : runs) {
      const Expr extent = values_.product(run);
      Loop loop;
      loop.extent = extent;
      loop.variable = pool().variable(extent);
      inner.position = pool().add(pool().multiply(inner.position, extent), loop.variable);
      inner.point.emplace_back(run, loop.variable);
      inner.loops.push_back(std::move(loop));
    }
    return inner;
  }
  static void nest_loops(Body& body, std::vector<Loop> loops, Body innermost) {
    for (size_t i = loops.size(); i-- > 0;) {
      loops[i].body = std::move(innermost);
      innermost = Body();
      innermost.push_back({std::move(loops[i])});
    }
    for (Statement& s : innermost) body.push_back(std::move(s));
  }

  const Graph& graph_;
  const bool streams_;
  Nests nests_;
  const std::vector<bool> straight_;
  std::vector<int64_t> outputs_;  // by result: its buffer
  Runs runs_;
  Kernel kernel_;
  Values values_;
  std::map<int, int64_t> kept_;

  // Of the nest that is being made.
  const Nest* nest_ = nullptr;
  int number_ = 0;
  std::map<int, Expr> registers_;  // of reductions that are done
  std::map<int, int64_t> rows_;    // buffers of rows that are kept
  // Numbers of a row that were drawn: its first one lies at `lead`.
  struct DrawnRow {
    int64_t buffer;
    Expr lead;
  };
  std::map<int, DrawnRow> drawn_;
  std::map<int, int64_t> columns_;  // of reductions over the outer axes: their scratch row
  std::map<int, Expr> totals_;      // of those over all: their register
  Expr row_position_ = nullptr;
  std::vector<std::pair<Run, Expr>> outer_;  // the point of the row
};

}  // namespace paddle::cinn
