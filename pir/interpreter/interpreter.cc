// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Running the instruction list.
#include "pir/interpreter/interpreter.h"

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/autograd/interrupt.h"
#include "paddle_core/dispatch/core_ops.h"
#include "paddle_core/dispatch/layout.h"

#include "paddle_core/dispatch/observers.h"
#include "paddle_core/dispatch/state.h"
#include "paddle_core/profile/trace.h"
#include "pir/capture/capture.h"
#include "pir/dialect/arguments.h"
#include "pir/dialect/control_flow.h"
#include "pir/interpreter/memory_plan.h"
#include "pir/interpreter/observe.h"

namespace paddle::pir {

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
    if (!declared[i].is_symbolic() || !is_plain_symbol(declared[i])) continue;
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

void Interpreter::run_gradient(const Instruction& in, std::vector<Register>& regs,
                               bool whole) const {
  const auto targets = static_cast<size_t>(in.op->attribute("targets").get<int64_t>());
  TensorList roots, wanted, seeds;
  for (size_t i = 0; i < in.inputs.size(); ++i) {
    const int r = in.inputs[i].reg;
    const Tensor t = r < 0 ? Tensor() : regs[static_cast<size_t>(r)].tensor;
    (i < targets ? roots : i < targets + in.results.size() ? wanted : seeds).push_back(t);
  }
  const bool later = &in + 1 < instructions_.data() + num_recorded_;  // another may follow
  const bool recorded = whole ? in.op->attribute("create_graph").get<bool>() : later;
  TensorList grads = autograd::grad(roots, wanted, seeds, whole || later, recorded, true, {});
  for (size_t i = 0; i < grads.size(); ++i) {
    Tensor& g = regs[static_cast<size_t>(in.results[i])].tensor;
    g = grads[i].defined()
            ? grads[i]
            : Tensor::full(wanted[i].shape(), Scalar(0.0), wanted[i].dtype(), wanted[i].place());
  }
}

namespace {

// Behind a leaf stands a node that passes its gradient on.
void give_history(const Tensor& t, const Tensor& from) {
  if (from->stop_gradient) return;
  const bool leaf = autograd::is_leaf(from);
  autograd::adopt_history(t, leaf ? core_ops().expand(from, from.shape()) : from);
}

// Within it calls may be cast as the thread's automatic mixed precision says.
class CastsAllowed {
 public:
  CastsAllowed() : before_(thread_modes.allowed) { thread_modes.allowed |= kModeAmp; }
  ~CastsAllowed() { thread_modes.allowed = before_; }
  CastsAllowed(const CastsAllowed&) = delete;
  CastsAllowed& operator=(const CastsAllowed&) = delete;

 private:
  uint32_t before_;
};

}  // namespace

void Interpreter::run_host(const Instruction& in, std::vector<Register>& regs,
                           SymbolValues& symbols, bool recorded) {
  const bool taped = recorded && (in.hook || !in.results.empty());
  TensorList values;
  for (const Input& i : in.inputs) {
    const Tensor& t = regs[static_cast<size_t>(i.reg)].tensor;
    values.push_back(taped ? t : t.detach());
  }
  if (in.hook) {
    if (!taped || values[0]->stop_gradient) return;
    autograd::add_hook(values[0], [function = in.host](const Tensor& gradient) {
      const TensorList changed = (*function)({gradient});
      return changed.empty() ? Tensor() : changed[0];
    });
    return;
  }
  const CastsAllowed casts;  // of the function's own
  TensorList results = (*in.host)(values);
  if (in.results.empty()) return;
  PADDLE_CHECK_RUNTIME(results.size() == in.results.size(), in.op->name(), in.op->location,
                       ": the function gave ", results.size(), " tensors; it gave ",
                       in.results.size(), " when the program was captured.");
  for (size_t i = 0; i < results.size(); ++i) {
    bind_symbols(in.op->result(i)->type(), results[i], symbols);
    regs[static_cast<size_t>(in.results[i])].tensor = std::move(results[i]);
  }
}

void Interpreter::run_structural(const Instruction& in, std::vector<Register>& regs,
                                 SymbolValues& symbols, bool recorded) const {
  if (in.host) return run_host(in, regs, symbols, recorded);
  if (in.dims) {
    const Shape dims = evaluated(in.op->attribute("value").to_dims(), symbols);
    Tensor t = Tensor::empty({Dim(static_cast<int64_t>(dims.size()))}, DType::kInt64);
    for (size_t i = 0; i < dims.size(); ++i) t.data<int64_t>()[i] = dims[i].value();
    regs[static_cast<size_t>(in.results[0])].tensor = std::move(t);
    return;
  }
  if (in.split) {
    PADDLE_CHECK_RUNTIME(!in.inputs.empty() && in.inputs[0].reg >= 0,
                         "builtin.split: the program gives no list.");
    const TensorList& list = regs[static_cast<size_t>(in.inputs[0].reg)].list;
    PADDLE_CHECK_RUNTIME(list.size() == in.results.size(), "builtin.split: the list holds ",
                         list.size(), " tensors; the program expects ", in.results.size(), ".");
    for (size_t i = 0; i < list.size(); ++i) {
      regs[static_cast<size_t>(in.results[i])].tensor = list[i];
      if (list[i].defined()) bind_symbols(in.op->result(i)->type(), list[i], symbols);
    }
    return;
  }
  if (in.detach || in.with_history || in.extent) {
    const Tensor& x = regs[static_cast<size_t>(in.inputs[0].reg)].tensor;
    if (!in.extent) {
      Tensor made = x.detach();
      if (in.with_history && recorded) {
        give_history(made, regs[static_cast<size_t>(in.inputs[1].reg)].tensor);
      }
      regs[static_cast<size_t>(in.results[0])].tensor = std::move(made);
    } else {
      symbols[in.op->attribute("symbol").to_dims()[0].symbol_id()] = x.item().to_int();
    }
    return;
  }
  TensorList list;
  for (const Input& i : in.inputs) {
    list.push_back(i.reg < 0 ? Tensor() : regs[static_cast<size_t>(i.reg)].tensor);
    PADDLE_CHECK_VALUE(i.reg < 0 || list.back().defined(), in.op->name(), ": element ", i.arg,
                       " has no value; its operator leaves that result out.");
  }
  regs[static_cast<size_t>(in.results[0])].list = std::move(list);
}

TensorList Interpreter::run_body(const Body& body, const TensorList& arguments,
                                 const std::vector<Register>& regs, SymbolValues symbols,
                                 bool recorded) {
  TensorList inputs = arguments;
  for (const int r : body.outer) inputs.push_back(regs[static_cast<size_t>(r)].tensor);
  return body.program->run_all(inputs, symbols, recorded);
}

// Branches or a loop on a value of another program, which is being captured: they become part of
// it.
TensorList Interpreter::record_regions(Capture& capture, const Instruction& in,
                                       const std::vector<Register>& regs,
                                       const SymbolValues& symbols, bool recorded) {
  const auto operand = [&](size_t i) { return regs[static_cast<size_t>(in.inputs[i].reg)].tensor; };
  const size_t depth = capture.open_scopes();
  try {
    if (in.bodies.size() == 2) {
      TensorList ends[2];
      capture.begin_if(operand(0));
      for (size_t b = 0; b < 2; ++b) {
        capture.enter_branch(b);
        ends[b] = run_body(in.bodies[b], {}, regs, symbols, recorded);
        capture.leave_branch(b);
      }
      return capture.end_if(ends[0], ends[1]);
    }
    TensorList values;
    for (size_t i = 1; i < in.op->num_operands(); ++i) values.push_back(operand(i));
    capture.begin_while(operand(0), values);
    for (bool settled = false; !settled;) {
      values = run_body(in.bodies[0], capture.begin_round(), regs, symbols, recorded);
      PADDLE_CHECK_RUNTIME(!values.empty(), "pd_op.while: the body gave no condition.");
      const Tensor again = values.front();
      values.erase(values.begin());
      settled = capture.end_round(again, values);
    }
    return capture.end_while();
  } catch (...) {
    capture.drop_scopes(depth);
    throw;
  }
}

void Interpreter::run_regions(const Instruction& in, std::vector<Register>& regs,
                              SymbolValues& symbols, bool recorded) const {
  const auto holds = [&](const Tensor& t) {
    PADDLE_CHECK_VALUE(t.defined() && t.numel() == 1, in.op->name(),
                       ": the condition must have one element.");
    return t.item().to_bool();
  };
  const auto operand = [&](size_t i) { return regs[static_cast<size_t>(in.inputs[i].reg)].tensor; };
  TensorList values;
  auto* const capture = dynamic_cast<Capture*>(capture_sink());
  if (capture && operand(0).defined() && !operand(0).has_storage()) {
    values = record_regions(*capture, in, regs, symbols, recorded);
  } else if (in.bodies.size() == 2) {
    values = run_body(in.bodies[holds(operand(0)) ? 0 : 1], {}, regs, symbols, recorded);
  } else {
    const size_t n = in.op->num_operands();
    for (size_t i = 1; i < n; ++i) values.push_back(operand(i));
    for (Tensor condition = operand(0); holds(condition);) {
      autograd::check_interrupt();
      values = run_body(in.bodies[0], values, regs, symbols, recorded);
      PADDLE_CHECK_RUNTIME(values.size() == n, "pd_op.while: the body gave ", values.size(),
                           " values; ", n, " are expected.");
      condition = values.front();
      values.erase(values.begin());
    }
  }
  PADDLE_CHECK_RUNTIME(values.size() == in.results.size(), in.op->name(), ": the region gave ",
                       values.size(), " values; ", in.results.size(), " are expected.");
  for (size_t i = 0; i < values.size(); ++i) {
    bind_symbols(in.op->result(i)->type(), values[i], symbols);
    regs[static_cast<size_t>(in.results[i])].tensor = std::move(values[i]);
  }
}

// Arguments whose tensor and memory nobody else holds, and which nobody reads after this.
uint32_t Interpreter::donated_arguments(const Instruction& in, const std::vector<Register>& regs) {
  uint32_t donated = 0;
  for (const Input& i : in.inputs) {
    if (!i.last_use || i.arg >= 32) continue;
    const Tensor& t = regs[static_cast<size_t>(i.reg)].tensor;
    if (!t.defined() || !t.has_storage() || t.impl()->use_count() != 1) continue;
    if (t->storage->use_count() == 1 && !t->storage->is_foreign()) donated |= 1u << i.arg;
  }
  return donated;
}

void Interpreter::run_operator(const Instruction& in, std::vector<Register>& regs,
                               SymbolValues& symbols, bool recorded) const {
  SmallVector<Slot, 8> slots(in.constants.data(), in.constants.data() + in.constants.size());
  SmallVector<Shape, 2> dims;
  dims.reserve(in.symbolic.size());  // slots borrow the elements
  for (const uint32_t i : in.symbolic) {
    const Slot& s = in.constants[i];
    dims.push_back(evaluated(Shape(s.dims, s.dims + s.count), symbols));
    slots[i] = Slot::of(dims.back());
  }
  for (const Input& i : in.inputs) {
    const Register& r = regs[static_cast<size_t>(i.reg)];
    PADDLE_CHECK_VALUE(r.tensor.defined() || !i.required || !r.list.empty(), in.op->name(),
                       ": operand ", in.def->schema().args[i.arg].name,
                       " has no value; the program is damaged.");
    slots[i.arg] = r.tensor.defined() || r.list.empty() ? Slot::of(r.tensor) : Slot::of(r.list);
  }
  Outputs outs;
  const bool watched = process_modes.load(std::memory_order_relaxed) & kModeCheck;
  if (watched) {
    const std::string origin =
        in.op->location.empty() ? std::string() : str(" It was recorded at ", in.op->location, ".");
    const OriginScope scope(origin);
    call(*in.def, slots.data(), outs);
  } else if (recorded) {
    call(*in.def, slots.data(), outs);
  } else if (has_private_layout(*in.def, slots.data())) {
    execute_in_layout(*in.def, slots.data(), outs, donated_arguments(in, regs));
  } else {
    execute(*in.def, slots.data(), outs, donated_arguments(in, regs));
  }
  if (in.def->list_result) {
    const std::vector<Type>& elements = in.types[0].elements();
    for (size_t k = 0; in.binds && k < elements.size() && k < outs.size(); ++k) {
      bind_symbols(elements[k], outs[k], symbols);
    }
    regs[static_cast<size_t>(in.results[0])].list = TensorList(outs.begin(), outs.end());
    return;
  }
  for (size_t k = 0; k < in.results.size() && k < outs.size(); ++k) {
    if (in.binds) bind_symbols(in.types[k], outs[k], symbols);
    regs[static_cast<size_t>(in.results[k])].tensor = std::move(outs[k]);
  }
}

int64_t Interpreter::traffic(const Instruction& in, const std::vector<Register>& regs) {
  int64_t bytes = 0;
  const auto add = [&](int r) {
    if (r < 0) return;
    const Register& reg = regs[static_cast<size_t>(r)];
    const auto count = [&](const Tensor& t) {
      if (t.defined()) bytes += t.numel() * static_cast<int64_t>(size_of(t.dtype()));
    };
    count(reg.tensor);
    for (const Tensor& t : reg.list) count(t);
  };
  for (const Input& i : in.inputs) add(i.reg);
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
  const bool told = e.message().find(kPlace) != std::string::npos;
  const bool foreign = e.kind() == ErrorKind::kInterrupt || e.kind() == ErrorKind::kPython;
  if (told || foreign || op.location.empty()) throw;
  throw Error(e.kind(), str(e.message(), kPlace, op.location, "."));
}

void Interpreter::run_instruction(const Instruction& in, std::vector<Register>& regs,
                                  SymbolValues& symbols, bool taped, bool whole) const {
  try {
    if (in.def) {
      run_operator(in, regs, symbols, taped);
    } else if (in.external) {
      run_external(in, regs, symbols, taped);
    } else if (!in.bodies.empty()) {
      run_regions(in, regs, symbols, taped);
    } else if (in.gradient) {
      run_gradient(in, regs, whole);
    } else {
      run_structural(in, regs, symbols, taped);
    }
  } catch (const Error& e) {
    throw_with_place(e, *in.op);
  }
}

TensorList Interpreter::run_all(const TensorList& inputs, SymbolValues& bound, bool recorded,
                                bool whole) const {
  PADDLE_ASSERT(inputs.size() == inputs_.size());
  std::vector<Register> regs(static_cast<size_t>(num_registers_));
  for (size_t i = 0; i < inputs.size(); ++i) {
    regs[static_cast<size_t>(inputs_[i])].tensor = inputs[i];
    bind_symbols(input_types_[i], inputs[i], bound);
  }
  for (const auto& [reg, value] : constants_) regs[static_cast<size_t>(reg)].tensor = value;
  const std::shared_ptr<const MemoryPlan> plan = recorded ? nullptr : plan_of(inputs);
  std::optional<host_memory::Arena> arena;
  if (plan && plan->bytes > 0) arena.emplace(plan->bytes);
  OperationTimes* const times = OperationWatch::current();
  const ValueWatch* const watch = ValueWatch::current();
  if (recorded) {
    const auto track = [&](int r) {
      if (!tracked_.contains(r)) return;
      Tensor& t = regs[static_cast<size_t>(r)].tensor;
      t = tracked(t);
    };
    for (const int r : inputs_) track(r);
    for (const auto& constant : constants_) track(constant.first);
  }
  for (size_t i = 0; i < instructions_.size(); ++i) {
    const Instruction& in = instructions_[i];
    const bool taped = recorded && (whole || num_recorded_ == 0 || i < num_recorded_);
    if (watch) show(*watch, in, false, regs);
    const int64_t begin = times ? profile::now_ns() : 0;
    std::optional<host_memory::Arena::Step> step;
    if (arena && plan->steps[i].planned) step.emplace(*arena, plan->steps[i].results);
    run_instruction(in, regs, bound, taped, whole);
    if (taped) {
      for (const int r : in.tracked) {
        Tensor& t = regs[static_cast<size_t>(r)].tensor;
        t = tracked(t);
      }
    }
    if (times) {
      OperationTime& time = (*times)[in.op];
      ++time.calls;
      time.ns += profile::now_ns() - begin;
      time.bytes += traffic(in, regs);
    }
    if (watch) show(*watch, in, true, regs);
    for (const int r : in.frees) regs[static_cast<size_t>(r)] = Register();
  }
  TensorList out;
  for (const int r : outputs_) {
    out.push_back(r < 0 ? Tensor() : regs[static_cast<size_t>(r)].tensor);
  }
  // The memory of a constant stays the program's own.
  for (const auto& [position, shared] : shared_outputs_) {
    out[position] = Tensor::empty(shared.shape(), shared.dtype(), shared.place());
    out[position].copy_data_from(shared);
  }
  return out;
}

}  // namespace paddle::pir
