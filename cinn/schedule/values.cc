// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Index arithmetic: from the point of a result to those of its operands.
#include "cinn/schedule/values.h"

#include <algorithm>

#include "cinn/scalar/random_math.h"
#include "cinn/scalar/scalar_math.h"
#include "paddle_core/op/op_def.h"

namespace paddle::cinn {
namespace {

// Whether the operands are read at places that the axes do not give.
bool is_irregular(const Node& node) {
  return std::find(node.aligned.begin(), node.aligned.end(), false) != node.aligned.end();
}

}  // namespace

DType computed_in(DType type) {
  return type == DType::kFloat16 || type == DType::kBFloat16 ? DType::kFloat32 : type;
}

// -- runs --------------------------------------------------------------------------------------

Runs::Runs(const Graph& graph) : graph_(graph) {}

bool Runs::together(int a, int b) const {
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    const Axes all = graph_.flat(static_cast<int>(i));
    const auto at_a = std::find(all.begin(), all.end(), a);
    const auto at_b = std::find(all.begin(), all.end(), b);
    if (at_a == all.end() && at_b == all.end()) continue;
    if (at_a == all.end() || at_b == all.end() || at_b - at_a != 1) return false;
    if (is_irregular(node)) {
      // Its operands need the index of each dimension.
      for (const Axes& dim : node.layout) {
        const Axes leaves = graph_.axes.resolve(dim);
        if ((std::find(leaves.begin(), leaves.end(), a) != leaves.end()) !=
            (std::find(leaves.begin(), leaves.end(), b) != leaves.end())) {
          return false;
        }
      }
    }
    if (node.kind == NodeKind::kReduce) continue;
  }
  return true;
}

std::vector<Run> Runs::of(const Axes& axes) const {
  std::vector<Run> runs;
  for (const int axis : axes) {
    if (!runs.empty() && together(runs.back().back(), axis)) {
      runs.back().push_back(axis);
    } else {
      runs.push_back({axis});
    }
  }
  return runs;
}

// -- values ------------------------------------------------------------------------------------

void Values::at(Point point, Source source) {
  point_ = std::move(point);
  source_ = std::move(source);
  known_.clear();
  known_at_.clear();
  checks_.clear();
}

std::vector<Expr> Values::take_checks() {
  std::vector<Expr> checks;
  checks.swap(checks_);
  return checks;
}

Expr Values::extent(Extent e) const {
  return e.size < 0 ? pool().integer(e.number) : pool().size(e.size);
}

Expr Values::product(const Axes& axes) const {
  Expr all = pool().integer(1);
  for (const int axis : axes) all = pool().multiply(all, axis_extent(axis));
  return all;
}

Expr Values::axis_value(int axis) {
  for (const auto& [run, variable] : point_.runs) {
    const auto at = std::find(run.begin(), run.end(), axis);
    if (at == run.end()) continue;
    Expr value = variable;
    if (const Axes after(at + 1, run.end()); !after.empty()) {
      value = pool().floor_divide(value, product(after));
    }
    return at == run.begin() ? value : pool().modulo(value, axis_extent(axis));
  }
  throw_error(ErrorKind::kRuntime, str("cinn: no loop runs over axis ", axis, "."));
}

std::vector<Expr> Values::dims_of(int node) {
  std::vector<Expr> dims;
  for (const Axes& dim : graph_.node(node).layout) {
    Expr index = pool().integer(0);
    for (const int axis : graph_.axes.resolve(dim)) {
      index = pool().add(pool().multiply(index, axis_extent(axis)), axis_value(axis));
    }
    dims.push_back(index);
  }
  return dims;
}

Expr Values::position(int node) {
  const Axes all = graph_.flat(node);
  Expr position = pool().integer(0), stride = pool().integer(1);
  for (size_t end = all.size(); end > 0;) {
    // A whole run counts in one step.
    const auto whole = [&](const std::pair<Run, Expr>& r) {
      const Run& run = r.first;
      return run.size() <= end &&
             std::equal(run.begin(), run.end(),
                        all.begin() + static_cast<std::ptrdiff_t>(end - run.size()));
    };
    const auto run = std::find_if(point_.runs.begin(), point_.runs.end(), whole);
    const size_t count = run == point_.runs.end() ? 1 : run->first.size();
    const Expr value = run == point_.runs.end() ? axis_value(all[end - 1]) : run->second;
    position = pool().add(position, pool().multiply(value, stride));
    for (size_t i = 0; i < count; ++i) {
      stride = pool().multiply(stride, axis_extent(all[--end]));
    }
  }
  return position;
}

Expr Values::position_at(int node, const std::vector<Expr>& dims) {
  Expr position = pool().integer(0);
  const Node& n = graph_.node(node);
  for (size_t i = 0; i < dims.size(); ++i) {
    position = pool().add(pool().multiply(position, extent(n.shape[i])), dims[i]);
  }
  return position;
}

Expr Values::load(int node, const std::vector<Expr>* dims) {
  return pool().load(node, graph_.node(node).dtype,
                     dims ? position_at(node, *dims) : position(node));
}

Expr Values::constant(const Node& node) const {
  const DType type = computed_in(node.dtype);
  return is_floating(type) ? pool().constant(type, node.number)
                           : pool().integer(type, node.integer);
}

Expr Values::value(int node) {
  if (const auto found = known_.find(node); found != known_.end()) return found->second;
  Expr e = source_ ? source_(node, nullptr) : nullptr;
  if (!e) e = compute(node, nullptr);
  return known_[node] = e;
}

Expr Values::value_at(int node, const std::vector<Expr>& dims) {
  const auto key = std::pair(node, dims);
  if (const auto found = known_at_.find(key); found != known_at_.end()) return found->second;
  Expr e = source_ ? source_(node, &dims) : nullptr;
  if (!e) e = compute(node, &dims);
  return known_at_[key] = e;
}

// Operand k where the result is at the point (`dims` null) or at `dims`.
Expr Values::operand(int node, size_t k, const std::vector<Expr>* dims) {
  const Node& n = graph_.node(node);
  if (!dims && n.aligned[k]) return value(n.operands[k]);
  return value_at(n.operands[k], operand_dims(node, k, dims ? *dims : dims_of(node)));
}

std::vector<Expr> Values::operand_dims(int node, size_t k, const std::vector<Expr>& dims) {
  const Node& n = graph_.node(node);
  const Node& from = graph_.node(n.operands[k]);
  std::vector<Expr> result(from.dims.size());
  switch (n.kind) {
    case NodeKind::kElementwise:
    case NodeKind::kBroadcast:
    case NodeKind::kTriangle:
    case NodeKind::kPutAlong:
      for (size_t i = 0; i < from.dims.size(); ++i) {
        const bool one = from.dims[i] == Dim(1);
        result[i] = one ? pool().integer(0) : dims[dims.size() - from.dims.size() + i];
      }
      return result;
    case NodeKind::kOneHot:
      result.assign(dims.begin(), dims.end() - 1);
      return result;
    case NodeKind::kTranspose:
      for (size_t i = 0; i < dims.size(); ++i) result[static_cast<size_t>(n.axes[i])] = dims[i];
      return result;
    case NodeKind::kReshape:
      return reshaped(n, from, dims);
    case NodeKind::kSlice: {
      size_t at = 0;
      for (size_t i = 0; i < result.size(); ++i) {
        const Expr index = n.dropped[i] ? pool().integer(0) : dims[at++];
        result[i] =
            pool().add(extent(n.starts[i]), pool().multiply(index, pool().integer(n.steps[i])));
      }
      return result;
    }
    default:
      throw_error(ErrorKind::kRuntime, "cinn: an operand is read by a rule of its own.");
  }
}

// Runs of dimensions with equal products go over by themselves.
std::vector<Expr> Values::reshaped(const Node& to, const Node& from,
                                   const std::vector<Expr>& dims) {
  std::vector<Expr> result(from.dims.size(), pool().integer(0));
  size_t i = 0, j = 0;
  for (const auto& [i_end, j_end] : to.runs) {
    if (i_end - i == 1 && j_end - j == 1) {
      result[j] = dims[i];
    } else {
      Expr linear = pool().integer(0);
      for (size_t k = i; k < i_end; ++k) {
        linear = pool().add(pool().multiply(linear, extent(to.shape[k])), dims[k]);
      }
      for (size_t k = j_end; k-- > j;) {
        const Expr e = extent(from.shape[k]);
        result[k] = k == j ? linear : pool().modulo(linear, e);
        if (k > j) linear = pool().floor_divide(linear, e);
      }
    }
    i = i_end;
    j = j_end;
  }
  return result;
}

// Counted from the end where it is negative, unless it counts classes.
Expr Values::checked_place(Expr position, Expr bound, bool may_be_negative) {
  ExprPool& p = pool();
  Expr at = p.cast(DType::kInt64, position);
  const Expr zero = p.integer(0);
  if (may_be_negative) at = p.select(p.binary(ExprOp::kLess, at, zero), p.add(at, bound), at);
  checks_.push_back(p.binary(ExprOp::kAnd, p.binary(ExprOp::kLessEqual, zero, at),
                             p.binary(ExprOp::kLess, at, bound)));
  return at;
}

// The same inside of the bounds in any case.
Expr Values::checked_position(Expr position, Expr bound) {
  ExprPool& p = pool();
  const Expr at = checked_place(position, bound, true), zero = p.integer(0);
  const Expr last = p.subtract(bound, p.integer(1));
  return p.binary(ExprOp::kMax, zero, p.binary(ExprOp::kMin, at, last));
}

Expr Values::gather(int node, const std::vector<Expr>& dims) {
  const Node& n = graph_.node(node);
  const Node& x = graph_.node(n.operands[0]);
  const int positions = n.operands[1];
  std::vector<Expr> from;
  if (n.kind == NodeKind::kTakeAlong) {
    const auto axis = static_cast<size_t>(n.axes[0]);
    const Node& index = graph_.node(positions);
    std::vector<Expr> at = dims;
    for (size_t i = 0; i < at.size(); ++i) {
      if (index.dims[i] == Dim(1)) at[i] = pool().integer(0);
    }
    from = dims;
    for (size_t i = 0; i < from.size(); ++i) {
      if (x.dims[i] == Dim(1)) from[i] = pool().integer(0);
    }
    from[axis] = checked_position(value_at(positions, at), extent(x.shape[axis]));
  } else if (n.kind == NodeKind::kGather) {
    const auto axis = static_cast<size_t>(n.axes[0]);
    const size_t rank = graph_.node(positions).dims.size();
    std::vector<Expr> at;
    for (size_t i = 0; i < x.dims.size(); ++i) {
      from.push_back(i < axis ? dims[i] : i > axis ? dims[i - 1 + rank] : nullptr);
    }
    for (size_t i = 0; i < rank; ++i) at.push_back(dims[axis + i]);
    from[axis] = checked_position(value_at(positions, at), extent(x.shape[axis]));
  } else {
    const auto taken = static_cast<size_t>(n.axes[0]);
    const size_t lead = graph_.node(positions).dims.size() - 1;
    std::vector<Expr> at(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(lead));
    at.push_back(nullptr);
    for (size_t i = 0; i < taken; ++i) {
      at.back() = pool().integer(static_cast<int64_t>(i));
      from.push_back(checked_position(value_at(positions, at), extent(x.shape[i])));
    }
    for (size_t i = taken; i < x.dims.size(); ++i) from.push_back(dims[lead + i - taken]);
  }
  return value_at(n.operands[0], from);
}

Expr Values::concat(int node, const std::vector<Expr>& dims) {
  const Node& n = graph_.node(node);
  const auto axis = static_cast<size_t>(n.axes[0]);
  ExprPool& p = pool();
  Expr begin = p.integer(0), result = nullptr;
  std::vector<std::pair<Expr, Expr>> parts;  // where each ends, its value
  for (const int part : n.operands) {
    const Expr count = extent(graph_.node(part).shape[axis]);
    std::vector<Expr> at = dims;
    // Both sides of a selection are computed: the index stays inside.
    const Expr last = p.subtract(count, p.integer(1));
    at[axis] = p.binary(ExprOp::kMax, p.integer(0),
                        p.binary(ExprOp::kMin, p.subtract(dims[axis], begin), last));
    if (!is_integer_constant(count, 0)) {
      begin = p.add(begin, count);
      parts.emplace_back(begin, value_at(part, at));
    }
  }
  for (size_t k = parts.size(); k-- > 0;) {
    result = result ? p.select(p.binary(ExprOp::kLess, dims[axis], parts[k].first), parts[k].second,
                               result)
                    : parts[k].second;
  }
  // Without elements there is nothing to choose from, and nobody to read it.
  return result ? result : p.constant(computed_in(n.dtype), 0);
}

std::pair<Expr, Expr> Values::state_of(int node) const {
  const auto first = graph_.seed_size(static_cast<size_t>(graph_.node(node).axes[0]));
  return {pool().size(static_cast<int64_t>(first)), pool().size(static_cast<int64_t>(first) + 1)};
}

Expr Values::compute(int node, const std::vector<Expr>* dims) {
  const Node& n = graph_.node(node);
  switch (n.kind) {
    case NodeKind::kInput:
      return load(node, dims);
    case NodeKind::kFull:
      return constant(n);
    case NodeKind::kElementwise: {
      std::vector<Expr> operands;
      for (size_t k = 0; k < n.operands.size(); ++k) operands.push_back(operand(node, k, dims));
      if (n.op->def->has(kRandom)) {
        return random_element(pool(), *n.op, n.result, operands, checks_);
      }
      return scalar_operation(pool(), *n.op, operands, checks_);
    }
    case NodeKind::kDrawn: {
      const Expr i = dims ? position_at(node, *dims) : position(node);
      const auto [seed, offset] = state_of(node);
      return draws_normal(*n.op) ? normal_at(pool(), *n.op, seed, offset, i)
                                 : word_at(pool(), seed, offset, i);
    }
    case NodeKind::kReshape:
    case NodeKind::kTranspose:
    case NodeKind::kBroadcast:
    case NodeKind::kSlice: {
      const Expr e = operand(node, 0, dims);
      const DType type = computed_in(n.dtype);
      return e->type == type ? e : pool().cast(type, e);
    }
    case NodeKind::kConcat:
      return concat(node, dims ? *dims : dims_of(node));
    case NodeKind::kGather:
    case NodeKind::kGatherNd:
    case NodeKind::kTakeAlong:
      return gather(node, dims ? *dims : dims_of(node));
    case NodeKind::kPutAlong: {
      const std::vector<Expr> here = dims ? *dims : dims_of(node);
      const auto axis = static_cast<size_t>(n.axes[0]);
      const Expr place = checked_place(operand(node, 1, dims), extent(n.shape[axis]), true);
      const Expr x = operand(node, 0, dims), put = operand(node, 2, dims);
      return pool().select(pool().binary(ExprOp::kEqual, place, here[axis]),
                           n.axes[1] ? pool().add(x, put) : put, x);
    }
    case NodeKind::kOneHot: {
      const std::vector<Expr> here = dims ? *dims : dims_of(node);
      const Expr place = checked_place(operand(node, 0, dims), extent(n.shape.back()), false);
      const Expr hit = pool().binary(ExprOp::kEqual, place, here.back());
      return pool().select(hit, pool().constant(n.dtype, 1), pool().constant(n.dtype, 0));
    }
    case NodeKind::kArange: {
      const Expr index = dims ? (*dims)[0] : dims_of(node)[0];
      return pool().cast(n.dtype, pool().add(pool().integer(n.starts[0].number),
                                             pool().multiply(index, pool().integer(n.steps[0]))));
    }
    case NodeKind::kTriangle: {
      const std::vector<Expr> at = dims ? *dims : dims_of(node);
      const Expr row = at[at.size() - 2], column = at.back();
      const Expr edge = pool().add(row, pool().integer(n.axes[1]));
      const Expr inside = n.axes[0] ? pool().binary(ExprOp::kLessEqual, edge, column)
                                    : pool().binary(ExprOp::kLessEqual, column, edge);
      const Expr x = operand(node, 0, dims);
      return pool().select(inside, x, pool().constant(x->type, 0));
    }
    case NodeKind::kReduce:
      break;
  }
  throw_error(ErrorKind::kRuntime, "cinn: a reduction is read before it was computed.");
}

}  // namespace paddle::cinn
