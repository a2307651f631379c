// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a value of a group is at one point of the loops, as an expression: operations become
// arithmetic, shapes become index arithmetic, inputs become loads. Nothing in between is stored.
#pragma once

#include <functional>
#include <map>
#include <unordered_map>

#include "cinn/group/graph.h"
#include "cinn/loop/kernel.h"

namespace paddle::cinn {

// 16-bit floats are computed in float32.
DType computed_in(DType type);

// Axes that every value has together, one after the other, and that one loop runs over.
using Run = Axes;

// The runs of a graph: which neighbouring axes go together.
class Runs {
 public:
  explicit Runs(const Graph& graph);
  // The axes cut into runs, in their order.
  std::vector<Run> of(const Axes& axes) const;

 private:
  bool together(int a, int b) const;
  const Graph& graph_;
};

// One point of the loops: the variable of each run.
struct Point {
  std::vector<std::pair<Run, Expr>> runs;
};

class Values {
 public:
  Values(const Graph& graph, Kernel& kernel) : graph_(graph), kernel_(kernel) {}

  // Where values come from that are not computed at the point: registers of reductions, buffers
  // that an earlier stage wrote, rows that are kept. Null: it is computed.
  // `dims`: the index of an element by dimension; null: the one at the point.
  using Source = std::function<Expr(int node, const std::vector<Expr>* dims)>;

  // Later calls are for this point.
  void at(Point point, Source source);
  Expr value(int node);
  // Of elements elsewhere.
  Expr value_at(int node, const std::vector<Expr>& dims);
  // The position of the element in dense memory of the value.
  Expr position(int node);
  Expr position_at(int node, const std::vector<Expr>& dims);
  std::vector<Expr> dims_of(int node);
  // What must hold at the point for its values to be right, since the last call.
  std::vector<Expr> take_checks();

  Expr extent(Extent e) const;
  // The seed and the offset of the state that a drawn value has its numbers of.
  std::pair<Expr, Expr> state_of(int node) const;
  Expr axis_extent(int axis) const {
    return extent(graph_.axis_extents[static_cast<size_t>(axis)]);
  }
  Expr product(const Axes& axes) const;
  ExprPool& pool() const { return *kernel_.pool; }

 private:
  Expr axis_value(int axis);
  Expr compute(int node, const std::vector<Expr>* dims);
  Expr operand(int node, size_t k, const std::vector<Expr>* dims);
  Expr load(int node, const std::vector<Expr>* dims);
  Expr constant(const Node& node) const;
  Expr concat(int node, const std::vector<Expr>& dims);
  Expr gather(int node, const std::vector<Expr>& dims);
  // A position that a tensor holds, made safe to read at.
  Expr checked_place(Expr position, Expr bound, bool may_be_negative);
  Expr checked_position(Expr position, Expr extent);
  std::vector<Expr> reshaped(const Node& to, const Node& from, const std::vector<Expr>& dims);
  std::vector<Expr> operand_dims(int node, size_t k, const std::vector<Expr>& dims);

  const Graph& graph_;
  Kernel& kernel_;
  Point point_;
  Source source_;
  std::unordered_map<int, Expr> known_;
  std::map<std::pair<int, std::vector<Expr>>, Expr> known_at_;
  std::vector<Expr> checks_;
};

}  // namespace paddle::cinn
