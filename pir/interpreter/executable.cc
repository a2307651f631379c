// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Splitting a captured function into forward and backward, running both, applying writes. Programs
// with control flow have no backward part: their operators are recorded by autograd as they run.
#include "pir/interpreter/executable.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/autograd/gradient_sink.h"
#include "paddle_core/autograd/node.h"
#include "pir/compiler_door/compiler_library.h"
#include "pir/dialect/control_flow.h"
#include "pir/interpreter/fused_forward.h"

namespace paddle::pir {

namespace {

// The most bytes of state that a call keeps as it found them.
constexpr size_t kStateLimit = 1 << 20;

Tensor fresh_copy(const Tensor& t) {
  Tensor copy = Tensor::empty(t.shape(), t.dtype(), t.place());
  copy.copy_data_from(t);
  return copy;
}

// A copy that keeps the history of `t`.
Tensor identity(const Tensor& t) {
  const Slot slots[] = {Slot::of(t)};
  Outputs outs;
  call(Registry::global().at("assign"), slots, outs);
  return outs[0];
}

}  // namespace

namespace {

// No run is recorded: nothing has a gradient to stop or to keep.
void drop_detach(Captured& c) {
  const auto is_for_gradients = [](const Operation* op) {
    return op && (op->is(kDetach) || op->is(kWithHistory));
  };
  const auto plain = [&](Value*& v) {
    while (v && is_for_gradients(v->producer())) v = v->producer()->operand(0);
  };
  for (Value*& v : c.outputs) plain(v);
  for (auto* list : {&c.writes, &c.grads, &c.created}) {
    for (CapturedWrite& w : *list) plain(w.value);
  }
  for (auto& [position, v] : c.input_writes) plain(v);
  auto& ops = c.program->block().operations();
  for (auto at = ops.begin(); at != ops.end();) {
    Operation* op = (at++)->get();
    if (!is_for_gradients(op)) continue;
    op->result()->replace_all_uses_with(op->operand(0));
    c.program->block().erase(op);
  }
}

// Whether the value was made in the memory of the target.
bool is_same_memory(const Tensor& value, const Tensor& target) {
  return value.same_impl(target) ||
         (value.has_storage() && value.shares_storage(target) && value->offset == target->offset &&
          value.strides() == target.strides());
}

}  // namespace

// The recorded call of a captured function.
class ProgramNode final : public autograd::Node {
 public:
  std::shared_ptr<Executable> program;
  TensorList saved;
  std::vector<uint32_t> versions;
  std::vector<autograd::ResultInfo> outputs;
  SymbolValues symbols;
  TensorList given;  // inputs with their history, for higher derivatives
  std::vector<uint32_t> given_versions;
  StateBefore state;
  DrawLog draws;  // of the run

  const char* name() const override { return "captured_program"; }

  void release_saved() override {
    saved.clear();
    given.clear();
    state.values.clear();
  }

  void apply(const TensorList& grads, const std::vector<bool>&, TensorList& out) override {
    PADDLE_CHECK_RUNTIME(!is_freed(),
                         "backward: the graph of this captured function was freed by an earlier "
                         "backward; call backward(retain_graph=True) the first time.");
    for (size_t i = 0; i < saved.size(); ++i) {
      PADDLE_CHECK_RUNTIME(
          !saved[i].defined() || saved[i]->storage->inplace_version() == versions[i],
          "backward: a tensor of shape ", saved[i].shape(),
          " that the captured function saved was changed in place afterwards; clone() it before "
          "the write.");
    }
    if (grad_enabled()) return apply_recorded(grads, out);
    TensorList inputs = saved;
    const Captured& c = program->captured();
    for (size_t k = 0; k < c.outputs.size(); ++k) {
      if (!c.output_grads[k]) continue;
      const bool given = k < grads.size() && grads[k].defined();
      inputs.push_back(given ? grads[k]
                             : Tensor::full(outputs[k].shape, Scalar(0.0), outputs[k].dtype,
                                            c.outputs[k]->type().place()));
    }
    SymbolValues bound = symbols;
    out = program->backward_->run(inputs, &bound);
  }

 private:
  // The program runs again under autograd, on inputs that are nodes of their own, so that a path
  // from one input to another outside the program does not count.
  void apply_recorded(const TensorList& grads, TensorList& out) {
    const Captured& c = program->captured();
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, !state.lost_bytes,
                      "grad: higher derivatives of a captured function that writes into state of ",
                      state.lost_bytes,
                      " bytes, or into what gets a gradient, are not available; call it without "
                      "to_static.");
    TensorList inputs = given, wanted, results, seeds;
    for (const auto& [i, value] : state.values) inputs[i] = fresh_copy(value);
    for (size_t i = 0; i < inputs.size(); ++i) {
      PADDLE_CHECK_RUNTIME(
          !inputs[i].defined() || !inputs[i].shares_storage(given[i]) ||
              inputs[i]->storage->inplace_version() == given_versions[i],
          "grad: higher derivatives run the captured function again, but a tensor of shape ",
          inputs[i].shape(),
          " that it reads was changed in place afterwards; call the function without to_static.");
      if (inputs[i].defined() && !inputs[i]->stop_gradient) inputs[i] = identity(inputs[i]);
    }
    for (const int position : c.grad_inputs) {
      wanted.push_back(
          inputs[position >= 0 ? static_cast<size_t>(position)
                               : c.inputs.size() + static_cast<size_t>(-1 - position)]);
    }
    const TensorList again = program->replay(inputs, symbols, draws);
    for (size_t k = 0; k < again.size(); ++k) {
      if (!c.output_grads[k] || k >= grads.size() || !grads[k].defined()) continue;
      if (again[k]->stop_gradient) continue;
      results.push_back(again[k]);
      seeds.push_back(grads[k]);
    }
    out.assign(wanted.size(), Tensor());
    if (!results.empty()) out = autograd::grad(results, wanted, seeds, true, true, true, {});
  }
};

Executable::Executable(std::unique_ptr<Captured> captured) : captured_(std::move(captured)) {
  reusable_ = captured_->created.empty();
  if (reusable_ && !compiler_wanted()) {
    if (auto fused = with_fused_forward(*captured_)) captured_ = std::move(fused);
  }
  Captured& c = *captured_;
  if (!c.has_control_flow && !c.has_gradient && c.input_grads.empty()) drop_detach(c);
  if (reusable_ && !captured_->for_export && !captured_->as_fed) optimize(*captured_);
  build();
}

void Executable::build() {
  Captured& c = *captured_;
  std::vector<const Operation*> forward, backward;
  std::unordered_set<const Value*> early;
  for (const Value* v : c.inputs) early.insert(v);
  for (const CapturedInput& in : c.captured) early.insert(in.value);
  size_t position = 0;
  std::unordered_set<const Value*> saved;
  for (const auto& op : c.program->block().operations()) {
    if (position++ < c.num_forward || c.input_grads.empty()) {
      forward.push_back(op.get());
      const bool constant = op->is("pd_op.full_int_array") || op->is("builtin.constant");
      if (constant) backward.push_back(op.get());
      for (size_t k = 0; !constant && k < op->num_results(); ++k) early.insert(op->result(k));
      continue;
    }
    backward.push_back(op.get());
    for (Value* v : op->operands()) {
      if (!v || !early.contains(v) || saved.contains(v)) continue;
      saved.insert(v);
      saved_.push_back(v);
    }
  }
  std::vector<Value*> inputs = c.inputs;
  for (const CapturedInput& in : c.captured) inputs.push_back(in.value);
  std::vector<Value*> results = c.outputs;
  for (const auto* list : {&c.writes, &c.grads, &c.created}) {
    for (const CapturedWrite& w : *list) results.push_back(w.value);
    if (list != &c.writes) continue;
    for (const auto& [i, value] : c.input_writes) results.push_back(value);
  }
  results.insert(results.end(), saved_.begin(), saved_.end());
  forward_ = std::make_unique<Interpreter>(forward, inputs, results, state_writes());
  if (c.input_grads.empty()) return;
  std::vector<Value*> backward_inputs = saved_;
  for (Value* v : c.output_grads) {
    if (v) backward_inputs.push_back(v);
  }
  backward_ = std::make_unique<Interpreter>(backward, backward_inputs, c.input_grads);
  std::vector<Value*> plain = c.inputs;
  for (const CapturedInput& in : c.captured) plain.push_back(in.value);
  recorded_ = std::make_unique<Interpreter>(forward, plain, c.outputs);
}

// Which results of the forward part are written into which of its inputs.
std::vector<Interpreter::StateWrite> Executable::state_writes() const {
  const Captured& c = *captured_;
  std::unordered_map<const TensorImpl*, size_t> captured;
  for (size_t i = 0; i < c.captured.size(); ++i) {
    if (c.captured[i].tensor.defined()) captured.emplace(c.captured[i].tensor.impl(), i);
  }
  std::vector<Interpreter::StateWrite> state;
  size_t result = c.outputs.size();
  for (const CapturedWrite& w : c.writes) {
    const auto at = captured.find(w.target.impl());
    if (!w.grad_of.defined() && at != captured.end()) {
      state.push_back({c.inputs.size() + at->second, result});
    }
    ++result;
  }
  for (const auto& [position, value] : c.input_writes) state.push_back({position, result++});
  return state;
}

TensorList Executable::replay(const TensorList& given, SymbolValues symbols, DrawLog draws) {
  const DrawLogScope scope(draws, DrawLogScope::Mode::kReplay);
  return recorded_->run_recorded(given, &symbols);
}

TensorList Executable::write_targets(const TensorList& given) const {
  TensorList targets;
  for (const CapturedWrite& w : captured_->writes) {
    targets.push_back(w.grad_of.defined() ? autograd::grad_of(w.grad_of) : w.target);
  }
  for (const auto& [i, value] : captured_->input_writes) targets.push_back(given[i]);
  return targets;
}

StateBefore Executable::state_before(const TensorList& given, const TensorList& targets) const {
  const Captured& c = *captured_;
  StateBefore state;
  std::unordered_set<const Storage*> written;
  for (const Tensor& t : targets) written.insert(t->storage.get());
  size_t bytes = 0;
  for (size_t i = 0; i < given.size() && !written.empty(); ++i) {
    if (!given[i].defined() || !written.contains(given[i]->storage.get())) continue;
    const Value* v = i < c.inputs.size() ? c.inputs[i] : c.captured[i - c.inputs.size()].value;
    if (!v->used()) continue;
    bytes += static_cast<size_t>(given[i].numel()) * size_of(given[i].dtype());
    if (bytes > kStateLimit || !given[i]->stop_gradient) {
      state.values.clear();
      state.lost_bytes = bytes;
      break;
    }
    state.values.emplace_back(i, fresh_copy(given[i]));
  }
  return state;
}

TensorList Executable::gather_inputs(const TensorList& inputs) const {
  const Captured& c = *captured_;
  PADDLE_CHECK_VALUE(inputs.size() == c.inputs.size(), "to_static: the program takes ",
                     c.inputs.size(), " tensors; ", inputs.size(), " were given.");
  TensorList all = inputs;
  for (const CapturedInput& in : c.captured) {
    Tensor t = in.tensor;
    if (in.grad_of.defined()) {
      t = autograd::grad_of(in.grad_of);
      PADDLE_CHECK_RUNTIME(t.defined(),
                           "to_static: the captured program adds to the gradient of a parameter "
                           "that has none now; clear gradients inside the function.");
    }
    all.push_back(std::move(t));
  }
  return all;
}

bool Executable::guards_hold(const TensorList& inputs) const {
  const Captured& c = *captured_;
  SymbolValues symbols;
  for (size_t i = 0; i < inputs.size(); ++i) bind_symbols(c.inputs[i]->type(), inputs[i], symbols);
  for (const SymbolFact& fact : c.facts) {
    if (c.as_fed && fact.of_rule) continue;
    const auto a = evaluate(fact.left, symbols), b = evaluate(fact.right, symbols);
    if (!a || !b) continue;
    using R = SymbolFact::Relation;
    const bool holds = fact.relation == R::kEq   ? *a == *b
                       : fact.relation == R::kNe ? *a != *b
                       : fact.relation == R::kLe ? *a <= *b
                                                 : *a > *b;
    if (!holds) return false;
  }
  return gradients_fit();
}

bool Executable::gradients_fit() const {
  return std::all_of(captured_->found_grads.begin(), captured_->found_grads.end(),
                     [](const FoundGradient& f) {
                       return f.states & static_cast<uint8_t>(autograd::grad_state(f.leaf));
                     });
}

void Executable::apply_writes(const TensorList& targets, const TensorList& results, size_t at,
                              TensorList& keep) {
  const Captured& c = *captured_;
  std::unordered_set<const Storage*> written, state;
  for (size_t i = 0; i < targets.size(); ++i) {
    state.insert(targets[i]->storage.get());
    if (!results[at + i].shares_storage(targets[i])) written.insert(targets[i]->storage.get());
  }
  const auto separate = [](Tensor& t, const std::unordered_set<const Storage*>& from) {
    if (t.defined() && from.contains(t->storage.get())) t = identity(t);
  };
  TensorList values;
  for (size_t i = 0; i < targets.size(); ++i) {
    values.push_back(results[at + i]);
    if (!values.back().same_impl(targets[i])) separate(values.back(), written);
  }
  // An output that is the state itself is that, as in an eager call.
  std::unordered_map<size_t, Tensor> outputs;
  for (size_t k = 0; k < c.outputs.size(); ++k) {
    for (size_t i = 0; i < targets.size(); ++i) {
      const Value* written_value =
          i < c.writes.size() ? c.writes[i].value : c.input_writes[i - c.writes.size()].second;
      if (c.outputs[k] && c.outputs[k] == written_value && keep[k]->stop_gradient &&
          keep[k].dtype() == targets[i].dtype()) {
        outputs[k] = targets[i].share_values();
      }
    }
  }
  for (size_t k = 0; k < keep.size(); ++k) {
    if (!outputs.contains(k)) separate(keep[k], state);
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    if (!is_same_memory(values[i], targets[i])) targets[i].copy_data_from(values[i]);
  }
  for (auto& [k, t] : outputs) keep[k] = std::move(t);
  at += targets.size();
  for (const CapturedWrite& g : c.grads) {
    const Tensor& value = results[at++];
    if (g.zero) {
      autograd::make_grad_zero(g.target);
    } else {
      autograd::set_grad(g.target, value.defined() ? value.detach() : Tensor());
    }
  }
  for (const CapturedWrite& born : c.created) {
    const Tensor& value = results[at++];
    if (born.target.has_storage() || !value.defined()) continue;
    Tensor copy = Tensor::empty(value.shape(), value.dtype(), value.place());
    copy.copy_data_from(value);
    TensorImpl& impl = *born.target.impl();
    impl.shape = copy.shape();
    impl.set_contiguous_layout();
    impl.storage = copy->storage;
    impl.offset = copy->offset;
    impl.place = copy->place;
    impl.capture = {};
  }
}

void Executable::attach_node(const TensorList& given, StateBefore state, TensorList& outputs,
                             TensorList saved, SymbolValues symbols, DrawLog draws) {
  const Captured& c = *captured_;
  auto node = IntrusivePtr<ProgramNode>::adopt(new ProgramNode());
  node->program = shared_from_this();
  node->symbols = std::move(symbols);
  node->draws = std::move(draws);
  node->state = std::move(state);
  for (const Tensor& t : given) {
    node->given_versions.push_back(t.defined() ? t->storage->inplace_version() : 0);
    if (!t.defined() || (!t->stop_gradient && autograd::is_leaf(t))) {
      node->given.push_back(t);
      continue;
    }
    Tensor kept = t.share_values();
    if (!t->stop_gradient) autograd::adopt_history(kept, t);
    node->given.push_back(std::move(kept));
  }
  node->num_results = static_cast<uint32_t>(outputs.size());
  for (const int position : c.grad_inputs) {
    const size_t i = position >= 0 ? static_cast<size_t>(position)
                                   : c.inputs.size() + static_cast<size_t>(-1 - position);
    node->edges.push_back(autograd::edge_of(given[i]));
    node->edge_info.push_back({std::make_unique<Shape>(given[i].shape()), given[i].dtype()});
  }
  for (const Tensor& t : outputs) {
    node->outputs.push_back(t.defined() ? autograd::ResultInfo{t.shape(), t.dtype()}
                                        : autograd::ResultInfo{});
  }
  for (const Tensor& t : saved) {
    node->saved.push_back(t.defined() ? t.share_values() : t);  // in its memory order
    node->versions.push_back(t.defined() ? node->saved.back()->storage->inplace_version() : 0);
  }
  autograd::NodePtr base = autograd::NodePtr::adopt(node.release());
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (!c.output_grads[k]) continue;
    outputs[k]->stop_gradient = false;
    autograd::set_history(outputs[k], base, static_cast<uint32_t>(k));
  }
}

// Autograd is on up to the last cf.grad; the results have no history.
TensorList Executable::run_with_gradient(const TensorList& given, SymbolValues& symbols) {
  const uint32_t allowed = thread_modes.allowed;
  struct Back {
    uint32_t allowed;
    ~Back() { thread_modes.allowed = allowed; }
  } back{allowed};
  thread_modes.allowed |= kModeAutograd;
  return forward_->run_recorded(given, &symbols);
}

TensorList Executable::run(const TensorList& inputs) {
  const Captured& c = *captured_;
  const TensorList given = gather_inputs(inputs);
  SymbolValues symbols;
  const bool wanted = std::any_of(c.outputs.begin(), c.outputs.end(),
                                  [](const Value* v) { return v && !v->stop_gradient; });
  const bool taped = c.has_control_flow && grad_enabled() && (wanted || !c.has_gradient);
  const TensorList targets = write_targets(given);
  const bool attached = backward_ && grad_enabled();
  StateBefore state;
  DrawLog draws;
  std::optional<DrawLogScope> noted;
  if (attached) noted.emplace(draws, DrawLogScope::Mode::kRecord);
  if (attached && !targets.empty()) state = state_before(given, targets);
  TensorList results = taped            ? forward_->run_recorded(given, &symbols, c.has_gradient)
                       : c.has_gradient ? run_with_gradient(given, symbols)
                                        : forward_->run(given, &symbols);
  noted.reset();
  const size_t n = c.outputs.size();
  const size_t writes = targets.size() + c.grads.size() + c.created.size();
  TensorList keep;  // outputs, then saved values
  for (size_t i = 0; i < n; ++i) keep.push_back(results[i]);
  for (size_t i = n + writes; i < results.size(); ++i) keep.push_back(results[i]);
  if (writes) apply_writes(targets, results, n, keep);
  TensorList outputs;
  for (size_t i = 0; i < n; ++i) {
    outputs.push_back(keep[i].defined() && !taped ? keep[i].share_values() : keep[i]);
  }
  if (attached) {
    attach_node(given, std::move(state), outputs,
                TensorList(keep.begin() + static_cast<std::ptrdiff_t>(n), keep.end()),
                std::move(symbols), std::move(draws));
  }
  return outputs;
}

}  // namespace paddle::pir
