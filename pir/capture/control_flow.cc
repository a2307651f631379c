// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Recording of branches and loops. A region is recorded into an operation that stands in no block
// yet; it is inserted when the types of its results are known. What a region does to tensors from
// outside of it (writes, refreshed views) is undone when it is left and becomes a result.
#include <algorithm>
#include <unordered_set>

#include "pir/capture/capture.h"
#include "pir/dialect/control_flow.h"

namespace paddle::pir {
namespace {

// What stands in the history of values that went through control flow.
class ControlFlowNode final : public autograd::Node {
 public:
  const char* name() const override { return "control_flow"; }
  void apply(const TensorList&, const std::vector<bool>&, TensorList&) override {
    throw_error(ErrorKind::kNotImplemented,
                "to_static: a gradient is taken inside of the captured function through an if or "
                "while on tensors; take it outside, on the results of the function.");
  }
};

// One type for two values; extents that differ are a new symbol.
Type merged(const Type& a, const Type& b, SymbolScope& symbols) {
  Shape shape;
  for (size_t i = 0; i < a.shape().size(); ++i) {
    shape.push_back(a.shape()[i] == b.shape()[i] ? a.shape()[i] : symbols.fresh());
  }
  return Type::tensor(a.dtype(), shape);
}

void check_same_kind(const Type& a, const Type& b, const char* what, size_t i,
                     const std::string& where) {
  PADDLE_CHECK_VALUE(a.is_tensor() && b.is_tensor() && a.dtype() == b.dtype() &&
                         a.shape().size() == b.shape().size(),
                     "to_static: ", what, where, " gives value ", i, " as ", a, " and as ", b,
                     "; dtype and rank must be the same; cast or reshape one of them.");
}

// Every value that the given ones are computed from, through regions too, and they themselves.
std::unordered_set<const Value*> sources_of(const std::vector<Value*>& values) {
  std::unordered_set<const Value*> seen;
  std::vector<const Value*> open;
  const auto visit = [&](const Value* v) {
    if (v && seen.insert(v).second) open.push_back(v);
  };
  for (const Value* v : values) visit(v);
  while (!open.empty()) {
    const Operation* op = open.back()->producer();
    open.pop_back();
    if (!op) continue;
    for (const Value* v : op->operands()) visit(v);
    for (const auto& region : op->regions()) {
      for (const auto& block : region->blocks()) {
        for (const Value* v : free_values(*block)) visit(v);
      }
    }
  }
  return seen;
}

Tensor meta_of(const Value* v) { return Tensor::meta(v->type().shape(), v->type().dtype()); }

}  // namespace

void Capture::note_outer(const Tensor& t) {
  Scope& s = *scopes_.back();
  const bool known = t->capture.program == id_;
  if (!s.inside || (!known && !t.has_storage()) || s.noted.contains(t.impl())) return;
  if (known && is_within(static_cast<Value*>(t->capture.value)->block(), s.op.get())) return;
  s.noted.insert(t.impl());
  s.log.emplace_back(t, t->capture);
}

void Capture::open_scope(const char* name, const Tensor& condition) {
  PADDLE_CHECK_RUNTIME(active_, "to_static: control flow is recorded outside of a capture.");
  Value* v = value_of(condition);
  auto scope = std::make_unique<Scope>(builder_);
  scope->condition = v;
  scope->name = name;
  scope->where = location_text();
  scopes_.push_back(std::move(scope));
  has_control_flow_ = true;
}

void Capture::enter(Block& block) {
  Scope& s = *scopes_.back();
  s.inside = true;
  s.born = born_.size();
  s.log.clear();
  s.noted.clear();
  builder_.set_end(block);
}

void Capture::leave(size_t region) {
  Scope& s = *scopes_.back();
  s.inside = false;
  for (auto at = s.log.rbegin(); at != s.log.rend(); ++at) {
    auto& [t, before] = *at;
    auto* now = static_cast<Value*>(t->capture.value);
    t->capture = before;
    const Value* old = value_of(t);
    if (now == old) continue;
    auto found = std::find_if(s.written.begin(), s.written.end(),
                              [&](const WrittenValue& w) { return w.tensor.same_impl(t); });
    if (found == s.written.end()) found = s.written.insert(found, WrittenValue{t, {}});
    found->value[region] = now;
  }
  s.log.clear();
  inner_born_.insert(inner_born_.end(), born_.begin() + static_cast<std::ptrdiff_t>(s.born),
                     born_.end());
  born_.resize(s.born);
  builder_ = s.outer;
}

void Capture::begin_if(const Tensor& condition) {
  open_scope("an if", condition);
  Scope& s = *scopes_.back();
  s.op = std::make_unique<Operation>("pd_op.if", std::vector<Value*>{s.condition},
                                     std::vector<Type>{}, std::vector<NamedAttribute>{});
  for (int i = 0; i < 2; ++i) s.op->add_region().add_block();
}

void Capture::enter_branch(size_t i) { enter(*scopes_.back()->op->regions().at(i)->blocks()[0]); }

void Capture::leave_branch(size_t i) { leave(i); }

TensorList Capture::end_if(const TensorList& first, const TensorList& second) {
  PADDLE_ASSERT(first.size() == second.size());
  const std::unique_ptr<Scope> s = std::move(scopes_.back());
  scopes_.pop_back();
  std::vector<Value*> yields[2];
  for (const Tensor& t : first) yields[0].push_back(value_of(t));
  for (const Tensor& t : second) yields[1].push_back(value_of(t));
  for (const WrittenValue& w : s->written) {
    for (int b = 0; b < 2; ++b) yields[b].push_back(w.value[b] ? w.value[b] : value_of(w.tensor));
  }
  for (size_t i = 0; i < yields[0].size(); ++i) {
    const Type &a = yields[0][i]->type(), &b = yields[1][i]->type();
    check_same_kind(a, b, "an if", i, s->where);
    s->op->add_result(merged(a, b, *symbols_));
  }
  for (size_t b = 0; b < 2; ++b) {
    Builder(*s->op->regions()[b]->blocks()[0]).create("cf.yield", yields[b], {});
  }
  return close_scope(*s, first.size());
}

// Inserts the operation and gives tensors that stand for its results.
TensorList Capture::close_scope(Scope& s, size_t values) {
  s.op->location = s.where;
  Operation* op = builder_.insert(std::move(s.op));
  TensorList results;
  autograd::NodePtr node = history_of_control_flow();
  for (size_t i = 0; i < op->num_results(); ++i) {
    Tensor t = meta_of(op->result(i));
    attach(t, op->result(i));
    born_.push_back(t);
    if (node && is_differentiable(t.dtype())) {
      t->stop_gradient = false;
      autograd::set_history(t, node, static_cast<uint32_t>(0));
    }
    if (i < values) {
      results.push_back(t);
    } else {
      const Tensor& target = s.written[i - values].tensor;
      if (target.has_storage()) written_.emplace(target.impl(), target);
      attach(target, op->result(i));
    }
  }
  return results;
}

autograd::NodePtr Capture::history_of_control_flow() {
  if (!grad_enabled()) return {};
  TensorList sources;
  for (const Tensor& t : inputs_) {
    if (!t->stop_gradient) sources.push_back(t);
  }
  for (const CapturedInput& c : result_->captured) {
    if (c.tensor.defined() && !c.tensor->stop_gradient) sources.push_back(c.tensor);
  }
  if (sources.empty()) return {};
  auto node = IntrusivePtr<ControlFlowNode>::adopt(new ControlFlowNode());
  for (const Tensor& t : sources) {
    node->edges.push_back(autograd::edge_of(t));
    node->edge_info.push_back({nullptr, t.dtype()});
  }
  return autograd::NodePtr::adopt(node.release());
}

void Capture::begin_while(const Tensor& condition, const TensorList& values) {
  open_scope("a loop", condition);
  Scope& s = *scopes_.back();
  for (const Tensor& t : values) {
    autograd::sync_view(t);
    s.initial.push_back(value_of(t));
    s.types.push_back(s.initial.back()->type());
  }
}

TensorList Capture::begin_round() {
  Scope& s = *scopes_.back();
  s.op.reset();
  std::vector<Value*> operands{s.condition};
  operands.insert(operands.end(), s.initial.begin(), s.initial.end());
  for (const WrittenValue& w : s.written) operands.push_back(value_of(w.tensor));
  s.op = std::make_unique<Operation>("pd_op.while", operands, std::vector<Type>{},
                                     std::vector<NamedAttribute>{});
  Block& body = s.op->add_region().add_block();
  for (const Type& type : s.types) body.add_argument(type);
  enter(body);
  TensorList arguments;
  for (size_t i = 0; i < body.num_arguments(); ++i) {
    const Value* v = body.argument(i);
    if (i >= s.initial.size()) {
      attach(s.written[i - s.initial.size()].tensor, body.argument(i));
      continue;
    }
    arguments.push_back(meta_of(v));
    attach(arguments.back(), body.argument(i));
    born_.push_back(arguments.back());
  }
  s.carried = s.written.size();
  return arguments;
}

bool Capture::end_round(const Tensor& condition, const TensorList& next) {
  Scope& s = *scopes_.back();
  std::vector<Value*> yields{value_of(condition)};
  for (const Tensor& t : next) yields.push_back(value_of(t));
  for (size_t i = 0; i < s.carried; ++i) yields.push_back(value_of(s.written[i].tensor));
  leave(0);
  bool settled = s.written.size() == s.carried;
  for (size_t i = 0; i + 1 < yields.size(); ++i) {
    const Type now = yields[i + 1]->type();
    check_same_kind(s.types[i], now, "a loop", i, s.where);
    if (s.types[i] == now) continue;
    settled = false;
    s.types[i] = merged(s.types[i], now, *symbols_);
  }
  for (size_t i = s.carried; i < s.written.size(); ++i) {
    s.types.push_back(value_of(s.written[i].tensor)->type());
  }
  if (settled) {
    Builder(*s.op->regions()[0]->blocks()[0]).create("cf.yield", yields, {});
    return true;
  }
  s.rounds += 1;
  PADDLE_CHECK_RUNTIME(s.rounds < 8, "to_static: a loop", s.where,
                       " changes the shapes of its values in every round; keep them.");
  s.op.reset();
  return false;
}

void Capture::drop_while() {
  leave(0);
  scopes_.pop_back();
}

TensorList Capture::record_gradient(const TensorList& targets, const TensorList& inputs,
                                    const TensorList& target_gradients) {
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, scopes_.empty(),
                    "grad: gradients are taken inside of a branch or loop that is recorded; take "
                    "them after it.");
  std::vector<Value*> operands;
  std::vector<Type> types;
  for (const Tensor& t : targets) operands.push_back(value_of(t));
  const auto sources = sources_of(operands);
  std::vector<bool> connected;
  for (const Tensor& t : inputs) {
    connected.push_back(sources.contains(value_of(t)));
    if (!connected.back()) continue;
    operands.push_back(value_of(t));
    types.push_back(operands.back()->type());
  }
  const size_t num_inputs = types.size();
  for (const Tensor& t : target_gradients) {
    operands.push_back(t.defined() ? value_of(t) : nullptr);
  }
  Operation* op = builder_.create("cf.grad", operands, types,
                                  {{"targets", static_cast<int64_t>(targets.size())},
                                   {"inputs", static_cast<int64_t>(num_inputs)}});
  op->location = location_text();
  TensorList results;
  size_t next = 0;
  for (const bool is_source : connected) {
    results.emplace_back();
    if (!is_source) continue;
    Value* v = op->result(next++);
    results.back() = meta_of(v);
    attach(results.back(), v);
    born_.push_back(results.back());
  }
  return results;
}

TensorList Capture::end_while() {
  const std::unique_ptr<Scope> s = std::move(scopes_.back());
  scopes_.pop_back();
  for (const Type& type : s->types) s->op->add_result(type);
  return close_scope(*s, s->initial.size());
}

}  // namespace paddle::pir
