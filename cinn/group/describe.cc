// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The structure of a graph as text, the key under which kernels are shared.
#include <map>

#include "cinn/group/graph.h"

namespace paddle::cinn {
namespace {

const char* name_of(NodeKind kind) {
  static constexpr const char* kNames[] = {
      "input",     "full",    "elementwise", "reduce", "reshape",   "transpose",
      "broadcast", "slice",   "concat",      "gather", "gather_nd", "take_along",
      "put_along", "one_hot", "arange",      "drawn",  "triangle"};
  return kNames[static_cast<size_t>(kind)];
}

// Attributes and constant operands of an operation, which say what is computed of the elements.
// Those that other fields of a node hold, and where the result lies, are left out.
void describe_operation(std::ostream& out, const Node& node) {
  if (node.kind != NodeKind::kElementwise && node.kind != NodeKind::kReduce &&
      node.kind != NodeKind::kDrawn) {
    return;
  }
  out << ' ' << node.op->name();
  for (const auto& attribute : node.op->attributes()) {
    if (attribute.first != "place") out << ' ' << attribute.first << '=' << attribute.second;
  }
  for (const pir::Value* v : node.op->operands()) {
    const pir::Operation* maker = v ? v->producer() : nullptr;
    if (maker && (maker->is("pd_op.full") || maker->is("pd_op.full_int_array"))) {
      out << " [" << maker->attribute("value") << ']';
    }
  }
}

}  // namespace

std::string describe(const Graph& graph) {
  std::ostringstream out;
  std::map<int, size_t> axes;  // numbered as they come
  const auto extent = [&](Extent e) {
    if (e.size < 0) {
      out << e.number;
    } else {
      out << 'n' << e.size;
    }
  };
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    out << '%' << i << " = " << name_of(node.kind) << ' ' << node.dtype << " [";
    for (const Extent e : node.shape) {
      extent(e);
      out << ' ';
    }
    out << "] axes";
    for (const Axes& dim : node.layout) {
      out << " (";
      for (const int axis : graph.axes.resolve(dim)) {
        out << axes.try_emplace(axis, axes.size()).first->second << ':';
        extent(graph.axis_extents[static_cast<size_t>(axis)]);
        out << ' ';
      }
      out << ')';
    }
    describe_operation(out, node);
    if (node.result > 0) out << " result " << node.result;
    for (size_t k = 0; k < node.operands.size(); ++k) {
      out << (node.aligned[k] ? " %" : " @%") << node.operands[k];
    }
    for (const int64_t a : node.axes) out << " axis " << a;
    for (const auto& [to, from] : node.runs) out << " run " << to << '/' << from;
    if (node.keeps_axes) out << " kept";
    for (size_t k = 0; k < node.starts.size(); ++k) {
      out << " from ";
      extent(node.starts[k]);
      out << " by " << node.steps[k]
          << (k < node.dropped.size() && node.dropped[k] ? " dropped" : "");
    }
    if (node.kind == NodeKind::kFull) {
      out << ' ' << std::hexfloat << node.number << std::defaultfloat << ' ' << node.integer;
    }
    out << '\n';
  }
  out << "results";
  for (size_t k = 0; k < graph.results.size(); ++k) {
    out << " %" << graph.results[k];
    if (graph.in_place[k] >= 0) out << " over %" << graph.in_place[k];
  }
  return std::move(out).str();
}

}  // namespace paddle::cinn
