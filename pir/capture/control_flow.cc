// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Recording of branches and loops. A region is recorded into an operation that stands in no block
// yet; it is inserted when the types of its results are known. What a region does to tensors from
// outside of it (writes, refreshed views) is undone when it is left and becomes a result.
#include <algorithm>
#include <unordered_set>

#include "paddle_core/autograd/view_sync.h"
#include "paddle_core/shape/sym.h"
#include "pir/capture/capture.h"
#include "pir/dialect/control_flow.h"

namespace paddle::pir {

Capture::History Capture::History::of(const Tensor& t) {
  const autograd::Meta* meta = autograd::meta_of(t);
  if (!meta) return {{}, 0, t->stop_gradient};
  return {meta->grad_fn, meta->result, t->stop_gradient};
}

void Capture::History::give_to(const Tensor& t) const {
  autograd::Meta* meta = autograd::meta_of(t);
  if (grad_fn) {
    autograd::set_history(t, grad_fn, result);
  } else if (meta) {
    meta->grad_fn.reset();
  }
  if (t->stop_gradient != stop_gradient) autograd::set_stop_gradient(t, stop_gradient);
}

// What stands in the history of values that went through control flow: their gradients are an
// operation that asks autograd for them when the program runs.
class Capture::ControlFlowNode final : public autograd::Node {
 public:
  ControlFlowNode(Capture& capture, TensorList sources)
      : capture_(capture), sources_(std::move(sources)) {}
  const char* name() const override { return "control_flow"; }
  void add_result(Value* v) { results_.push_back(v); }

  void apply(const TensorList& grads, const std::vector<bool>&, TensorList& out) override {
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, capture_.scopes_.empty(),
                      "to_static: a gradient is taken inside of a branch or loop on a tensor, "
                      "through another one; take it behind them.");
    std::vector<Value*> targets, inputs, seeds;
    for (size_t i = 0; i < results_.size() && i < grads.size(); ++i) {
      if (!grads[i].defined()) continue;
      targets.push_back(results_[i]);
      seeds.push_back(capture_.value_of(grads[i]));
    }
    for (const Tensor& t : sources_) inputs.push_back(capture_.differentiated_value_of(t));
    out.assign(sources_.size(), Tensor());
    if (targets.empty()) return;
    const std::vector<Value*> gradients = capture_.gradient_of(targets, inputs, seeds);
    const auto node = capture_.history_of_control_flow();  // with create_graph they have gradients
    size_t results = 0;
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (!gradients[i]) continue;
      const Type& type = gradients[i]->type();
      out[i] = Tensor::meta(type.shape(), type.dtype(), type.place());
      capture_.attach(out[i], gradients[i]);
      capture_.born_.push_back(out[i]);
      if (!node) continue;
      node->add_result(gradients[i]);
      node->num_results = static_cast<uint32_t>(++results);
      capture_.set_control_flow_history(out[i], node, results - 1);
    }
  }

 private:
  Capture& capture_;
  TensorList sources_;
  std::vector<Value*> results_;
};

namespace {

// One type for two values; extents that differ are a new symbol.
Type merged(const Type& a, const Type& b, SymbolScope& symbols) {
  Shape shape;
  for (size_t i = 0; i < a.shape().size(); ++i) {
    shape.push_back(a.shape()[i] == b.shape()[i] ? a.shape()[i] : symbols.fresh());
  }
  return Type::tensor(a.dtype(), shape, a.place());
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

void read_nothing(Operation& op) {
  for (size_t i = 0; i < op.num_operands(); ++i) op.set_operand(i, nullptr);
  for (const auto& region : op.regions()) {
    for (const auto& block : region->blocks()) {
      for (const auto& inner : block->operations()) read_nothing(*inner);
    }
  }
}

Tensor meta_of(const Value* v) {
  return Tensor::meta(v->type().shape(), v->type().dtype(), v->type().place());
}

}  // namespace

void Capture::note_outer(const Tensor& t) {
  Scope& s = *scopes_.back();
  const bool known = t->capture.program == id_;
  if (!s.inside || (!known && !t.has_storage()) || s.noted.contains(t.impl())) return;
  if (known && is_within(value_of(t)->block(), s.op.get())) return;
  s.noted.insert(t.impl());
  s.log.push_back({t, t->capture, History::of(t)});
}

void Capture::open_scope(const char* name, const Tensor& condition) {
  PADDLE_CHECK_RUNTIME(active_, "to_static: control flow is recorded outside of a capture.");
  Value* v = value_of(condition);
  if (scopes_.empty()) synced_.clear();
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
  constants_.clear();  // regions may be recorded again
  s.born = born_.size();
  s.log.clear();
  s.noted.clear();
  builder_.set_end(block);
}

void Capture::leave(size_t region) {
  Scope& s = *scopes_.back();
  s.inside = false;
  constants_.clear();
  for (auto at = s.log.rbegin(); at != s.log.rend(); ++at) {
    const Tensor& t = at->tensor;
    auto* now = static_cast<Value*>(t->capture.value);
    const History history = History::of(t);
    t->capture = at->capture;
    at->history.give_to(t);
    const Value* old = value_of(t);
    if (now == old && history.stop_gradient && !t->stop_gradient) {  // what set_stop_gradient did
      now = builder_.create(std::string(kDetach), {now}, {now->type()})->result();
    }
    if (now == old) continue;
    autograd::forget_views(t);
    auto found = std::find_if(s.written.begin(), s.written.end(),
                              [&](const WrittenValue& w) { return w.tensor.same_impl(t); });
    if (found == s.written.end()) found = s.written.insert(found, WrittenValue{t, {}, {}});
    found->value[region] = now;
    found->history[region] = history;
  }
  s.log.clear();
  std::erase_if(synced_, [&](const Tensor& t) {
    const auto* v = static_cast<Value*>(t->capture.value);
    const bool inside = !v || t->capture.program != id_ || is_within(v->block(), s.op.get());
    if (inside) autograd::forget_sync(t);
    return inside;
  });
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
  s.stale_before = s.stale[0] = s.stale[1] = aliases_.stale;
}

// A branch that is entered again goes on with what it wrote before.
void Capture::enter_branch(size_t i) {
  Scope& s = *scopes_.back();
  enter(*s.op->regions().at(i)->blocks()[0]);
  aliases_.stale = s.stale[i];
  for (const WrittenValue& w : s.written) {
    if (!w.value[i]) continue;
    attach(w.tensor, w.value[i]);
    w.history[i].give_to(w.tensor);
    autograd::forget_views(w.tensor);
  }
}

void Capture::leave_branch(size_t i) {
  leave(i);
  Scope& s = *scopes_.back();
  s.stale[i] = std::exchange(aliases_.stale, s.stale_before);
}

TensorList Capture::end_if(const TensorList& first, const TensorList& second) {
  PADDLE_ASSERT(first.size() == second.size());
  std::vector<Value*> yields[2];
  std::vector<bool> flows(first.size(), grad_enabled());  // whether results have a history
  for (size_t b = 0; b < 2; ++b) {  // with the values of what the branch wrote
    enter_branch(b);
    for (size_t i = 0; i < first.size(); ++i) {
      const Tensor& t = b ? second[i] : first[i];
      autograd::sync_view(t);
      check_not_stale(t);
      yields[b].push_back(constant_of(t, builder_));
      flows[i] = flows[i] || !t->stop_gradient;
    }
    leave_branch(b);
  }
  const std::unique_ptr<Scope> s = std::move(scopes_.back());
  scopes_.pop_back();
  for (const auto& stale : s->stale) aliases_.stale.insert(stale.begin(), stale.end());
  for (const WrittenValue& w : s->written) {
    for (int b = 0; b < 2; ++b) {
      Builder at_end(*s->op->regions()[b]->blocks()[0]);
      yields[b].push_back(w.value[b] ? w.value[b] : constant_of(w.tensor, at_end));
    }
  }
  for (const WrittenValue& w : s->written) {
    const auto stops = [&](int b) {
      return w.value[b] ? w.history[b].stop_gradient : w.tensor->stop_gradient;
    };
    flows.push_back(grad_enabled() && (!stops(0) || !stops(1)));
    if (stops(0) && stops(1) && !w.tensor->stop_gradient) {
      autograd::set_stop_gradient(w.tensor, true);
    }
  }
  for (size_t i = 0; i < yields[0].size(); ++i) {
    const Type &a = yields[0][i]->type(), &b = yields[1][i]->type();
    check_same_kind(a, b, "an if", i, s->where);
    s->op->add_result(merged(a, b, *symbols_));
  }
  for (size_t b = 0; b < 2; ++b) {
    Builder(*s->op->regions()[b]->blocks()[0]).create("cf.yield", yields[b], {});
  }
  return close_scope(*s, flows, first.size());
}

// Inserts the operation and gives tensors that stand for its results.
// The first `values` are what the branches or rounds gave; results have a history where it `flows`.
TensorList Capture::close_scope(Scope& s, const std::vector<bool>& flows, size_t values) {
  s.op->location = s.where;
  Operation* op = builder_.insert(std::move(s.op));
  TensorList results;
  const auto node = history_of_control_flow(true);
  if (node) node->num_results = static_cast<uint32_t>(op->num_results());
  for (size_t i = 0; i < op->num_results(); ++i) {
    Tensor t = meta_of(op->result(i));
    if (node) node->add_result(op->result(i));
    if (!differentiated_.empty() && is_differentiable(t.dtype())) {
      differentiated_.insert(op->result(i));
    }
    attach(t, op->result(i));
    born_.push_back(t);
    if (flows[i]) set_control_flow_history(t, node, i);
    if (i < values) {
      results.push_back(t);
    } else {
      const Tensor& target = s.written[i - values].tensor;
      if (target.has_storage()) written_.emplace(target.impl(), Written{target});
      attach(target, op->result(i));
      autograd::forget_views(target);
      if (flows[i] && !target.has_storage()) set_control_flow_history(target, node, i);
    }
  }
  return results;
}

void Capture::set_control_flow_history(const Tensor& t, const IntrusivePtr<ControlFlowNode>& node,
                                       size_t i) {
  if (!node || !is_differentiable(t.dtype())) return;
  differentiated_.insert(static_cast<Value*>(t->capture.value));
  t->stop_gradient = false;
  autograd::set_history(t, autograd::NodePtr::share(node.get()), static_cast<uint32_t>(i));
}

void Capture::give_history_of_run(const OpDef& op, const Outputs& results) {
  leave_gradients_to_run();
  const auto node = history_of_control_flow(true);
  if (!node) return;
  node->num_results = static_cast<uint32_t>(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const Tensor& t = results[i];
    node->add_result(t.defined() ? static_cast<Value*>(t->capture.value) : nullptr);
    const bool differentiated = i >= 32 || !((op.nondiff_results >> i) & 1u);
    if (t.defined() && differentiated) set_control_flow_history(t, node, i);
  }
}

// A node behind everything that needs a gradient; null when nothing does.
IntrusivePtr<Capture::ControlFlowNode> Capture::history_of_control_flow(bool under_no_grad) {
  if (!grad_enabled() && !under_no_grad) return {};
  TensorList sources;
  for (const Tensor& t : inputs_) {
    if (!t->stop_gradient) sources.push_back(t);
  }
  for (const CapturedInput& c : result_->captured) {
    if (c.tensor.defined() && !c.tensor->stop_gradient) sources.push_back(c.tensor);
  }
  for (const Tensor& t : leaves_made_) {
    if (!t->stop_gradient) sources.push_back(t);
  }
  if (sources.empty()) return {};
  auto node = IntrusivePtr<ControlFlowNode>::adopt(new ControlFlowNode(*this, sources));
  for (const Tensor& t : sources) {
    node->edges.push_back(autograd::edge_of(t));
    node->edge_info.push_back({nullptr, t.dtype()});
  }
  return node;
}

// Tensors that stand for the results of a call whose gradients are those of the recorded run.
TensorList Capture::results_of(Operation& call, const TensorList& like) {
  TensorList results;
  const auto node = history_of_control_flow();
  if (node) node->num_results = static_cast<uint32_t>(call.num_results());
  for (size_t i = 0; i < call.num_results(); ++i) {
    if (node) node->add_result(call.result(i));
    results.push_back(meta_of(call.result(i)));
    attach(results.back(), call.result(i));
    born_.push_back(results.back());
    if (!like[i]->stop_gradient) set_control_flow_history(results.back(), node, i);
  }
  return results;
}

void Capture::begin_while(const Tensor& condition, const TensorList& values) {
  open_scope("a loop", condition);
  Scope& s = *scopes_.back();
  for (const Tensor& t : values) {
    autograd::sync_view(t);
    s.initial.push_back(constant_of(t, builder_));
    s.flows.push_back(grad_enabled() || !t->stop_gradient);
    s.types.push_back(s.initial.back()->type());
  }
}

TensorList Capture::begin_round() {
  Scope& s = *scopes_.back();
  std::vector<Value*> operands{s.condition};
  operands.insert(operands.end(), s.initial.begin(), s.initial.end());
  for (const WrittenValue& w : s.written) operands.push_back(constant_of(w.tensor, builder_));
  s.op = std::make_unique<Operation>("pd_op.while", operands, std::vector<Type>{},
                                     std::vector<NamedAttribute>{});
  Block& body = s.op->add_region().add_block();
  for (const Type& type : s.types) body.add_argument(type);
  enter(body);
  TensorList arguments;
  const auto node = history_of_control_flow(true);
  if (node) node->num_results = static_cast<uint32_t>(body.num_arguments());
  for (size_t i = 0; i < body.num_arguments(); ++i) {
    const Value* v = body.argument(i);
    if (i >= s.initial.size()) {
      const Tensor& written = s.written[i - s.initial.size()].tensor;
      attach(written, body.argument(i));
      if (node) node->add_result(body.argument(i));
      if (!written->stop_gradient && is_differentiable(written.dtype())) {
        differentiated_.insert(body.argument(i));
      } else if (grad_enabled() && !s.written[i - s.initial.size()].history[0].stop_gradient &&
                 !written.has_storage()) {  // rounds give it one
        set_control_flow_history(written, node, i);
      }
      autograd::forget_views(written);
      continue;
    }
    arguments.push_back(meta_of(v));
    attach(arguments.back(), body.argument(i));
    born_.push_back(arguments.back());
    if (node) node->add_result(body.argument(i));
    if (s.flows[i]) set_control_flow_history(arguments.back(), node, i);
  }
  s.carried = s.written.size();
  s.writes = false;
  s.num_stale = num_stale();
  return arguments;
}

// Tensors from outside of the round, which are stale in the next one from its beginning.
size_t Capture::num_stale() {
  const auto& all = aliases_.stale;
  return static_cast<size_t>(std::count_if(
      all.begin(), all.end(), [this](const auto& s) { return stood_before(s.second.tensor); }));
}

// Extents that a round changes become symbols, once; whether one was added.
bool Capture::widen(Type& type, const Type& now, Scope& s) {
  bool changed = false;
  Shape shape = type.shape();
  for (size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] == now.shape()[k]) continue;
    if (shape[k].is_symbolic() && s.open.contains(shape[k].symbol_id())) continue;
    shape[k] = symbols_->fresh();
    s.open.insert(shape[k].symbol_id());
    changed = true;
  }
  if (changed) type = Type::tensor(type.dtype(), shape, type.place());
  return changed;
}

bool Capture::end_round(const Tensor& condition, const TensorList& next) {
  for (const Tensor& t : next) {
    autograd::sync_view(t);
    check_not_stale(t);
  }
  Scope& s = *scopes_.back();
  std::vector<Value*> yields{value_of(condition)};
  for (const Tensor& t : next) yields.push_back(constant_of(t, builder_));
  for (size_t i = 0; i < s.carried; ++i) yields.push_back(value_of(s.written[i].tensor));
  bool settled = true;
  for (size_t i = 0; i < next.size(); ++i) {
    if (next[i]->stop_gradient || s.flows[i]) continue;
    s.flows[i] = true;  // rounds give a variable a history that it does not begin with
    settled = false;
  }
  leave(0);
  settled = settled && s.written.size() == s.carried && s.num_stale == num_stale();
  for (size_t i = 0; i + 1 < yields.size(); ++i) {
    const Type now = yields[i + 1]->type();
    check_same_kind(s.types[i], now, "a loop", i, s.where);
    settled = !widen(s.types[i], now, s) && settled;
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
  discard(std::move(s.op));
  return false;
}

void Capture::end_only_round(const Tensor& condition) {
  Scope& s = *scopes_.back();
  PADDLE_ASSERT(s.initial.empty() && s.carried == 0);
  std::vector<Value*> yields{value_of(condition)};
  leave(0);
  std::vector<Value*> operands{s.condition};
  for (const WrittenValue& w : s.written) operands.push_back(value_of(w.tensor));
  auto op = std::make_unique<Operation>("pd_op.while", operands, std::vector<Type>{},
                                        std::vector<NamedAttribute>{});
  Block& body = op->add_region().add_block();
  Block& recorded = *s.op->regions()[0]->blocks()[0];
  while (!recorded.operations().empty()) {
    body.move(recorded.operations().front().get(), body.operations().end());
  }
  for (size_t i = 0; i < s.written.size(); ++i) {
    Value *before = operands[i + 1], *now = s.written[i].value[0];
    check_same_kind(before->type(), now->type(), "a loop", i, s.where);
    PADDLE_CHECK_VALUE(before->type() == now->type(), "While: the block", s.where,
                       " gives a variable of type ", before->type(), " a value of type ",
                       now->type(), "; keep its shape, or use while_loop.");
    Value* argument = body.add_argument(before->type());
    const std::vector<Use> uses(before->uses().begin(), before->uses().end());
    for (const Use& use : uses) {
      if (is_within(use.op->block(), op.get())) use.op->set_operand(use.index, argument);
    }
    yields.push_back(now);
    s.types.push_back(before->type());
  }
  for (size_t i = 0; i < s.written.size(); ++i) {
    std::replace(yields.begin(), yields.end(), operands[i + 1], body.argument(i));
  }
  Builder(body).create("cf.yield", yields, {});
  s.op = std::move(op);
}

void Capture::drop_while() { drop_scopes(scopes_.size() - 1); }

void Capture::drop_scopes(size_t depth) {
  while (scopes_.size() > depth) {
    if (scopes_.back()->inside) leave(0);
    discard(std::move(scopes_.back()->op));
    scopes_.pop_back();
  }
}

// Its values stay as long as tensors may stand for them; nothing else sees them.
void Capture::discard(std::unique_ptr<Operation> op) {
  if (!op) return;
  read_nothing(*op);
  discarded_.push_back(std::move(op));
}

bool Capture::is_discarded(const Value* v) const {
  return std::any_of(discarded_.begin(), discarded_.end(),
                     [v](const auto& op) { return is_within(v->block(), op.get()); });
}

TensorList Capture::record_gradient(const TensorList& targets, const TensorList& inputs,
                                    const TensorList& target_gradients) {
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, scopes_.empty(),
                    "grad: gradients are taken inside of a branch or loop that is recorded; take "
                    "them after it.");
  std::vector<Value*> operands, wanted, seeds;
  for (const Tensor& t : targets) operands.push_back(value_of(t));
  for (const Tensor& t : inputs) wanted.push_back(value_of(t));
  for (const Tensor& t : target_gradients) seeds.push_back(t.defined() ? value_of(t) : nullptr);
  TensorList results;
  for (Value* v : gradient_of(operands, wanted, seeds)) {
    results.emplace_back();
    if (!v) continue;
    results.back() = meta_of(v);
    attach(results.back(), v);
    born_.push_back(results.back());
  }
  return results;
}

// Null for inputs that take no part.
std::vector<Value*> Capture::gradient_of(const std::vector<Value*>& targets,
                                         const std::vector<Value*>& inputs,
                                         const std::vector<Value*>& seeds) {
  std::vector<Value*> operands = targets;
  std::vector<Type> types;
  const auto sources = sources_of(targets);
  for (Value* v : inputs) {
    if (!sources.contains(v)) continue;
    operands.push_back(v);
    types.push_back(v->type());
  }
  const size_t count = types.size();
  operands.insert(operands.end(), seeds.begin(), seeds.end());
  Operation* op = builder_.create("cf.grad", operands, types,
                                  {{"targets", static_cast<int64_t>(targets.size())},
                                   {"inputs", static_cast<int64_t>(count)},
                                   {"create_graph", grad_enabled()}});
  op->location = location_text();
  result_->has_gradient = true;
  std::vector<Value*> results;
  size_t next = 0;
  for (const Value* v : inputs)
    results.push_back(sources.contains(v) ? op->result(next++) : nullptr);
  return results;
}

std::optional<Dim> Capture::extent_from(const Tensor& t) {
  if (t.has_storage() || t->capture.program != id_) return std::nullopt;
  if (Dim known; extent_of(t, known)) return known;
  const bool integral = !is_floating(t.dtype()) && !is_complex(t.dtype()) && !is_bool(t.dtype());
  if (!active_ || !integral) return std::nullopt;
  if (!is_static(t.shape()) || t.numel() != 1) return std::nullopt;
  return number_of(t);
}

TensorList Capture::end_while() {
  const std::unique_ptr<Scope> s = std::move(scopes_.back());
  scopes_.pop_back();
  for (const Type& type : s->types) s->op->add_result(type);
  std::vector<bool> flows = s->flows;
  flows.resize(s->types.size(), grad_enabled());
  return close_scope(*s, flows, s->initial.size());
}

}  // namespace paddle::pir
