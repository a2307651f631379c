// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Taking a group apart.
#include "cinn/group/form.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include "cinn/group/channels_last.h"
#include "cinn/group/group_op.h"
#include "cinn/loop/expr.h"
#include "cinn/scalar/random_math.h"
#include "cinn/scalar/scalar_math.h"
#include "pir/dialect/operation_record.h"
#include "pir/ir/clone.h"
#include "pir/transform/decompose.h"
#include "pir/transform/transform.h"

namespace paddle::cinn {
namespace {

bool is_random(const pir::Operation& op) { return op.def && op.def->has(kRandom); }

// Operations of a group, in their order, of which others in it need no result.
struct Part {
  std::vector<const pir::Operation*> operations;
  std::vector<int> inputs, results;  // positions among the operands and results of the group
};

// By what operations read of each other; whoever reads a constant has it for itself.
class Splitter {
 public:
  explicit Splitter(const pir::Operation& group)
      : block_(*group.regions().at(0)->blocks().at(0)),
        yield_(pir::terminator_of(group, *group.regions()[0])) {}

  std::vector<Part> run() {
    for (const auto& op : block_.operations()) {
      if (op->has(pir::kTerminator)) continue;
      operations_.push_back(op.get());
      number_[op.get()] = roots_.size();
      roots_.push_back(roots_.size());
    }
    for (size_t i = 0; i < operations_.size(); ++i) {
      if (is_constant_maker(*operations_[i])) continue;
      for (const pir::Value* v : operations_[i]->operands()) {
        const auto maker = v && v->producer() ? number_.find(v->producer()) : number_.end();
        if (maker == number_.end() || is_constant_maker(*maker->first)) continue;
        roots_[root(i)] = root(maker->second);
      }
    }
    std::map<size_t, Part> parts;
    std::vector<size_t> order;
    for (size_t i = 0; i < operations_.size(); ++i) {
      const size_t own = root(i);
      const bool yielded =
          std::any_of(yield_.operands().begin(), yield_.operands().end(),
                      [&](const pir::Value* v) { return v && v->producer() == operations_[i]; });
      if (is_constant_maker(*operations_[i]) && !yielded) continue;
      if (!parts.contains(own)) order.push_back(own);
      add(parts[own], operations_[i]);
    }
    std::vector<Part> list;
    for (const size_t own : order) list.push_back(finished(std::move(parts[own])));
    return list;
  }

 private:
  size_t root(size_t i) const {
    while (roots_[i] != i) i = roots_[i];
    return i;
  }

  // With the constants that it reads before it.
  void add(Part& part, const pir::Operation* op) {
    if (std::find(part.operations.begin(), part.operations.end(), op) != part.operations.end()) {
      return;
    }
    for (const pir::Value* v : op->operands()) {
      const pir::Operation* maker = v ? v->producer() : nullptr;
      if (maker && number_.contains(maker) && is_constant_maker(*maker)) add(part, maker);
    }
    part.operations.push_back(op);
  }

  Part finished(Part part) const {
    const std::unordered_set<const pir::Operation*> inside(part.operations.begin(),
                                                           part.operations.end());
    // In the order of their first use: parts that compute the same take them alike.
    std::unordered_map<const pir::Value*, int> arguments;
    for (size_t i = 0; i < block_.num_arguments(); ++i) {
      arguments[block_.argument(i)] = static_cast<int>(i);
    }
    for (const pir::Operation* op : part.operations) {
      for (const pir::Value* v : op->operands()) {
        const auto found = arguments.find(v);
        if (found == arguments.end()) continue;
        part.inputs.push_back(found->second);
        arguments.erase(found);
      }
    }
    for (size_t k = 0; k < yield_.num_operands(); ++k) {
      if (inside.contains(yield_.operand(k)->producer())) {
        part.results.push_back(static_cast<int>(k));
      }
    }
    return part;
  }

  const pir::Block& block_;
  const pir::Operation& yield_;
  std::vector<const pir::Operation*> operations_;
  std::unordered_map<const pir::Operation*, size_t> number_;
  std::vector<size_t> roots_;
};

// A part as a program whose parameters are its inputs.
class PartCopy : public pir::Cloner {
 public:
  PartCopy(const pir::Operation& group, const Part& part, pir::Program& target) {
    pir::Builder builder(target.block());
    const pir::Block& block = *group.regions()[0]->blocks()[0];
    for (size_t i = 0; i < part.inputs.size(); ++i) {
      pir::Value* argument = block.argument(static_cast<size_t>(part.inputs[i]));
      inputs.push_back(builder
                           .create("builtin.parameter", {}, {argument->type()},
                                   {{"index", static_cast<int64_t>(i)}})
                           ->result());
      values_[argument] = inputs.back();
    }
    for (const pir::Operation* op : part.operations) builder.insert(clone(*op));
    const pir::Operation& yield = pir::terminator_of(group, *group.regions()[0]);
    for (const int k : part.results) results.push_back(of(yield.operand(static_cast<size_t>(k))));
  }
  std::vector<pir::Value*> inputs, results;
};

// What is equal for parts that have one form. Empty where extents are open: symbols are told apart
// by more than their names.
std::string key_of(const pir::Operation& group, const Part& part) {
  std::ostringstream out;
  out << std::hexfloat;
  std::unordered_map<const pir::Value*, size_t> values;
  bool open = false;
  const auto type = [&](const pir::Type& t) {
    out << t << ' ';
    for (const pir::Type& e : t.is_vector() ? t.elements() : std::vector<pir::Type>{t}) {
      if (!e.is_tensor()) continue;
      for (const Dim d : e.shape()) open = open || d.is_symbolic();
    }
  };
  const auto name = [&](const pir::Value* v) {
    return v ? static_cast<int64_t>(values.try_emplace(v, values.size()).first->second) : -1;
  };
  const pir::Block& block = *group.regions()[0]->blocks()[0];
  for (const int i : part.inputs) {
    out << name(block.argument(static_cast<size_t>(i))) << ':';
    type(block.argument(static_cast<size_t>(i))->type());
  }
  for (const pir::Operation* op : part.operations) {
    out << '\n' << op->name();
    for (const auto& [attribute, value] : op->attributes()) {
      out << ' ' << attribute << '=';
      if (op->is("builtin.constant")) {
        const Tensor& t = value.get<pir::DenseValues>().tensor;
        open = open || t.numel() != 1;
        if (t.numel() == 1) out << t.item().to_double() << ' ' << t.item();
      } else {
        out << value;
      }
    }
    for (const pir::Value* v : op->operands()) out << ' ' << name(v);
    out << " -> ";
    for (size_t k = 0; k < op->num_results(); ++k) {
      out << name(op->result(k)) << ':';
      type(op->result(k)->type());
    }
  }
  out << "\nyield";
  const pir::Operation& yield = pir::terminator_of(group, *group.regions()[0]);
  for (const int k : part.results) out << ' ' << name(yield.operand(static_cast<size_t>(k)));
  return open ? std::string() : std::move(out).str();
}

}  // namespace

std::vector<GroupPart> GroupForm::parts_of(const pir::Operation& group) {
  static std::mutex mutex;
  static std::unordered_map<std::string, std::shared_ptr<const GroupForm>> known;
  constexpr size_t kMostKnown = 1024;
  const auto& members = group.regions().at(0)->blocks().at(0)->operations();
  const bool updates = std::any_of(members.begin(), members.end(), [](const auto& op) {
    return op->def && op->def->is_native_inplace();
  });
  std::unordered_map<const pir::Operation*, size_t> draws;
  for (const auto& op : members) {
    if (is_random(*op)) draws.emplace(op.get(), draws.size());
  }
  std::vector<GroupPart> parts;
  for (const Part& part : Splitter(group).run()) {
    GroupPart made;
    for (const pir::Operation* op : part.operations) {
      if (is_random(*op)) made.draws.push_back(draws.at(op));
    }
    made.inputs = part.inputs;
    made.results = part.results;
    std::string key = key_of(group, part);
    if (!key.empty() && updates) key += "\nbeside updates";
    if (!key.empty()) {
      const std::lock_guard lock(mutex);
      if (const auto found = known.find(key); found != known.end()) made.form = found->second;
    }
    if (!made.form) {
      auto form = std::make_shared<GroupForm>();
      PartCopy copy(group, part, form->program_);
      form->fill(copy.inputs, std::move(copy.results));
      form->beside_updates_ = updates;
      if (updates) form->signature_ += "\nbeside updates";
      made.form = std::move(form);
      const std::lock_guard lock(mutex);
      if (known.size() >= kMostKnown) known.clear();
      if (!key.empty()) known[key] = made.form;
    }
    made.results.resize(made.form->graph().results.size(), -1);
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented,
                      made.form->graph().draws.size() == made.draws.size(),
                      "cinn: an operator is composed of such that draw random numbers.");
    parts.push_back(std::move(made));
  }
  const pir::Operation& yielded = pir::terminator_of(group, *group.regions()[0]);
  size_t given = 0;
  for (const GroupPart& part : parts) {
    for (const int k : part.results) given += k >= 0;
  }
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, given == yielded.num_operands(),
                    "cinn: a group gives a value that it was given.");
  const auto any = [&](bool (GroupForm::*holds)() const) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const auto& p) { return (*p.form.*holds)(); });
  };
  // Where a kernel gives up, the operators run on what the inputs were.
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented,
                    !any(&GroupForm::overwrites) || !any(&GroupForm::may_fail),
                    "cinn: an operator that overwrites its operands stands beside one that refuses "
                    "some values.");
  return parts;
}

bool GroupForm::overwrites() const {
  return std::any_of(graph_.in_place.begin(), graph_.in_place.end(), [](int i) { return i >= 0; });
}

bool GroupForm::may_fail() const {
  return std::any_of(graph_.nodes.begin(), graph_.nodes.end(), [&](const Node& node) {
    switch (node.kind) {
      case NodeKind::kGather:
      case NodeKind::kGatherNd:
      case NodeKind::kTakeAlong:
      case NodeKind::kPutAlong:
      case NodeKind::kOneHot:
        return true;
      case NodeKind::kElementwise: {
        ExprPool pool;
        std::vector<Expr> operands, checks;
        for (const int operand : node.operands) {
          const Node& from = graph_.node(operand);
          const DType type =
              size_of(from.dtype) == 2 && is_floating(from.dtype) ? DType::kFloat32 : from.dtype;
          // A constant may be none of those values.
          operands.push_back(from.kind != NodeKind::kFull ? pool.reg(operand, type)
                             : is_floating(type)          ? pool.constant(type, from.number)
                                                          : pool.integer(type, from.integer));
        }
        if (is_random(*node.op)) {
          random_element(pool, *node.op, node.result, operands, checks);
        } else {
          scalar_operation(pool, *node.op, operands, checks);
        }
        return !checks.empty();
      }
      default:
        return false;
    }
  });
}

void GroupForm::fill(const std::vector<pir::Value*>& inputs, std::vector<pir::Value*> results) {
  pir::Block& block = program_.block();
  std::vector<DType> dtypes;
  for (const pir::Value* v : results) dtypes.push_back(v->type().dtype());
  // Its operands follow the results through the rewrites.
  pir::Operation* keeper = pir::Builder(block).create(std::string(pir::kResults), results, {});
  const SymbolScope scope;
  program_.keep_symbols(scope.owner());
  const pir::Decomposed done = pir::decompose(block, [](const pir::Operation& op) {
    return pir::is_composed(op) && !has_scalar_form(*op.def);
  });
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, done.left.empty(),
                    "cinn: ", done.left.front().first->name(), ": ", done.left.front().second);
  facts_ = done.facts;
  pir::fold_constants(block);
  pir::eliminate_common_subexpressions(block);
  pir::eliminate_dead_code(block);
  results = keeper->operands();
  block.erase(keeper);
  for (size_t k = 0; k < dtypes.size(); ++k) {
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, results[k]->type().dtype() == dtypes[k],
                      "cinn: the composition of an operator gives ", results[k]->type().dtype(),
                      " where it gives ", dtypes[k], ".");
  }
  // What is written in place is a result also where nobody reads it as one.
  for (const auto& op : block.operations()) {
    if (!op->is("pd_op.overwrite_")) continue;
    if (std::find(results.begin(), results.end(), op->result()) == results.end()) {
      results.push_back(op->result());
    }
  }
  graph_ = build_graph(block, inputs, results);
  flatten(graph_);
  finish();
}

void GroupForm::finish() {
  signature_ = describe(graph_);
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    if (node.kind != NodeKind::kReduce) continue;
    RowShape shape;
    shape.inner = graph_.reduced(static_cast<int>(i));
    for (const int axis : graph_.flat(node.operands[0])) {
      const auto& inner = shape.inner;
      if (std::find(inner.begin(), inner.end(), axis) == inner.end()) shape.outer.push_back(axis);
    }
    row_shapes_.push_back(std::move(shape));
  }
}

std::shared_ptr<const GroupForm> GroupForm::with_channels_last(
    const std::shared_ptr<const GroupForm>& form, size_t activations) {
  auto turned = std::make_shared<GroupForm>();
  turned->graph_ = form->graph_;
  if (!put_channels_last(turned->graph_, activations)) return nullptr;
  turned->turned_from_ = form;
  turned->facts_ = form->facts_;
  turned->beside_updates_ = form->beside_updates_;
  turned->finish();
  if (turned->beside_updates_) turned->signature_ += "\nbeside updates";
  return turned;
}

}  // namespace paddle::cinn
