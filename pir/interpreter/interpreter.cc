// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Running the instruction list.
#include "pir/interpreter/interpreter.h"

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/dispatch/execute/layout.h"
#include "paddle_core/dispatch/state.h"
#include "paddle_core/dispatch/watch/observers.h"
#include "paddle_core/profile/trace.h"
#include "pir/interpreter/memory_plan.h"
#include "pir/interpreter/observe.h"
#include "pir/interpreter/replay.h"

namespace paddle::pir {

const Interpreter::Execute Interpreter::kExecutors[] = {
    &Interpreter::run_operator, &Interpreter::run_combine,   &Interpreter::run_split,
    &Interpreter::run_dims,     &Interpreter::run_detach,    &Interpreter::run_with_history,
    &Interpreter::run_extent,   &Interpreter::run_host_call, &Interpreter::run_hook,
    &Interpreter::run_if,       &Interpreter::run_while,     &Interpreter::run_gradient,
    &Interpreter::run_external,
};

Interpreter::~Interpreter() = default;

Shape evaluated(const Shape& dims, const SymbolValues& symbols) {
  Shape out;
  for (const Dim d : dims) {
    const std::optional<int64_t> v = d.is_symbolic() ? evaluate(d, symbols) : d.value();
    PADDLE_CHECK_RUNTIME(v.has_value(), "program: extent ", d, " is not known at this point.");
    out.push_back(Dim(*v));
  }
  return out;
}

void bind_symbols(const Type& type, const Tensor& t, SymbolValues& symbols) {
  if (type.is_null() || type.is_vector() || !t.defined()) return;
  const Shape& declared = type.local_shape();
  // Extents of another rank say nothing of the symbols; an operation that asks for one reports it.
  if (declared.size() != t.shape().size()) return;
  for (size_t i = 0; i < declared.size(); ++i) {
    if (!declared[i].is_symbolic() || !is_atom(declared[i])) continue;
    if (t.shape()[i].is_symbolic()) continue;  // while another program is captured
    symbols.emplace(declared[i].symbol_id(), t.shape()[i].value());
  }
}

namespace {

constexpr uint32_t kNotLayers = kModeAutograd | kModeAmp | kModeCapture | kModeSharded;

// A tensor of which a gradient is wanted, as a leaf when nothing before it has one.
Tensor tracked(const Tensor& t) {
  if (!t.defined() || !t->stop_gradient || !is_differentiable(t.dtype())) return t;
  Tensor leaf = t.detach();
  autograd::set_stop_gradient(leaf, false);
  return leaf;
}

}  // namespace

// Arguments that are dead after this, and whose tensor and memory have no other owner or the
// caller means to overwrite.
uint32_t Interpreter::donated_arguments(const Instruction& in, const Run& run) {
  uint32_t donated = 0;
  for (const Instruction::Input& i : in.inputs) {
    if (!i.last_use || i.arg >= 32) continue;
    const Tensor& t = run.tensor(i.reg);
    if (!t.defined() || !t.has_storage()) continue;
    const bool state =
        i.arg == 0 && in.state_input >= 0 && run.may_overwrite[static_cast<size_t>(in.state_input)];
    const bool own = t.impl()->use_count() == 1 && t->storage->use_count() == 1;
    if (state || (own && !t->storage->is_foreign())) donated |= 1u << i.arg;
  }
  return donated;
}

void Interpreter::run_operator(const Instruction& in, Run& run) const {
  SmallVector<Slot, 8> slots(in.constants.data(), in.constants.data() + in.constants.size());
  SmallVector<Shape, 2> dims;
  dims.reserve(in.symbolic.size());  // slots borrow the elements
  for (const uint32_t i : in.symbolic) {
    const Slot& s = in.constants[i];
    dims.push_back(evaluated(Shape(s.dims, s.dims + s.count), run.symbols));
    slots[i] = Slot::of(dims.back());
  }
  for (const Instruction::Input& i : in.inputs) {
    const Register& r = run.registers[static_cast<size_t>(i.reg)];
    PADDLE_CHECK_VALUE(r.tensor.defined() || !i.required || !r.list.empty(), in.op->name(),
                       ": operand ", in.def->schema().args[i.arg].name,
                       " has no value; the program is damaged.");
    slots[i.arg] = r.tensor.defined() || r.list.empty() ? Slot::of(r.tensor) : Slot::of(r.list);
  }
  const bool in_place =
      in.state_input >= 0 && run.may_overwrite[static_cast<size_t>(in.state_input)];
  if (in_place && in.closes_part) {
    const Tensor& target = run.tensor(in.inputs[0].reg);
    if (target.shares_storage(run.tensor(in.inputs[1].reg))) {
      run.tensor(in.results[0]) = Tensor::alias(target, target.shape(), target.strides(), 0);
      return;
    }
  }
  Outputs outs;
  const bool watched = process_modes.load(std::memory_order_relaxed) & kModeCheck;
  if (watched) {
    const std::string origin =
        in.op->location.empty() ? std::string() : str(" It was recorded at ", in.op->location, ".");
    const OriginScope scope(origin);
    call(*in.def, slots.data(), outs);
  } else if (run.recorded) {
    call(*in.def, slots.data(), outs);
  } else if (has_private_layout(*in.def, slots.data())) {
    execute_in_layout(*in.def, slots.data(), outs, donated_arguments(in, run));
  } else {
    execute(*in.def, slots.data(), outs, donated_arguments(in, run));
  }
  if (in.def->list_result) {
    const std::vector<Type>& elements = in.types[0].elements();
    for (size_t k = 0; in.binds && k < elements.size() && k < outs.size(); ++k) {
      bind_symbols(elements[k], outs[k], run.symbols);
    }
    run.registers[static_cast<size_t>(in.results[0])].list = TensorList(outs.begin(), outs.end());
    return;
  }
  for (size_t k = 0; k < in.results.size() && k < outs.size(); ++k) {
    if (in.binds) bind_symbols(in.types[k], outs[k], run.symbols);
    run.tensor(in.results[k]) = std::move(outs[k]);
  }
}

int64_t Interpreter::traffic(const Instruction& in, const Run& run) {
  int64_t bytes = 0;
  const auto add = [&](int r) {
    if (r < 0) return;
    const Register& reg = run.registers[static_cast<size_t>(r)];
    const auto count = [&](const Tensor& t) {
      if (t.defined()) bytes += t.numel() * static_cast<int64_t>(size_of(t.dtype()));
    };
    count(reg.tensor);
    for (const Tensor& t : reg.list) count(t);
  };
  for (const Instruction::Input& i : in.inputs) add(i.reg);
  for (const int r : in.results) add(r);
  return bytes;
}

TensorList Interpreter::run(const TensorList& inputs, SymbolValues* symbols) const {
  const ModeGuard guard(kNotLayers);
  SymbolValues local;
  return run_all(inputs, symbols ? *symbols : local, false);
}

TensorList Interpreter::run_recorded(const TensorList& inputs, SymbolValues* symbols,
                                     bool whole) const {
  const ModeGuard guard(kModeAmp);  // casts are part of the program
  return run_all(inputs, *symbols, true, whole);
}

// An error of an operation says where that was recorded.
void Interpreter::throw_with_place(const Error& e, const Operation& op) {
  constexpr std::string_view kPlace = " It was recorded at ";
  const bool placed = e.message().find(kPlace) != std::string::npos;
  const bool foreign = e.kind() == ErrorKind::kInterrupt || e.kind() == ErrorKind::kPython;
  if (placed || foreign || op.location.empty()) throw;
  throw Error(e.kind(), str(e.message(), kPlace, op.location, "."));
}

void Interpreter::run_instruction(const Instruction& in, Run& run) const {
  try {
    (this->*kExecutors[static_cast<size_t>(in.kind)])(in, run);
  } catch (const Error& e) {
    throw_with_place(e, *in.op);
  }
}

TensorList Interpreter::run_all(const TensorList& inputs, SymbolValues& symbols, bool recorded,
                                bool whole) const {
  PADDLE_ASSERT(inputs.size() == inputs_.size());
  if (recorded) return interpret(inputs, symbols, recorded, whole, nullptr, nullptr);
  const std::shared_ptr<Known> found = known(inputs);
  if (!found) return interpret(inputs, symbols, false, whole, nullptr, nullptr);
  const bool watched =
      OperationWatch::current() || ValueWatch::current() ||
      (process_modes.load(std::memory_order_relaxed) & (kModeCheck | kModeDecompose));
  if (watched) return interpret(inputs, symbols, false, whole, found.get(), nullptr);
  if (const auto replay = found->replay_for(inputs))
    return replay->run(*this, *found, inputs, symbols);
  if (!found->wants_replay()) return interpret(inputs, symbols, false, whole, found.get(), nullptr);
  Observation observation(*this, inputs);
  TensorList outputs = interpret(inputs, symbols, false, whole, found.get(), &observation);
  found->set_replay(std::make_shared<Replay>(*this, observation));
  return outputs;
}

TensorList Interpreter::interpret(const TensorList& inputs, SymbolValues& symbols, bool recorded,
                                  bool whole, const Known* known, Observation* observation) const {
  Run run{std::vector<Register>(static_cast<size_t>(num_registers_)), symbols, recorded, whole, {}};
  for (size_t i = 0; i < inputs.size(); ++i) {
    run.tensor(inputs_[i]) = inputs[i];
    bind_symbols(input_types_[i], inputs[i], symbols);
  }
  for (const auto& [reg, value] : constants_) run.tensor(reg) = value;
  run.may_overwrite = recorded
                          ? std::vector<bool>(inputs.size())
                          : overwritable(inputs, known ? known->in_place : state_in_place(inputs));
  if (recorded) {
    const auto track = [&](int r) {
      if (tracked_.contains(r)) run.tensor(r) = tracked(run.tensor(r));
    };
    for (const int r : inputs_) track(r);
    for (const auto& constant : constants_) track(constant.first);
  }
  interpret_from(0, run, known ? &known->plan : nullptr, observation);
  return outputs_of(run);
}

void Interpreter::interpret_from(size_t first, Run& run, const MemoryPlan* plan,
                                 Observation* observation) const {
  PlannedMemory memory(plan);
  OperationTimes* const times = OperationWatch::current();
  const ValueWatch* const watch = ValueWatch::current();
  const bool recorded = run.recorded;
  for (size_t i = first; i < instructions_.size(); ++i) {
    const Instruction& in = instructions_[i];
    run.recorded = recorded && (run.whole || num_recorded_ == 0 || i < num_recorded_);
    if (watch) show(*watch, in, false, run.registers);
    const int64_t begin = times ? profile::now_ns() : 0;
    {
      const PlannedMemory::Step step(memory, i);
      run_instruction(in, run);
    }
    if (run.recorded) {
      for (const int r : in.tracked) run.tensor(r) = tracked(run.tensor(r));
    }
    if (times) {
      OperationTime& time = (*times)[in.op];
      ++time.calls;
      time.ns += profile::now_ns() - begin;
      time.bytes += traffic(in, run);
    }
    if (watch) show(*watch, in, true, run.registers);
    if (observation) observation->after(i, run);
    for (const int r : in.frees) run.registers[static_cast<size_t>(r)] = Register();
  }
}

TensorList Interpreter::outputs_of(const Run& run) const {
  TensorList out;
  for (const int r : outputs_) out.push_back(r < 0 ? Tensor() : run.tensor(r));
  // The memory of a constant stays the program's own.
  for (const auto& [position, shared] : shared_outputs_) {
    out[position] = Tensor::empty(shared.shape(), shared.dtype(), shared.place());
    out[position].copy_data_from(shared);
  }
  return out;
}

}  // namespace paddle::pir
