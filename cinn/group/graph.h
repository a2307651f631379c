// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The values of a group and how each is made of others, as schedules see them: the operations in
// primitive form, extents as numbers or sizes of the kernel, dimensions as lists of axes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cinn/group/axes.h"
#include "paddle_core/type/dtype.h"
#include "pir/ir/ir.h"

namespace paddle::cinn {

// A number, or a size of the kernel.
struct Extent {
  int64_t number = 0;
  int size = -1;  // its position, or -1
  friend bool operator==(const Extent&, const Extent&) = default;
};

enum class NodeKind : uint8_t {
  kInput,
  kFull,         // the same number everywhere
  kElementwise,  // of operands that broadcast
  kReduce,       // over `axes`
  kReshape,
  kTranspose,  // dimension i is dimension axes[i] of the operand
  kBroadcast,  // the operand broadcast to the shape
  kSlice,      // per dimension of the operand: starts[i] + steps[i] * index, or dropped
  kConcat,     // along axes[0]
  kGather,     // operand 0 along axes[0] at the positions that operand 1 holds
  kGatherNd,   // operand 0 at the positions that the rows of operand 1 are
  kTakeAlong,  // operand 0 along axes[0] at the positions of operand 1, elsewhere its own
  kPutAlong,   // operand 2 where axes[0] is the position that operand 1 holds, else operand 0;
               // there the sum of both (axes[1] = 1)
  kOneHot,     // 1 where the last dimension is the position that the operand holds, else 0
  kArange,     // starts[0] + steps[0] * index, of integers
  kDrawn,      // numbers of draw axes[0]: words as int32, or normal numbers
  kTriangle,   // the operand on and below (axes[0] = 0) or above (1) diagonal axes[1], else 0
};

struct Node {
  NodeKind kind = NodeKind::kInput;
  DType dtype = DType::kUndefined;
  const pir::Operation* op = nullptr;  // null: of an input
  size_t result = 0;                   // of the operation
  std::vector<int> operands;
  std::vector<Extent> shape;
  std::vector<Dim> dims;  // the same in terms of the group's symbols
  Layout layout;
  // By operand: whether axes of the operand are those of the result (of a reduction: those that
  // stay), so that both are computed at one point of the loops.
  std::vector<bool> aligned;
  std::vector<int64_t> axes;
  bool keeps_axes = false;     // a reduction whose axes stay with extent 1
  std::vector<Extent> starts;  // of kSlice, by dimension of the operand
  std::vector<int64_t> steps;
  std::vector<bool> dropped;
  // Of kReshape: where runs of dimensions with equal products end, in the result and the operand.
  std::vector<std::pair<size_t, size_t>> runs;
  double number = 0;  // of kFull
  int64_t integer = 0;
};

// An operation that draws: each element of its results has a number of the state that it draws
// from.
struct DrawOf {
  const pir::Operation* op;
  std::vector<Extent> shape;
};

struct Graph {
  std::vector<Node> nodes;  // operands first
  size_t num_inputs = 0;    // the first nodes
  std::vector<int> results;
  std::vector<int> in_place;  // by result: the input whose memory it replaces, or -1
  std::vector<Dim> sizes;     // what the sizes of the kernel are
  // In their order. The kernel has two more sizes for each, the seed and the offset of its state.
  std::vector<DrawOf> draws;
  std::vector<Extent> axis_extents;  // by axis
  AxisTable axes;

  const Node& node(int i) const { return nodes[static_cast<size_t>(i)]; }
  size_t seed_size(size_t draw) const { return sizes.size() + 2 * draw; }
  size_t num_kernel_sizes() const { return sizes.size() + 2 * draws.size(); }
  // The axes of a value, all dimensions one after the other.
  Axes flat(int i) const { return axes.resolve(node(i).layout); }
  // Those over which a reduction runs.
  Axes reduced(int i) const;
};

// ValueError or NotImplementedError where an operation has no place in a kernel. `block` holds
// primitive operations and those with a scalar form; inputs are the values they take from outside.
Graph build_graph(const pir::Block& block, const std::vector<pir::Value*>& inputs,
                  const std::vector<pir::Value*>& results);
// Makes one dimension of all where nothing tells them apart, so that one kernel serves all shapes.
void flatten(Graph& graph);
// Where runs of dimensions with equal products end, in both shapes.
std::vector<std::pair<size_t, size_t>> equal_runs(const std::vector<Dim>& to,
                                                  const std::vector<Dim>& from);
// The structure as text; what graphs of equal text compute differs in extents alone.
std::string describe(const Graph& graph);

}  // namespace paddle::cinn
