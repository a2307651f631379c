// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// From operations to nodes: one rule per operator that is not elementwise.
#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>

#include "cinn/group/graph.h"
#include "cinn/group/group_op.h"
#include "cinn/scalar/random_math.h"
#include "cinn/scalar/scalar_math.h"
#include "paddle_core/op/args.h"
#include "phi_kernels/rules/slice.h"
#include "pir/dialect/arguments.h"

namespace paddle::cinn {
namespace {

// Extents up to this many are written into the kernel, where loops over them are unrolled.
constexpr int64_t kMostWritten = 16;

bool is_supported(DType t) { return t != DType::kUndefined && !is_complex(t) && !is_float8(t); }

size_t axis_of(int64_t axis, size_t rank) {
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}

class Builder {
 public:
  explicit Builder(Graph& graph) : graph_(graph) {}

  int add_input(const pir::Value* v) {
    Node node = typed(v->type());
    node.kind = NodeKind::kInput;
    node.layout = graph_.axes.fresh_layout(node.dims);
    return add(v, std::move(node));
  }

  void add(const pir::Operation& op) {
    if (op.is("builtin.combine")) {
      std::vector<int> list;
      for (const pir::Value* v : op.operands()) list.push_back(node_of(v));
      lists_[op.result()] = std::move(list);
      return;
    }
    if (op.is("builtin.split")) {
      const auto& list = lists_.at(op.operand(0));
      for (size_t k = 0; k < op.num_results(); ++k) nodes_[op.result(k)] = list.at(k);
      return;
    }
    if (op.is("pd_op.full_int_array") || op.is("builtin.dims")) return;  // read by their users
    if (op.is("builtin.constant")) return add_constant(op);
    if (op.is("pd_op.overwrite_")) return add_overwrite(op);
    if (op.def && op.def->has(kRandom)) return add_random(op);
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, op.def && op.num_results() == 1, op.name(),
                      ": no kernel is made of this operation.");
    const pir::OperationArgs arguments(op, [](const pir::Value* v) { return metas_of(v); });
    const Args args(*op.def, arguments.slots());
    if (const auto rule = rules().find(op.name()); rule != rules().end()) {
      (this->*rule->second)(op, args);
      return;
    }
    const std::string obstacle = scalar_obstacle(op);
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, obstacle.empty(), "cinn: ", op.name(), ": ",
                      obstacle, ".");
    add_elementwise(op);
  }

  void set_axis_extents() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const int axis : graph_.flat(static_cast<int>(i))) {
        const auto at = static_cast<size_t>(axis);
        if (graph_.axis_extents.size() <= at) graph_.axis_extents.resize(at + 1);
        graph_.axis_extents[at] = extent_of(graph_.axes.extent(axis));
      }
    }
  }

  // The input whose memory the value replaces, or -1.
  int overwritten_by(const pir::Value* v) const {
    const auto found = overwritten_.find(v);
    return found == overwritten_.end() ? -1 : found->second;
  }

  int node_of(const pir::Value* v) const {
    const auto found = nodes_.find(v);
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, found != nodes_.end(), "cinn: a value of type ",
                      v->type(), " has no place in a kernel.");
    return found->second;
  }

 private:
  using Rule = void (Builder::*)(const pir::Operation& op, const Args& args);

  static const std::map<std::string, Rule>& rules() {
    static const std::map<std::string, Rule> table = {
        {"pd_op.full", &Builder::add_full},
        {"pd_op.full_like", &Builder::add_full_like},
        {"pd_op.arange", &Builder::add_arange},
        {"pd_op.tril", &Builder::add_triangle},
        {"pd_op.triu", &Builder::add_triangle},
        {"pd_op.sum", &Builder::add_reduce},
        {"pd_op.max", &Builder::add_reduce},
        {"pd_op.min", &Builder::add_reduce},
        {"pd_op.prod", &Builder::add_reduce},
        {"pd_op.reshape", &Builder::add_reshape},
        {"pd_op.view_shape", &Builder::add_reshape},
        {"pd_op.transpose", &Builder::add_transpose},
        {"pd_op.expand", &Builder::add_expand},
        {"pd_op.slice", &Builder::add_slice},
        {"pd_op.strided_slice", &Builder::add_slice},
        {"pd_op.concat", &Builder::add_concat},
        {"pd_op.gather", &Builder::add_gather},
        {"pd_op.gather_nd", &Builder::add_gather_nd},
        {"pd_op.take_along_axis", &Builder::add_take_along},
        {"pd_op.put_along_axis", &Builder::add_put_along},
        {"pd_op.one_hot", &Builder::add_one_hot},
    };
    return table;
  }

  static TensorList metas_of(const pir::Value* v) {
    TensorList list;
    const pir::Type& type = v->type();
    for (const pir::Type& t : type.is_vector() ? type.elements() : std::vector<pir::Type>{type}) {
      list.push_back(Tensor::meta(t.shape(), t.dtype(), t.place()));
    }
    return list;
  }

  Extent extent_of(Dim d) {
    if (!d.is_symbolic() && d.value() <= kMostWritten) return {d.value(), -1};
    auto& sizes = graph_.sizes;
    const auto at = std::find(sizes.begin(), sizes.end(), d) - sizes.begin();
    if (static_cast<size_t>(at) == sizes.size()) sizes.push_back(d);
    return {0, static_cast<int>(at)};
  }

  Node typed(const pir::Type& type) {
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, type.is_tensor() && is_supported(type.dtype()),
                      "cinn: no kernel computes with values of type ", type, ".");
    Node node;
    node.dtype = type.dtype();
    for (const Dim d : type.shape()) {
      PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, d.is_symbolic() || d.value() >= 0,
                        "cinn: an extent of ", type, " is not known.");
      node.dims.push_back(d);
      node.shape.push_back(extent_of(d));
    }
    return node;
  }

  Node made_by(const pir::Operation& op, NodeKind kind, std::vector<int> operands,
               size_t result = 0) {
    Node node = typed(op.result(result)->type());
    node.kind = kind;
    node.op = &op;
    node.result = result;
    node.operands = std::move(operands);
    node.aligned.assign(node.operands.size(), false);
    node.layout = graph_.axes.fresh_layout(node.dims);
    return node;
  }

  int add(const pir::Value* v, Node node) {
    graph_.nodes.push_back(std::move(node));
    // Layouts are told apart by where they are, so nodes may not move: see reserve().
    graph_.axes.keep_apart(&graph_.nodes.back().layout);
    const int number = static_cast<int>(graph_.nodes.size()) - 1;
    if (v) nodes_[v] = number;
    return number;
  }

  // Makes dimension i of the node's layout that of the operand's dimension; all or none.
  bool unify(const Layout& a, const Layout& b) {
    for (size_t i = 0; i < a.size(); ++i) {
      if (!graph_.axes.unify(a[i], b[i])) return false;
    }
    return true;
  }

  static Scalar first_of(const Tensor& t) { return Tensor::alias(t, {}, {}, 0).item(); }

  void add_constant(const pir::Operation& op) {
    const Tensor& t = op.attribute("value").get<pir::DenseValues>().tensor;
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, is_uniform(op), "cinn: a constant of shape ",
                      t.shape(), " has no place in a kernel.");
    Node node = made_by(op, NodeKind::kFull, {});
    const Scalar value = first_of(t);
    node.number = value.to_double();
    node.integer = is_floating(t.dtype()) ? 0 : value.to_int();
    add(op.result(), std::move(node));
  }

  // The value in the memory of an input: the same node, which the result of the group says more of.
  void add_overwrite(const pir::Operation& op) {
    const int value = node_of(op.operand(0)), target = node_of(op.operand(1));
    const Node &from = graph_.node(value), &to = graph_.node(target);
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, to.kind == NodeKind::kInput,
                      "cinn: an operator overwrites what is computed beside it.");
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, from.dtype == to.dtype && from.dims == to.dims,
                      "cinn: a tensor is overwritten by one of another shape or dtype.");
    nodes_[op.result()] = value;
    overwritten_[op.result()] = target;
  }

  void full(const pir::Operation& op, const Scalar& value) {
    Node node = made_by(op, NodeKind::kFull, {});
    node.number = value.to_double();
    node.integer = is_floating(node.dtype)      ? 0
                   : node.dtype == DType::kBool ? value.to_bool()
                                                : value.to_int();
    add(op.result(), std::move(node));
  }
  void add_full(const pir::Operation& op, const Args& args) { full(op, args.scalar(1)); }
  void add_full_like(const pir::Operation& op, const Args& args) { full(op, args.scalar(1)); }

  void add_arange(const pir::Operation& op, const Args& args) {
    Node node = made_by(op, NodeKind::kArange, {});
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, is_integer(node.dtype), "cinn: arange of ",
                      node.dtype, " is left to its own kernel.");
    node.starts = {{args.scalar(0).to_int(), -1}};
    node.steps = {args.scalar(2).to_int()};
    add(op.result(), std::move(node));
  }

  // The numbers, then each result as a function of them and the operands.
  void add_random(const pir::Operation& op) {
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, draws_by_element(*op.def), "cinn: ", op.name(),
                      ": its elements depend on each other, or on many numbers each.");
    const std::string obstacle = random_obstacle(op);
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, obstacle.empty(), "cinn: ", op.name(), ": ",
                      obstacle, ".");
    Node numbers = made_by(op, NodeKind::kDrawn, {});
    numbers.dtype = draws_normal(op) ? DType::kFloat32 : DType::kInt32;
    numbers.axes = {static_cast<int64_t>(graph_.draws.size())};
    graph_.draws.push_back({&op, numbers.shape});
    std::vector<int> operands;
    for (const pir::Value* v : tensor_operands(op)) operands.push_back(node_of(v));
    operands.push_back(add(nullptr, std::move(numbers)));
    for (size_t k = 0; k < op.num_results(); ++k) {
      const int number = add(op.result(k), made_by(op, NodeKind::kElementwise, operands, k));
      for (size_t i = 0; i < operands.size(); ++i) align_broadcast(number, i);
    }
  }

  void add_elementwise(const pir::Operation& op) {
    std::vector<int> operands;
    for (const pir::Value* v : tensor_operands(op)) operands.push_back(node_of(v));
    const int number = add(op.result(), made_by(op, NodeKind::kElementwise, operands));
    for (size_t k = 0; k < operands.size(); ++k) align_broadcast(number, k);
  }

  // The operand's last dimensions are the result's, or have extent 1.
  void align_broadcast(int number, size_t k) {
    Node& node = graph_.nodes[static_cast<size_t>(number)];
    const Node& operand = graph_.node(node.operands[k]);
    const size_t rank = node.dims.size(), less = rank - operand.dims.size();
    bool fits = true;
    for (size_t i = 0; i < operand.dims.size(); ++i) {
      if (operand.dims[i] == Dim(1)) continue;
      fits = fits && graph_.axes.unify(operand.layout[i], node.layout[less + i]);
    }
    node.aligned[k] = fits;
  }

  void add_expand(const pir::Operation& op, const Args&) {
    const int number =
        add(op.result(), made_by(op, NodeKind::kBroadcast, {node_of(op.operand(0))}));
    align_broadcast(number, 0);
  }

  void add_reduce(const pir::Operation& op, const Args& args) {
    const int operand = node_of(op.operand(0));
    const size_t rank = graph_.node(operand).dims.size();
    Node node = made_by(op, NodeKind::kReduce, {operand});
    for (const Dim a : args.ints(op.def->reduced_axes_arg)) {
      node.axes.push_back(static_cast<int64_t>(axis_of(a.value(), rank)));
    }
    const bool all = op.is("pd_op.prod") && args.b(3);
    if (node.axes.empty() || all) {
      node.axes.clear();
      for (size_t i = 0; i < rank; ++i) node.axes.push_back(static_cast<int64_t>(i));
    }
    std::sort(node.axes.begin(), node.axes.end());
    node.keeps_axes = args.b(op.def->keepdim_arg);
    const int number = add(op.result(), std::move(node));
    Node& made = graph_.nodes[static_cast<size_t>(number)];
    size_t at = 0;
    bool fits = true;
    for (size_t i = 0; i < rank; ++i) {
      const bool gone =
          std::binary_search(made.axes.begin(), made.axes.end(), static_cast<int64_t>(i));
      if (gone && !made.keeps_axes) continue;
      if (!gone) fits = fits && graph_.axes.unify(graph_.node(operand).layout[i], made.layout[at]);
      ++at;
    }
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, fits, op.name(),
                      ": the axes of its operand do not go together.");
    made.aligned[0] = true;
    // Over dimensions of extent 1 it is the value itself.
    if (graph_.reduced(number).empty()) {
      made.kind = NodeKind::kReshape;
      made.axes.clear();
      made.runs = equal_runs(made.dims, graph_.node(operand).dims);
    }
  }

  void add_transpose(const pir::Operation& op, const Args& args) {
    Node node = made_by(op, NodeKind::kTranspose, {node_of(op.operand(0))});
    for (const Dim d : args.ints(1)) {
      node.axes.push_back(static_cast<int64_t>(axis_of(d.value(), node.dims.size())));
    }
    // Axes that the permutation does not name stay.
    for (size_t i = node.axes.size(); i < node.dims.size(); ++i) {
      node.axes.push_back(static_cast<int64_t>(i));
    }
    const int number = add(op.result(), std::move(node));
    Node& made = graph_.nodes[static_cast<size_t>(number)];
    Layout moved;
    for (const int64_t a : made.axes) {
      moved.push_back(graph_.node(made.operands[0]).layout[static_cast<size_t>(a)]);
    }
    made.aligned[0] = unify(made.layout, moved);
  }

  // Runs of dimensions with equal products share their axes.
  void add_reshape(const pir::Operation& op, const Args&) {
    const int number = add(op.result(), made_by(op, NodeKind::kReshape, {node_of(op.operand(0))}));
    Node& node = graph_.nodes[static_cast<size_t>(number)];
    const Node& operand = graph_.node(node.operands[0]);
    Axes a, b;
    for (const Axes& dim : operand.layout) a.insert(a.end(), dim.begin(), dim.end());
    for (const Axes& dim : node.layout) b.insert(b.end(), dim.begin(), dim.end());
    node.aligned[0] = graph_.axes.unify(a, b);
    node.runs = equal_runs(node.dims, operand.dims);
  }

  void add_slice(const pir::Operation& op, const Args& args) {
    const bool strided = op.is("pd_op.strided_slice");
    const int operand = node_of(op.operand(0));
    Node node = made_by(op, NodeKind::kSlice, {operand});
    const Node& from = graph_.node(operand);
    const size_t rank = from.dims.size();
    node.starts.assign(rank, {});
    node.steps.assign(rank, 1);
    node.dropped.assign(rank, false);
    const Shape axes = args.ints(1), starts = args.ints(2), ends = args.ints(3);
    const Shape steps = strided ? args.ints(4) : Shape(axes.size(), Dim(1));
    std::vector<bool> cut(rank, false);
    for (size_t i = 0; i < axes.size(); ++i) {
      const size_t a = axis_of(axes[i].value(), rank);
      const Range range =
          slice_range(starts[i], ends[i], steps[i].value(), from.dims[a], op.def->name());
      node.starts[a] = extent_of(range.start);
      node.steps[a] = range.step;
      cut[a] = !(range.start == Dim(0) && range.step == 1 && range.count == from.dims[a]);
    }
    if (!strided) {
      for (const Dim a : args.ints(5)) node.dropped[axis_of(a.value(), rank)] = true;
    }
    const int number = add(op.result(), std::move(node));
    Node& made = graph_.nodes[static_cast<size_t>(number)];
    size_t at = 0;
    for (size_t i = 0; i < rank; ++i) {
      if (made.dropped[i]) continue;
      if (!cut[i]) graph_.axes.unify(graph_.node(operand).layout[i], made.layout[at]);
      ++at;
    }
  }

  void add_concat(const pir::Operation& op, const Args& args) {
    Node node = made_by(op, NodeKind::kConcat, lists_.at(op.operand(0)));
    node.axes = {static_cast<int64_t>(axis_of(args.scalar(1).to_int(), node.dims.size()))};
    const int number = add(op.result(), std::move(node));
    Node& made = graph_.nodes[static_cast<size_t>(number)];
    for (const int operand : made.operands) {
      for (size_t i = 0; i < made.dims.size(); ++i) {
        if (static_cast<int64_t>(i) == made.axes[0]) continue;
        graph_.axes.unify(graph_.node(operand).layout[i], made.layout[i]);
      }
    }
  }

  void add_gather(const pir::Operation& op, const Args& args) {
    const int x = node_of(op.operand(0)), index = node_of(op.operand(1));
    Node node = made_by(op, NodeKind::kGather, {x, index});
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, graph_.node(index).dims.size() <= 1,
                      "cinn: gather takes positions of one dimension.");
    node.axes = {
        static_cast<int64_t>(axis_of(args.scalar(2).to_int(), graph_.node(x).dims.size()))};
    const int number = add(op.result(), std::move(node));
    Node& made = graph_.nodes[static_cast<size_t>(number)];
    const auto axis = static_cast<size_t>(made.axes[0]);
    const size_t positions = graph_.node(index).dims.size();
    for (size_t i = 0; i < graph_.node(x).dims.size(); ++i) {
      if (i == axis) continue;
      const size_t at = i < axis ? i : i - 1 + positions;
      graph_.axes.unify(graph_.node(x).layout[i], made.layout[at]);
    }
    if (positions == 1) {
      graph_.axes.unify(graph_.node(index).layout[0], made.layout[axis]);
    }
  }

  void add_gather_nd(const pir::Operation& op, const Args&) {
    const int x = node_of(op.operand(0)), index = node_of(op.operand(1));
    Node node = made_by(op, NodeKind::kGatherNd, {x, index});
    const Node& rows = graph_.node(index);
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented,
                      !rows.dims.empty() && !rows.dims.back().is_symbolic(),
                      "cinn: gather_nd needs to know how many axes its positions have.");
    node.axes = {rows.dims.back().value()};
    add(op.result(), std::move(node));
  }

  void add_take_along(const pir::Operation& op, const Args& args) {
    const int x = node_of(op.operand(0)), index = node_of(op.operand(1));
    Node node = made_by(op, NodeKind::kTakeAlong, {x, index});
    node.axes = {static_cast<int64_t>(axis_of(args.i(2), node.dims.size()))};
    const int number = add(op.result(), std::move(node));
    align_broadcast(number, 1);
    Node& made = graph_.nodes[static_cast<size_t>(number)];
    for (size_t i = 0; i < made.dims.size(); ++i) {
      const bool along = static_cast<int64_t>(i) == made.axes[0];
      if (!along && graph_.node(x).dims[i] == made.dims[i]) {
        graph_.axes.unify(graph_.node(x).layout[i], made.layout[i]);
      }
    }
  }

  // One position for each row is a comparison with the position that an element has.
  void add_put_along(const pir::Operation& op, const Args& args) {
    const int x = node_of(op.operand(0)), index = node_of(op.operand(1));
    const int values = node_of(op.operand(2));
    Node node = made_by(op, NodeKind::kPutAlong, {x, index, values});
    const bool adds = args.text(4) == "add";
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, adds ? args.b(5) : args.text(4) == "assign",
                      "cinn: put_along_axis only assigns or adds in a kernel.");
    const size_t axis = axis_of(args.i(3), node.dims.size());
    node.axes = {static_cast<int64_t>(axis), adds};
    const Node& rows = graph_.node(index);
    for (size_t i = 0; i < node.dims.size(); ++i) {
      PADDLE_CHECK_KIND(
          ErrorKind::kNotImplemented, rows.dims[i] == (i == axis ? Dim(1) : node.dims[i]),
          "cinn: put_along_axis needs one position for each row of its axis: others may meet, and "
          "their order decides.");
    }
    const int number = add(op.result(), std::move(node));
    for (size_t k = 0; k < 3; ++k) align_broadcast(number, k);
  }

  void add_one_hot(const pir::Operation& op, const Args&) {
    const int x = node_of(op.operand(0));
    const int number = add(op.result(), made_by(op, NodeKind::kOneHot, {x}));
    Node& made = graph_.nodes[static_cast<size_t>(number)];
    bool fits = true;
    for (size_t i = 0; i + 1 < made.dims.size(); ++i) {
      if (made.dims[i] == Dim(1)) continue;
      fits = fits && graph_.axes.unify(graph_.node(x).layout[i], made.layout[i]);
    }
    made.aligned[0] = fits;
  }

  void add_triangle(const pir::Operation& op, const Args& args) {
    Node node = made_by(op, NodeKind::kTriangle, {node_of(op.operand(0))});
    node.axes = {op.is("pd_op.triu"), args.i(1)};
    const int number = add(op.result(), std::move(node));
    align_broadcast(number, 0);
  }

  Graph& graph_;
  std::unordered_map<const pir::Value*, int> nodes_;
  std::unordered_map<const pir::Value*, std::vector<int>> lists_;
  std::unordered_map<const pir::Value*, int> overwritten_;
};

}  // namespace

std::vector<std::pair<size_t, size_t>> equal_runs(const std::vector<Dim>& to,
                                                  const std::vector<Dim>& from) {
  std::vector<std::pair<size_t, size_t>> runs;
  size_t i = 0, j = 0;
  while (i < to.size() || j < from.size()) {
    size_t i_end = i, j_end = j;
    Dim a = 1, b = 1;
    const auto take = [](const std::vector<Dim>& shape, size_t& end, Dim& product) {
      product = product * shape[end++];
    };
    if (i_end < to.size()) take(to, i_end, a);
    if (j_end < from.size()) take(from, j_end, b);
    while (a != b && (i_end < to.size() || j_end < from.size())) {
      const bool numbers = !a.is_symbolic() && !b.is_symbolic();
      const bool left =
          i_end < to.size() && (j_end == from.size() || !numbers || a.value() < b.value());
      if (left && (numbers || i_end - i <= j_end - j || j_end == from.size())) {
        take(to, i_end, a);
      } else if (j_end < from.size()) {
        take(from, j_end, b);
      } else {
        take(to, i_end, a);
      }
    }
    runs.emplace_back(i_end, j_end);
    i = i_end;
    j = j_end;
  }
  return runs;
}

Axes Graph::reduced(int i) const {
  const Node& reduction = node(i);
  Axes all;
  for (const int64_t dim : reduction.axes) {
    const Axes leaves = axes.resolve(node(reduction.operands[0]).layout[static_cast<size_t>(dim)]);
    all.insert(all.end(), leaves.begin(), leaves.end());
  }
  return all;
}

Graph build_graph(const pir::Block& block, const std::vector<pir::Value*>& inputs,
                  const std::vector<pir::Value*>& results) {
  Graph graph;
  size_t most = inputs.size();
  for (const auto& op : block.operations()) {
    most += op->num_results() + (op->def && op->def->has(kRandom) ? 1 : 0);
  }
  graph.nodes.reserve(most);
  Builder builder(graph);
  for (const pir::Value* v : inputs) builder.add_input(v);
  graph.num_inputs = inputs.size();
  for (const auto& op : block.operations()) {
    if (!op->has(pir::kTerminator) && !op->has(pir::kBoundary)) builder.add(*op);
  }
  for (const pir::Value* v : results) {
    graph.results.push_back(builder.node_of(v));
    graph.in_place.push_back(builder.overwritten_by(v));
  }
  builder.set_axis_extents();
  return graph;
}

}  // namespace paddle::cinn
