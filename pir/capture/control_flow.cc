// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Recording of branches and loops.
#include "pir/capture/control_flow.h"

#include <algorithm>
#include <unordered_set>

#include "paddle_core/autograd/view_sync.h"
#include "paddle_core/shape/sym.h"
#include "pir/capture/capture.h"
#include "pir/dialect/control_flow.h"

namespace paddle::pir {

ControlFlow::History ControlFlow::History::of(const Tensor& t) {
  const autograd::Meta* meta = autograd::meta_of(t);
  if (!meta) return {{}, 0, t->stop_gradient};
  return {meta->grad_fn, meta->result, t->stop_gradient};
}

void ControlFlow::History::give_to(const Tensor& t) const {
  autograd::Meta* meta = autograd::meta_of(t);
  if (grad_fn) {
    autograd::set_history(t, grad_fn, result);
  } else if (meta) {
    meta->grad_fn.reset();
  }
  if (t->stop_gradient != stop_gradient) autograd::set_stop_gradient(t, stop_gradient);
}

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

void read_nothing(Operation& op) {
  for (size_t i = 0; i < op.num_operands(); ++i) op.set_operand(i, nullptr);
  for (const auto& region : op.regions()) {
    for (const auto& block : region->blocks()) {
      for (const auto& inner : block->operations()) read_nothing(*inner);
    }
  }
}

}  // namespace

void ControlFlow::note_outer(const Tensor& t) {
  Scope& s = *scopes_.back();
  const bool known = t->capture.program == context_.id;
  if (!s.inside || (!known && !t.has_storage()) || s.noted.contains(t.impl())) return;
  if (known && is_within(values().value_of(t)->block(), s.op.get())) return;
  s.noted.insert(t.impl());
  s.log.push_back({t, t->capture, History::of(t)});
}

void ControlFlow::open_scope(const char* name, const Tensor& condition) {
  PADDLE_CHECK_RUNTIME(context_.active,
                       "to_static: control flow is recorded outside of a capture.");
  Value* v = values().value_of(condition);
  if (scopes_.empty()) synced_views_.clear();
  auto scope = std::make_unique<Scope>(context_.builder);
  scope->condition = v;
  scope->name = name;
  scope->where = location_text();
  scopes_.push_back(std::move(scope));
  context_.has_control_flow = true;
}

void ControlFlow::enter_region(Block& block) {
  Scope& s = *scopes_.back();
  s.inside = true;
  gradients().forget_constants();  // regions may be recorded again
  s.num_made = values().made().size();
  s.log.clear();
  s.noted.clear();
  context_.builder.set_end(block);
}

void ControlFlow::leave_region(size_t region) {
  Scope& s = *scopes_.back();
  s.inside = false;
  gradients().forget_constants();
  for (auto at = s.log.rbegin(); at != s.log.rend(); ++at) {
    const Tensor& t = at->tensor;
    auto* now = static_cast<Value*>(t->capture.value);
    const History history = History::of(t);
    t->capture = at->capture;
    at->history.give_to(t);
    const Value* old = values().value_of(t);
    if (now == old && history.stop_gradient && !t->stop_gradient) {  // what set_stop_gradient did
      now = context_.builder.create(std::string(kDetach), {now}, {now->type()})->result();
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
  std::erase_if(synced_views_, [&](const Tensor& t) {
    const auto* v = static_cast<Value*>(t->capture.value);
    const bool inside =
        !v || t->capture.program != context_.id || is_within(v->block(), s.op.get());
    if (inside) autograd::forget_sync(t);
    return inside;
  });
  const TensorList inner = values().take_made_from(s.num_made);
  made_in_regions_.insert(made_in_regions_.end(), inner.begin(), inner.end());
  context_.builder = s.outer;
}

void ControlFlow::begin_if(const Tensor& condition) {
  open_scope("an if", condition);
  Scope& s = *scopes_.back();
  s.op = std::make_unique<Operation>("pd_op.if", std::vector<Value*>{s.condition},
                                     std::vector<Type>{}, std::vector<NamedAttribute>{});
  for (int i = 0; i < 2; ++i) s.op->add_region().add_block();
  s.stale_before = s.stale[0] = s.stale[1] = phis().stale();
}

// A branch that is entered again goes on with what it wrote before.
void ControlFlow::enter_branch(size_t i) {
  Scope& s = *scopes_.back();
  enter_region(*s.op->regions().at(i)->blocks()[0]);
  phis().stale() = s.stale[i];
  for (const WrittenValue& w : s.written) {
    if (!w.value[i]) continue;
    values().attach(w.tensor, w.value[i]);
    w.history[i].give_to(w.tensor);
    autograd::forget_views(w.tensor);
  }
}

void ControlFlow::leave_branch(size_t i) {
  leave_region(i);
  Scope& s = *scopes_.back();
  s.stale[i] = std::exchange(phis().stale(), s.stale_before);
}

TensorList ControlFlow::end_if(const TensorList& first, const TensorList& second) {
  PADDLE_ASSERT(first.size() == second.size());
  std::vector<Value*> yields[2];
  std::vector<bool> flows(first.size(), grad_enabled());  // whether results have a history
  for (size_t b = 0; b < 2; ++b) {  // with the values of what the branch wrote
    enter_branch(b);
    for (size_t i = 0; i < first.size(); ++i) {
      const Tensor& t = b ? second[i] : first[i];
      autograd::sync_view(t);
      phis().check_not_stale(t);
      yields[b].push_back(gradients().constant_of(t, context_.builder));
      flows[i] = flows[i] || !t->stop_gradient;
    }
    leave_branch(b);
  }
  const std::unique_ptr<Scope> s = std::move(scopes_.back());
  scopes_.pop_back();
  for (const auto& stale : s->stale) phis().stale().insert(stale.begin(), stale.end());
  for (const WrittenValue& w : s->written) {
    for (int b = 0; b < 2; ++b) {
      Builder at_end(*s->op->regions()[b]->blocks()[0]);
      yields[b].push_back(w.value[b] ? w.value[b] : gradients().constant_of(w.tensor, at_end));
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
    s->op->add_result(merged(a, b, *context_.symbols));
  }
  for (size_t b = 0; b < 2; ++b) {
    Builder(*s->op->regions()[b]->blocks()[0]).create("cf.yield", yields[b], {});
  }
  return close_scope(*s, flows, first.size());
}

// Inserts the operation and gives tensors that stand for its results.
// The first `num_values` are what the branches or bodies gave; results have a history where it
// `flows`.
TensorList ControlFlow::close_scope(Scope& s, const std::vector<bool>& flows, size_t num_values) {
  s.op->location = s.where;
  Operation* op = context_.builder.insert(std::move(s.op));
  TensorList results;
  const auto node = gradients().deferred_history(true);
  if (node) node->num_results = static_cast<uint32_t>(op->num_results());
  for (size_t i = 0; i < op->num_results(); ++i) {
    Tensor t = placeholder_of(op->result(i));
    if (node) node->add_result(op->result(i));
    if (gradients().has_marks() && is_differentiable(t.dtype())) gradients().mark(op->result(i));
    values().add_made(t, op->result(i));
    if (flows[i]) gradients().set_deferred_history(t, node, i);
    if (i < num_values) {
      results.push_back(t);
    } else {
      const Tensor& target = s.written[i - num_values].tensor;
      if (target.has_storage()) writes().note(target);
      values().attach(target, op->result(i));
      autograd::forget_views(target);
      if (flows[i] && !target.has_storage()) gradients().set_deferred_history(target, node, i);
    }
  }
  return results;
}

void ControlFlow::begin_while(const Tensor& condition, const TensorList& values) {
  open_scope("a loop", condition);
  Scope& s = *scopes_.back();
  for (const Tensor& t : values) {
    autograd::sync_view(t);
    s.initial.push_back(gradients().constant_of(t, context_.builder));
    s.flows.push_back(grad_enabled() || !t->stop_gradient);
    s.types.push_back(s.initial.back()->type());
  }
}

TensorList ControlFlow::begin_body() {
  Scope& s = *scopes_.back();
  std::vector<Value*> operands{s.condition};
  operands.insert(operands.end(), s.initial.begin(), s.initial.end());
  for (const WrittenValue& w : s.written)
    operands.push_back(gradients().constant_of(w.tensor, context_.builder));
  s.op = std::make_unique<Operation>("pd_op.while", operands, std::vector<Type>{},
                                     std::vector<NamedAttribute>{});
  Block& body = s.op->add_region().add_block();
  for (const Type& type : s.types) body.add_argument(type);
  enter_region(body);
  TensorList arguments;
  const auto node = gradients().deferred_history(true);
  if (node) node->num_results = static_cast<uint32_t>(body.num_arguments());
  for (size_t i = 0; i < body.num_arguments(); ++i) {
    const Value* v = body.argument(i);
    if (i >= s.initial.size()) {
      const Tensor& written = s.written[i - s.initial.size()].tensor;
      values().attach(written, body.argument(i));
      if (node) node->add_result(body.argument(i));
      if (!written->stop_gradient && is_differentiable(written.dtype())) {
        gradients().mark(body.argument(i));
      } else if (grad_enabled() && !s.written[i - s.initial.size()].history[0].stop_gradient &&
                 !written.has_storage()) {  // bodies give it one
        gradients().set_deferred_history(written, node, i);
      }
      autograd::forget_views(written);
      continue;
    }
    arguments.push_back(placeholder_of(v));
    values().add_made(arguments.back(), body.argument(i));
    if (node) node->add_result(body.argument(i));
    if (s.flows[i]) gradients().set_deferred_history(arguments.back(), node, i);
  }
  s.carried = s.written.size();
  s.writes = false;
  s.num_stale = num_stale();
  return arguments;
}

// Tensors from outside of the body, which are stale in the next iteration from its beginning.
size_t ControlFlow::num_stale() {
  const auto& all = phis().stale();
  return static_cast<size_t>(std::count_if(
      all.begin(), all.end(), [this](const auto& s) { return phis().dominates(s.second.tensor); }));
}

// Extents that the body changes become symbols, once; whether one was added.
bool ControlFlow::widen(Type& type, const Type& now, Scope& s) {
  bool changed = false;
  Shape shape = type.shape();
  for (size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] == now.shape()[k]) continue;
    if (shape[k].is_symbolic() && s.open.contains(shape[k].symbol_id())) continue;
    shape[k] = context_.symbols->fresh();
    s.open.insert(shape[k].symbol_id());
    changed = true;
  }
  if (changed) type = Type::tensor(type.dtype(), shape, type.place());
  return changed;
}

bool ControlFlow::end_body(const Tensor& condition, const TensorList& next) {
  for (const Tensor& t : next) {
    autograd::sync_view(t);
    phis().check_not_stale(t);
  }
  Scope& s = *scopes_.back();
  std::vector<Value*> yields{values().value_of(condition)};
  for (const Tensor& t : next) yields.push_back(gradients().constant_of(t, context_.builder));
  for (size_t i = 0; i < s.carried; ++i) yields.push_back(values().value_of(s.written[i].tensor));
  bool settled = true;
  for (size_t i = 0; i < next.size(); ++i) {
    if (next[i]->stop_gradient || s.flows[i]) continue;
    s.flows[i] = true;  // the body gives a variable a history that it does not begin with
    settled = false;
  }
  leave_region(0);
  settled = settled && s.written.size() == s.carried && s.num_stale == num_stale();
  for (size_t i = 0; i + 1 < yields.size(); ++i) {
    const Type now = yields[i + 1]->type();
    check_same_kind(s.types[i], now, "a loop", i, s.where);
    settled = !widen(s.types[i], now, s) && settled;
  }
  for (size_t i = s.carried; i < s.written.size(); ++i) {
    s.types.push_back(values().value_of(s.written[i].tensor)->type());
  }
  if (settled) {
    Builder(*s.op->regions()[0]->blocks()[0]).create("cf.yield", yields, {});
    return true;
  }
  s.attempts += 1;
  PADDLE_CHECK_RUNTIME(s.attempts < 8, "to_static: a loop", s.where,
                       " changes the shapes of its values in every iteration; keep them.");
  discard(std::move(s.op));
  return false;
}

void ControlFlow::end_only_body(const Tensor& condition) {
  Scope& s = *scopes_.back();
  PADDLE_ASSERT(s.initial.empty() && s.carried == 0);
  std::vector<Value*> yields{values().value_of(condition)};
  leave_region(0);
  std::vector<Value*> operands{s.condition};
  for (const WrittenValue& w : s.written) operands.push_back(values().value_of(w.tensor));
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

TensorList ControlFlow::end_while() {
  const std::unique_ptr<Scope> s = std::move(scopes_.back());
  scopes_.pop_back();
  for (const Type& type : s->types) s->op->add_result(type);
  std::vector<bool> flows = s->flows;
  flows.resize(s->types.size(), grad_enabled());
  return close_scope(*s, flows, s->initial.size());
}

void ControlFlow::drop_while() { drop_scopes(scopes_.size() - 1); }

void ControlFlow::drop_scopes(size_t depth) {
  while (scopes_.size() > depth) {
    if (scopes_.back()->inside) leave_region(0);
    discard(std::move(scopes_.back()->op));
    scopes_.pop_back();
  }
}

// Its values stay as long as tensors may stand for them; nothing else sees them.
void ControlFlow::discard(std::unique_ptr<Operation> op) {
  if (!op) return;
  read_nothing(*op);
  discarded_.push_back(std::move(op));
}

bool ControlFlow::is_discarded(const Value* v) const {
  return std::any_of(discarded_.begin(), discarded_.end(),
                     [v](const auto& op) { return is_within(v->block(), op.get()); });
}

bool ControlFlow::is_written_in_body(const Tensor& t) {
  const Tensor memory = Phis::memories(t)[0];
  if (!values().owns(memory)) return false;
  const Value* v = values().value_of(memory);
  return v->producer() && is_within(v->block(), scopes_.back()->op.get());
}

bool ControlFlow::stands_in(const Block* block) const {
  return std::any_of(scopes_.begin(), scopes_.end(),
                     [block](const auto& s) { return &s->outer.block() == block; });
}

bool ControlFlow::is_outside_region(const Tensor& t) {
  if (scopes_.empty() || !scopes_.back()->inside) return false;
  const Scope& s = *scopes_.back();
  return !values().owns(t) || s.noted.contains(t.impl()) ||
         !is_within(values().value_of(t)->block(), s.op.get());
}

void ControlFlow::list_views() {
  outer_synced_views_ = autograd::list_synced_views(&synced_views_);
}

void ControlFlow::unlist_views() { autograd::list_synced_views(outer_synced_views_); }

void ControlFlow::end(bool installed) {
  scopes_.clear();
  if (installed) unlist_views();
  synced_views_.clear();
}

void ControlFlow::clear() {
  for (Tensor& t : made_in_regions_) {
    t->autograd.reset();
    t->capture = {};
  }
  made_in_regions_.clear();
  discarded_.clear();
  synced_views_.clear();
}

}  // namespace paddle::pir
