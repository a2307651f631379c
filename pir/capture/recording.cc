// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of recorded programs.
#include "pir/capture/recording.h"

#include <algorithm>

#include "paddle_core/op/op_def.h"
#include "pir/capture/copier.h"
#include "pir/dialect/control_flow.h"
#include "pir/dialect/effects.h"
#include "pir/transform/transform.h"

namespace paddle::pir {
namespace {

// Prints and the like, which no value needs.
bool acts_outside(const Operation& op) {
  for (const auto& region : op.regions()) {
    for (const auto& block : region->blocks()) {
      for (const auto& inner : block->operations()) {
        if (acts_outside(*inner)) return op.num_results() > 0;
      }
    }
  }
  return op.num_results() > 0 && op.def && op.def->has(kSideEffect) && !op.def->is_native_inplace();
}

// Also in branches and loops; null when there is none.
Operation* operation_in(const Block& block, const void* op) {
  for (const auto& own : block.operations()) {
    if (own.get() == op) return own.get();
    for (const auto& region : own->regions()) {
      for (const auto& inner : region->blocks()) {
        if (Operation* found = operation_in(*inner, op)) return found;
      }
    }
  }
  return nullptr;
}

bool reads_symbols(const Operation& op) {
  for (const auto& region : op.regions()) {
    for (const auto& block : region->blocks()) {
      for (const auto& inner : block->operations()) {
        if (reads_symbols(*inner)) return true;
      }
    }
  }
  return std::any_of(op.attributes().begin(), op.attributes().end(), [](const NamedAttribute& a) {
    return a.second.is(Attribute::Kind::kIntArray) && !is_static(a.second.get<Shape>());
  });
}

// Extents that tensors give their values when the program runs: operations read them by attributes,
// so they are kept where an operation does and what they are computed from is fed.
void need_extents(const Block& block, const Operations& unfed, Operations& needed) {
  const bool read = std::any_of(needed.begin(), needed.end(),
                                [](const Operation* op) { return reads_symbols(*op); });
  if (!read) return;
  for (const auto& op : block.operations()) {
    if (!op->is(kExtent)) continue;
    const Operations sources = needed_by({op->operand(0)});
    const bool known = std::none_of(sources.begin(), sources.end(),
                                    [&](const Operation* s) { return unfed.contains(s); });
    if (!known) continue;
    needed.insert(op.get());
    needed.insert(sources.begin(), sources.end());
  }
}

// Constants of which a gradient is wanted are variables: passes must not compute with them.
void keep_variables(Block& block) {
  std::vector<Value*> wanted;
  for (const auto& op : block.operations()) {
    if (!is_gradient(*op)) continue;
    const auto first = static_cast<size_t>(op->attribute("targets").get<int64_t>());
    const auto count = static_cast<size_t>(op->attribute("inputs").get<int64_t>());
    for (size_t i = first; i < first + count && i < op->num_operands(); ++i) {
      Value* v = op->operand(i);
      const bool known = std::find(wanted.begin(), wanted.end(), v) != wanted.end();
      if (v && v->producer() && is_constant(*v->producer()) && !known) wanted.push_back(v);
    }
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    Value* v = wanted[i];
    const std::vector<NamedAttribute> own{{"variable", static_cast<int64_t>(i)}};
    Operation* variable =
        block.insert(std::next(v->producer()->position()),
                     std::make_unique<Operation>(std::string(kDetach), std::vector<Value*>{v},
                                                 std::vector<Type>{v->type()}, own));
    v->replace_all_uses_with(variable->result());
    variable->set_operand(0, v);
  }
}

Tensor bound_tensor(const Tensor& t, const BoundTensors& bound) {
  const auto found = t.defined() ? bound.find(t.impl()) : bound.end();
  return found == bound.end() ? t : found->second;
}

}  // namespace

Tensor Recording::data(const std::string& name, const std::vector<int64_t>& shape, DType dtype,
                       bool stop_gradient) {
  PADDLE_CHECK_RUNTIME(capture_.active(), "data: the program is not being recorded.");
  PADDLE_CHECK_VALUE(
      std::find(input_names_.begin(), input_names_.end(), name) == input_names_.end(),
      "data: name has value ", name, "; the program has an input of that name.");
  Tensor t = capture_.values().add_input(name, shape, dtype, stop_gradient);
  t->name = new std::string(name);
  input_names_.push_back(name);
  return t;
}

Operation* Recording::operation_at(const void* op) {
  Operation* found = operation_in(capture_.recorded().program->block(), op);
  PADDLE_CHECK_VALUE(found, "Block: the program has no such operator (any more).");
  return found;
}

void Recording::remove(const void* which) {
  Operation* op = operation_at(which);
  PADDLE_CHECK_VALUE(!op->used(), "Block.remove_op: a result of ", op->name(),
                     " is still read; remove the operators that read it first.");
  if (op->num_results() == 0) capture_.writes().forget_state(*op);
  auto& ops = op->block()->operations();
  const Operation* before =
      op->position() == ops.begin() ? nullptr : std::prev(op->position())->get();
  for (auto at = gradients_.begin(); at != gradients_.end();) {
    if (at->last == op) at->last = before;
    for (Value*& v : at->results) {
      if (v && v->producer() == op) v = nullptr;
    }
    at = at->last ? std::next(at) : gradients_.erase(at);
  }
  for (size_t i = 0; i < op->num_operands(); ++i) op->set_operand(i, nullptr);
  removed_.block().move(op, removed_.block().operations().end());
}

void Recording::move(const void* op, const void* before) {
  Operation *moved = operation_at(op), *behind = operation_at(before);
  behind->block()->move(moved, behind->position());
}

void Recording::set_attribute(const void* op, const std::string& name, Attribute value) {
  operation_at(op)->set_attribute(name, std::move(value));
}

void Recording::rename_state(const std::string& from, const std::string& to) {
  for (const auto& op : capture_.recorded().program->block().operations()) {
    for (const char* name : {"parameter_name", "output_name"}) {
      const Attribute* known = op->num_results() ? nullptr : op->find_attribute(name);
      if (known && known->get<std::string>() == from) op->set_attribute(name, to);
    }
  }
}

void Recording::record_before(const void* op) {
  capture_.set_insertion_point(op ? operation_at(op) : nullptr);
}

void Recording::replace_uses(const Tensor& from, const Tensor& to) {
  capture_.values().replace_uses(capture_.values().value_of(from), capture_.values().value_of(to));
}

size_t Recording::remove_unused() {
  size_t removed = 0;
  auto& ops = capture_.recorded().program->block().operations();
  std::unordered_set<const Value*> written;
  for (const CapturedWrite& w : capture_.writes().current()) written.insert(w.value);
  const auto is_written = [&](const Operation& op) {
    for (size_t i = 0; i < op.num_results(); ++i) {
      if (written.contains(op.result(i))) return true;
    }
    return false;
  };
  for (auto at = ops.end(); at != ops.begin();) {
    Operation* op = (--at)->get();
    const bool kept = op->num_results() == 0 || op->used() || acts_outside(*op) ||
                      is_written(*op) || op->is("pd_op.data") || op->is("builtin.parameter");
    if (kept) continue;
    ++at;
    remove(op);
    ++removed;
  }
  return removed;
}

void Recording::name_output(const Tensor& value, const std::string& name, const void* before) {
  record_before(before);
  capture_.name_output(value, name);
  record_before(nullptr);
}

Tensor Recording::tensor_of(const Value* v) {
  const TensorList& made = capture_.values().made();
  for (; known_made_ < made.size(); ++known_made_) {
    const Tensor& t = made[known_made_];
    if (t->capture.value) by_value_.emplace(static_cast<const Value*>(t->capture.value), t);
  }
  const auto found = by_value_.find(v);
  if (found != by_value_.end()) return found->second;
  for (const CapturedInput& c : capture_.recorded().captured) {
    const bool last = c.tensor.defined() && c.tensor->capture.value == v;
    if (c.value == v || last) return c.tensor;
  }
  Tensor t = capture_.values().stand_in(const_cast<Value*>(v));
  by_value_.emplace(v, t);
  ++known_made_;
  return t;
}

void Recording::note_gradient(const TensorList& targets, const TensorList& inputs,
                              const TensorList& seeds, const TensorList& results) {
  const auto values = [this](const TensorList& list) {
    std::vector<Value*> out;
    for (const Tensor& t : list)
      out.push_back(t.defined() ? capture_.values().value_of(t) : nullptr);
    return out;
  };
  RecordedGradient made{nullptr, values(targets), values(inputs), values(seeds), values(results)};
  made.last = capture_.recorded().program->block().operations().back().get();
  gradients_.push_back(std::move(made));
}

std::unique_ptr<Captured> Recording::compile(const std::vector<std::string>& feeds,
                                             const TensorList& fetches, const Wanted& wanted,
                                             const BoundTensors& bound) {
  std::vector<Value*> fetched;
  for (const Tensor& t : fetches) {
    PADDLE_CHECK_VALUE(capture_.values().knows(t),
                       "Executor.run: a fetched variable belongs to another program, or was "
                       "recorded after this one was cloned; fetch it from its own program.");
    fetched.push_back(capture_.values().value_of(t));
    PADDLE_CHECK_VALUE(fetched.back()->block() != &removed_.block(),
                       "Executor.run: the operator that gives a fetched variable was removed.");
  }
  const Captured& all = capture_.recorded();
  auto made = std::make_unique<Captured>();
  made->program = std::make_unique<Program>();
  made->program->keep_symbols_of(*all.program);
  Copier copier(*made->program);
  std::vector<Value*> effects;
  made->as_fed = wanted.as_fed;
  auto gradient = gradients_.begin();
  for (const auto& op : all.program->block().operations()) {
    Operation* copy = copier.copy(*op);
    if (wanted.for_test) set_to_inference(*copy);
    if (wanted.with_effects && acts_outside(*copy)) effects.push_back(copy->result());
    for (; gradient != gradients_.end() && gradient->last == op.get(); ++gradient) {
      if (made->as_fed) copier.take_when_run(*gradient);
    }
  }
  std::vector<Value*> roots = effects;
  for (Value* v : fetched) {
    Value* copy = copier.of(v);
    copy->stop_gradient = true;
    made->outputs.push_back(copy);
    roots.push_back(copy);
  }
  if (wanted.with_writes) {
    for (CapturedWrite w : capture_.writes().current()) {
      w.value = copier.of(w.value);
      w.target = bound_tensor(w.target, bound);
      made->writes.push_back(w);
      roots.push_back(w.value);
    }
  }
  const Operations computed = needed_by(roots);
  for (size_t i = 0; i < input_names_.size(); ++i) {
    const Value* copy = copier.of(all.inputs[i]);
    const bool fed = std::find(feeds.begin(), feeds.end(), input_names_[i]) != feeds.end();
    PADDLE_CHECK_KIND(ErrorKind::kKey, fed || !copy || !computed.contains(copy->producer()),
                      "Executor.run: the program reads ", input_names_[i],
                      ", which is not fed; add it to feed.");
  }
  for (const std::string& name : feeds) {
    const auto at = std::find(input_names_.begin(), input_names_.end(), name);
    Value* copy = at == input_names_.end()
                      ? nullptr
                      : copier.of(all.inputs[static_cast<size_t>(at - input_names_.begin())]);
    PADDLE_CHECK_VALUE(copy, "Executor.run: feed has ", name,
                       "; the program has no input of that name.");
    made->inputs.push_back(copy);
    roots.push_back(copy);
  }
  Operations needed = needed_by(roots), unfed;
  for (size_t i = 0; i < input_names_.size(); ++i) {
    const Value* copy = copier.of(all.inputs[i]);
    if (copy && !needed.contains(copy->producer())) unfed.insert(copy->producer());
  }
  need_extents(made->program->block(), unfed, needed);
  for (const CapturedInput& c : all.captured) {
    CapturedInput mine = c;
    mine.value = copier.of(c.value);
    mine.tensor = bound_tensor(c.tensor, bound);
    if (mine.value && needed.contains(mine.value->producer())) made->captured.push_back(mine);
  }
  keep_only(made->program->block(), needed);
  for (const auto& op : made->program->block().operations()) {
    made->has_gradient = made->has_gradient || is_gradient(*op);
  }
  if (made->has_gradient) keep_variables(made->program->block());
  made->facts = capture_.current_facts();
  made->num_forward = made->program->num_operations();
  made->output_grads.assign(made->outputs.size(), nullptr);
  return made;
}

}  // namespace paddle::pir
