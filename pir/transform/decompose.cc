// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Taking programs apart: the decomposition of an operator is called with meta tensors, and its
// calls become operations in front of it.
#include "pir/transform/decompose.h"

#include <algorithm>
#include <unordered_map>

#include "paddle_core/dispatch/execute/decomposition.h"
#include "paddle_core/dispatch/meta_calls.h"
#include "pir/dialect/arguments.h"
#include "pir/dialect/effects.h"

namespace paddle::pir {
namespace {

// The values that the meta tensors of one decomposition stand for.
class Values {
 public:
  TensorList tensors_of(Value* v) {
    const Operation* maker = v->producer();
    if (maker && maker->is("builtin.combine")) {
      TensorList list;
      for (Value* element : maker->operands()) list.push_back(tensor_of(element));
      return list;
    }
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, !v->type().is_vector(),
                      "a list of tensors comes from ", maker ? maker->name() : "a block argument",
                      "; its elements are not known.");
    return {tensor_of(v)};
  }
  void put(const Tensor& t, Value* v) {
    value_[t.impl()] = v;
    tensors_.push_back(t);
  }
  Value* value_of(const Tensor& t) const {
    const auto found = value_.find(t.impl());
    PADDLE_CHECK_RUNTIME(found != value_.end(), "a tensor of shape ", t.shape(),
                         " is no result of an operator and no operand.");
    return found->second;
  }

 private:
  Tensor tensor_of(Value* v) {
    if (!v) return {};
    const auto known = tensor_.find(v);
    if (known != tensor_.end()) return known->second;
    Tensor t = Tensor::meta(v->type().shape(), v->type().dtype(), v->type().place());
    tensor_.emplace(v, t);
    put(t, v);
    return t;
  }

  TensorList tensors_;  // keeps the addresses
  std::unordered_map<const TensorImpl*, Value*> value_;
  std::unordered_map<const Value*, Tensor> tensor_;
};

// Writes what a decomposition calls in front of an operation.
class Expansion {
 public:
  explicit Expansion(Operation& op) : op_(op), builder_(*op.block()) {
    builder_.set_before(&op);
    builder_.location = op.location;
  }

  // The results of the operation as new values; null: the decomposition does not give it.
  std::vector<Value*> run() {
    const OperationArgs args(op_,
                             [this](const Value* v) { return values_.tensors_of(mutable_of(v)); });
    TensorList made;
    {
      const MetaCalls calls([this](const OpDef& called, const Slot* operands, const Outputs& outs) {
        write(called, operands, outs);
      });
      const PlaceScope constants(place_of_results(*op_.def, args.slots()));
      made = decomposed(*op_.def, args.slots());
    }
    if (op_.def->list_result) return {list_of(made)};
    std::vector<Value*> results;
    for (size_t k = 0; k < op_.num_results(); ++k) {
      const bool given = k < made.size() && made[k].defined();
      results.push_back(given ? result_of(k, values_.value_of(made[k])) : nullptr);
      PADDLE_CHECK_RUNTIME(results[k] || !op_.result(k)->used(), op_.name(), ": result ", k,
                           " is used, but the decomposition does not give it.");
    }
    return results;
  }

 private:
  // The argument pack reads operands only; they become operands of what is written.
  static Value* mutable_of(const Value* v) { return const_cast<Value*>(v); }

  void write(const OpDef& called, const Slot* operands, const Outputs& outs) {
    const auto value_of = [this](const Tensor& t) { return values_.value_of(t); };
    Operation* made = build_operation(builder_, called, operands, outs, value_of);
    if (called.list_result) {
      std::vector<Type> types = made->result()->type().elements();
      made = builder_.create("builtin.split", {made->result()}, std::move(types));
    }
    for (size_t k = 0; k < outs.size(); ++k) {
      if (outs[k].defined()) values_.put(outs[k], made->result(k));
    }
  }

  Value* emit(const char* name, const std::vector<Value*>& operands, const Type& type) {
    Operation* made = builder_.create(name, operands, {type});
    made->def = find_def(name);
    return made->result();
  }

  // A value whose memory an operand of the operation shows.
  bool is_passed_through(Value* v) const {
    const Value* base = memory_base(v);
    for (Value* given : op_.operands()) {
      if (!given) continue;
      if (base == memory_base(given)) return true;
      const Operation* maker = given->producer();
      if (!maker || !maker->is("builtin.combine")) continue;
      for (const Value* element : maker->operands()) {
        if (element && memory_base(element) == base) return true;
      }
    }
    return false;
  }

  Value* operand_named(int argument) const {
    size_t at = 0;
    const auto& specs = op_.def->schema().args;
    for (int i = 0; i < argument; ++i) at += is_operand(specs[static_cast<size_t>(i)]);
    return op_.operand(at);
  }

  Value* result_of(size_t k, Value* v) {
    if (op_.def->is_native_inplace() && op_.def->inplace_arg[k] >= 0) {
      Value* target = operand_named(op_.def->inplace_arg[k]);
      if (!target || target == v) return v;
      return emit("pd_op.overwrite_", {v, target}, target->type());
    }
    return own(v);
  }

  Value* own(Value* v) {
    if (op_.def->is_view() || !is_passed_through(v)) return v;
    return emit("pd_op.assign", {v}, v->type());
  }

  Value* list_of(const TensorList& made) {
    std::vector<Value*> elements;
    for (const Tensor& t : made) {
      elements.push_back(t.defined() ? own(values_.value_of(t)) : nullptr);
    }
    return builder_.combine(elements);
  }

  Operation& op_;
  Builder builder_;
  Values values_;
};

// What splits the list takes its elements.
void skip_split(Value* list) {
  const Operation* combine = list->producer();
  std::vector<Operation*> splits;
  for (const Use& use : list->uses()) {
    if (use.op->is("builtin.split")) splits.push_back(use.op);
  }
  for (Operation* split : splits) {
    for (size_t k = 0; k < split->num_results(); ++k) {
      Value* element = combine->operand(k);
      if (!element) continue;
      element->stop_gradient = split->result(k)->stop_gradient;
      split->result(k)->replace_all_uses_with(element);
    }
  }
}

// Walks through a block; what replaces an operation is walked through next.
class Walk {
 public:
  Walk(Decomposed& done, const std::function<bool(const Operation&)>& chosen)
      : done_(done), chosen_(chosen) {}

  void block(Block& block) {
    const size_t outer = open_.size();
    auto& ops = block.operations();
    for (auto at = ops.begin(); at != ops.end();) {
      leave_finished(at->get(), outer);
      for (const auto& region : (*at)->regions()) {
        for (const auto& inner : region->blocks()) this->block(*inner);
      }
      Operation& op = **at;
      const bool wanted = !chosen_ || open_.size() > outer || chosen_(op);
      at = is_composed(op) && wanted ? replace_by_decomposition(op) : std::next(at);
    }
    open_.resize(outer);
  }

 private:
  // An operator whose decomposition is being walked through, up to the operation behind it.
  struct Open {
    const OpDef* def;
    const Operation* end;
  };

  void leave_finished(const Operation* op, size_t outer) {
    while (open_.size() > outer && open_.back().end == op) open_.pop_back();
  }

  // Where to go on.
  Block::Operations::iterator replace_by_decomposition(Operation& op) {
    if (!open_.empty() && op.def->rank() >= open_.back().def->rank()) {
      std::string way = op.def->name();
      for (size_t i = open_.size(); i-- > 0;) way = str(open_[i].def->name(), " -> ", way);
      throw_rank(*open_.back().def, *op.def, way);
    }
    Block& block = *op.block();
    auto& ops = block.operations();
    const auto position = op.position();
    const bool is_first = position == ops.begin();
    const auto before = is_first ? ops.begin() : std::prev(position);
    std::vector<Value*> results;
    try {
      results = expand(op);
    } catch (const Error& e) {
      done_.left.emplace_back(&op, e.message());
      return std::next(position);
    }
    for (size_t k = 0; k < results.size(); ++k) {
      if (!results[k]) continue;
      if (!results[k]->type().is_vector()) results[k]->stop_gradient = op.result(k)->stop_gradient;
      op.result(k)->replace_all_uses_with(results[k]);
    }
    if (op.def->list_result) skip_split(results[0]);
    const auto next = std::next(position);
    open_.push_back({op.def, next == ops.end() ? nullptr : next->get()});
    block.erase(&op);
    ++done_.operations;
    return is_first ? ops.begin() : std::next(before);
  }

  Decomposed& done_;
  const std::function<bool(const Operation&)>& chosen_;
  std::vector<Open> open_;
};

}  // namespace

bool is_composed(const Operation& op) {
  return op.def && op.regions().empty() && op.def->decompose_fn;
}

std::vector<Value*> expand(Operation& op) {
  PADDLE_ASSERT(is_composed(op));
  Block& block = *op.block();
  const auto position = op.position();
  const size_t count = block.operations().size();
  try {
    return Expansion(op).run();
  } catch (...) {
    while (block.operations().size() > count) block.erase(std::prev(position)->get());
    throw;
  }
}

Decomposed decompose(Block& block, const std::function<bool(const Operation&)>& chosen) {
  Decomposed done;
  const SymbolScope scope;
  block.keep_symbols(scope.owner());
  Walk(done, chosen).block(block);
  for (const SymbolFact& fact : scope.facts()) {
    if (!fact.of_rule) done.facts.push_back(fact);
  }
  return done;
}

}  // namespace paddle::pir
