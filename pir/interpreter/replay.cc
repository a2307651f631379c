// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Running what was resolved.
#include "pir/interpreter/replay.h"

#include <algorithm>

#include "paddle_core/dispatch/execute/resolved_call.h"

namespace paddle::pir {

// -- what one run showed
// ---------------------------------------------------------------------------

Interpreter::Observation::Seen Interpreter::Observation::look(const Tensor& t) {
  Seen seen;
  seen.defined = t.defined();
  if (!t.defined()) return seen;
  seen.ordinary = t.has_storage() && !(t->shared_keys() & kModeLayout);
  seen.dtype = t.dtype();
  seen.place = t.place();
  seen.shape = t.shape();
  if (!seen.ordinary) return seen;
  seen.dense = t->contiguous;
  seen.strides = t->strides;
  return seen;
}

bool Interpreter::Observation::Seen::is(const Tensor& t) const {
  if (!t.defined()) return !defined;
  if (!defined || t.dtype() != dtype || !(t.place() == place) || !(t.shape() == shape))
    return false;
  if (t.has_storage() && !(t->shared_keys() & kModeLayout)) {
    return ordinary && t->contiguous == dense &&
           (dense || std::equal(strides.begin(), strides.end(), t->strides.begin()));
  }
  return false;
}

Interpreter::Observation::Observation(const Interpreter& program, const TensorList& inputs)
    : program_(program), seen_(static_cast<size_t>(program.num_registers_)) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    seen_[static_cast<size_t>(program.inputs_[i])] = look(inputs[i]);
  }
  for (const auto& [reg, value] : program.constants_) seen_[static_cast<size_t>(reg)] = look(value);
}

void Interpreter::Observation::after(size_t i, const Run& run) {
  const Instruction& in = program_.instructions_[i];
  for (const int r : in.results) seen_[static_cast<size_t>(r)] = look(run.tensor(r));
  if (!in.def || !in.def->is_view() || in.inputs.empty() || in.inputs[0].arg != 0) return;
  const Tensor& made = run.tensor(in.results[0]);
  const Tensor& base = run.tensor(in.inputs[0].reg);
  if (!made.defined() || !base.defined() || !made.shares_storage(base)) return;
  views_.emplace_back(i, made->offset - base->offset);
}

bool Interpreter::Observation::is_view(size_t i, int64_t& distance) const {
  const auto at = std::lower_bound(views_.begin(), views_.end(), std::pair(i, INT64_MIN));
  if (at == views_.end() || at->first != i) return false;
  distance = at->second;
  return true;
}

// -- which replay serves
// ---------------------------------------------------------------------------

std::shared_ptr<const Interpreter::Replay> Interpreter::Known::replay_for(
    const TensorList& inputs) {
  std::shared_ptr<const Replay> replay;
  {
    const std::lock_guard lock(mutex_);
    replay = replay_;
  }
  return replay && replay->fits(inputs) ? replay : nullptr;
}

bool Interpreter::Known::wants_replay() {
  const std::lock_guard lock(mutex_);
  const uint32_t n = ++interpreted_;
  return n >= 2 && (n & (n - 1)) == 0;
}

void Interpreter::Known::set_replay(std::shared_ptr<const Replay> replay) {
  const std::lock_guard lock(mutex_);
  replay_ = std::move(replay);
}

bool Interpreter::Replay::fits(const TensorList& inputs) const {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs_[i].is(inputs[i])) return false;
  }
  return true;
}

// -- frames
// ----------------------------------------------------------------------------------------

std::unique_ptr<Interpreter::Replay::Frame> Interpreter::Replay::make_frame() const {
  auto frame = std::make_unique<Frame>();
  frame->registers.resize(num_registers_);
  frame->slots = slots_;
  frame->outs.resize(num_outs_);
  const auto at = [&](int reg) -> Tensor& {
    return frame->registers[static_cast<size_t>(reg)].tensor;
  };
  for (const auto& [reg, value] : constants_) at(reg) = value;
  for (const auto& [place, bytes] : memory_) {
    frame->memory.push_back(Storage::allocate(bytes, place));
  }
  for (const Kept& kept : kept_) {
    const Observation::Seen& seen = seen_[static_cast<size_t>(kept.reg)];
    Tensor t = Tensor::meta(seen.shape, seen.dtype, seen.place);
    TensorImpl& impl = *t.impl();
    impl.set_contiguous_layout();
    if (!seen.dense) {
      impl.strides = seen.strides;
      impl.contiguous = false;
    }
    if (kept.base >= 0) {
      impl.storage = at(kept.base)->storage;
      impl.offset = at(kept.base)->offset + kept.offset;
    } else if (!kept.bound) {
      impl.storage = frame->memory[kept.memory];
      impl.offset = kept.offset;
    }
    at(kept.reg) = std::move(t);
  }
  for (const auto& [slot, reg] : fixed_) frame->slots[slot].tensor = at(reg).impl();
  for (const auto& [out, reg] : results_) frame->outs[out] = at(reg);
  for (const Kept& kept : kept_) {
    frame->kept.emplace_back(at(kept.reg), at(kept.reg).impl()->use_count() + 1);
  }
  for (const StoragePtr& memory : frame->memory) {
    frame->memory_uses.push_back(memory->use_count());
  }
  return frame;
}

std::unique_ptr<Interpreter::Replay::Frame> Interpreter::Replay::take_frame() const {
  {
    const std::lock_guard lock(mutex_);
    for (size_t i = idle_.size(); i-- > 0;) {
      if (!is_of_streams(*idle_[i])) continue;
      std::unique_ptr<Frame> frame = std::move(idle_[i]);
      idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
      return frame;
    }
  }
  return make_frame();
}

bool Interpreter::Replay::is_of_streams(const Frame& frame) {
  return std::all_of(frame.memory.begin(), frame.memory.end(), [](const StoragePtr& memory) {
    return memory->place().is_host() || memory->stream() == &current_stream(memory->place());
  });
}

bool Interpreter::Replay::is_idle(const Frame& frame) {
  for (size_t i = 0; i < frame.memory.size(); ++i) {
    if (frame.memory[i]->use_count() != frame.memory_uses[i]) return false;
  }
  return std::all_of(frame.kept.begin(), frame.kept.end(), [](const auto& kept) {
    return kept.first.impl()->use_count() == kept.second;
  });
}

// -- running
// ---------------------------------------------------------------------------------------

void Interpreter::Replay::run_kernel(const Instruction& in, const Step& step, Frame& frame,
                                     Run& run) const {
  Slot* const slots = frame.slots.data();
  Tensor* const outs = frame.outs.data() + step.outs;
  for (const Bound& b : step.bound) {
    const Register& r = run.registers[static_cast<size_t>(b.reg)];
    if (b.list) {
      slots[b.slot] = Slot::of(r.list);
    } else {
      slots[b.slot].tensor = r.tensor.impl();
    }
  }
  for (const Dense& d : step.dense) run.tensor(d.to).overwrite_from(run.tensor(d.from));
  for (const Fresh& f : step.fresh) {
    const Observation::Seen& seen = seen_[static_cast<size_t>(f.reg)];
    Tensor& out = outs[f.out];
    out = Tensor::meta(seen.shape, seen.dtype, seen.place);
    out->set_contiguous_layout();
    const uint32_t donated = step.may_take ? donated_arguments(in, run) : 0;
    if (!donated || !take_argument(*step.def, *step.kernel, slots + step.slots, out, donated)) {
      out->storage =
          Storage::allocate(static_cast<size_t>(out.numel()) * size_of(seen.dtype), seen.place);
    }
  }
  run_resolved(*step.def, *step.kernel, slots + step.slots, outs, step.place);
  for (const Fresh& f : step.fresh) run.tensor(f.reg) = std::move(outs[f.out]);
  if (step.writes_frame) frame.memory[step.memory]->note_overwrite();
}

// False when a result is not what later steps rely on.
bool Interpreter::Replay::interpret(const Interpreter& program, const Instruction& in,
                                    const Step& step, Run& run) const {
  (program.*kExecutors[static_cast<size_t>(in.kind)])(in, run);
  return std::all_of(step.expected.begin(), step.expected.end(),
                     [&](int r) { return seen_[static_cast<size_t>(r)].is(run.tensor(r)); });
}

TensorList Interpreter::Replay::run(const Interpreter& program, const Known& known,
                                    const TensorList& inputs, SymbolValues& symbols) const {
  std::unique_ptr<Frame> frame = take_frame();
  Run run{std::move(frame->registers), symbols, false, false,
          program.overwritable(inputs, known.in_place)};
  for (size_t i = 0; i < inputs.size(); ++i) run.tensor(program.inputs_[i]) = inputs[i];
  for (const auto& [symbol, value] : symbols_) symbols.emplace(symbol, value);
  PlannedMemory memory(&known.plan);
  size_t i = 0;
  try {
    for (; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      const Instruction& in = program.instructions_[i];
      std::optional<PlannedMemory::Step> planned;
      if (step.planned) planned.emplace(memory, i);
      bool as_before = true;
      switch (step.kind) {
        case StepKind::kKernel:
          run_kernel(in, step, *frame, run);
          break;
        case StepKind::kView: {
          const Tensor& base = run.tensor(step.view.from);
          TensorImpl& made = *run.tensor(step.view.to).impl();
          made.storage = base->storage;
          made.offset = base->offset + step.view.distance;
          break;
        }
        case StepKind::kInterpreted:
          as_before = interpret(program, in, step, run);
          break;
        case StepKind::kNothing:
          break;
      }
      for (const int r : step.unbinds) run.tensor(r)->storage = nullptr;
      for (const int r : step.frees) run.registers[static_cast<size_t>(r)] = Register();
      if (!as_before) [[unlikely]] {  // tensors of the frame go on as any others
        program.interpret_from(i + 1, run, nullptr, nullptr);
        return program.outputs_of(run);
      }
    }
  } catch (const Error& e) {
    throw_with_place(e, *program.instructions_[i].op);
  }
  TensorList outputs = program.outputs_of(run);
  for (const int r : ends_) run.registers[static_cast<size_t>(r)] = Register();
  frame->registers = std::move(run.registers);
  if (is_idle(*frame)) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(frame));
  }
  return outputs;
}

}  // namespace paddle::pir
