// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Resolving a program from an observed run.
#include <algorithm>
#include <array>

#include "paddle_core/dispatch/execute/resolved_call.h"
#include "pir/interpreter/replay.h"

namespace paddle::pir {
namespace {

// Results of up to this many bytes lie in the frame, those above in memory that is planned again
// for each run. AddressSanitizer sees what goes beyond blocks of their own only.
#if defined(__SANITIZE_ADDRESS__)
constexpr size_t kFrameMax = 0;
#else
constexpr size_t kFrameMax = host_memory::kArenaMin - 1;
#endif

// Memory of the frame: blocks by their size, handed on when nothing holds them any more.
class FrameMemory {
 public:
  size_t take(size_t bytes) {
    auto& idle = idle_[size_class(bytes)];
    if (!idle.empty()) {
      const size_t offset = idle.back();
      idle.pop_back();
      return offset;
    }
    const size_t offset = total_;
    total_ += kSmallest << size_class(bytes);
    return offset;
  }
  void give(size_t offset, size_t bytes) { idle_[size_class(bytes)].push_back(offset); }
  size_t total() const { return total_; }

 private:
  static constexpr size_t kSmallest = 64;
  static size_t size_class(size_t bytes) {
    size_t c = 0;
    while ((kSmallest << c) < bytes) ++c;
    return c;
  }
  std::array<std::vector<size_t>, 16> idle_;
  size_t total_ = 0;
};

}  // namespace

class Interpreter::Replay::Builder {
 public:
  Builder(Replay& replay, const Interpreter& program, const Observation& observation)
      : replay_(replay),
        program_(program),
        observation_(observation),
        known_(registers(), false),
        escapes_(registers(), false),
        lists_(registers(), nullptr),
        splits_(registers(), nullptr),
        holds_(registers(), kEachRun),
        blocks_(registers(), kNoBlock),
        kinds_(program.instructions_.size(), StepKind::kInterpreted) {}

  void build() {
    find_known();
    find_resolved();
    find_escaping();
    find_deaths();
    for (size_t i = 0; i < kinds_.size(); ++i) emit(i);
    finish();
  }

 private:
  using Seen = Observation::Seen;
  using Input = Instruction::Input;
  // What a register holds: another tensor in each run, one whose memory is bound in each run, or
  // the same with the same memory.
  enum Holds : uint8_t { kEachRun, kBoundEachRun, kAlways };
  static constexpr size_t kNoBlock = SIZE_MAX;
  struct Block {
    size_t memory, offset, bytes;
    int holders;
  };

  size_t registers() const { return static_cast<size_t>(program_.num_registers_); }
  const Seen& seen(int reg) const { return observation_.seen(reg); }
  bool known(int reg) const { return reg < 0 || known_[static_cast<size_t>(reg)]; }
  Holds& holds(int reg) { return holds_[static_cast<size_t>(reg)]; }

  void bind(const Type& type, int reg) {
    if (seen(reg).defined)
      bind_symbols(type, Tensor::meta(seen(reg).shape, seen(reg).dtype), fixed_);
  }

  bool evaluates(const Slot& slot) const {
    return std::all_of(slot.dims, slot.dims + slot.count, [&](const Dim& d) {
      return !d.is_symbolic() || evaluate(d, fixed_).has_value();
    });
  }

  // Whether the shapes of the results follow from those of the program's inputs.
  bool follows_from_shapes(const Instruction& in) const {
    if (!std::all_of(in.inputs.begin(), in.inputs.end(),
                     [&](const Input& i) { return known(i.reg); })) {
      return false;
    }
    switch (in.kind) {
      case InstructionKind::kOperator:
        return !in.def->has(kDynamicOutput) &&
               std::all_of(
                   in.inputs.begin(), in.inputs.end(),
                   [&](const Input& i) { return in.def->schema().args[i.arg].is_tensor(); }) &&
               std::all_of(in.symbolic.begin(), in.symbolic.end(),
                           [&](uint32_t i) { return evaluates(in.constants[i]); });
      case InstructionKind::kDims: {
        const Shape dims = in.op->attribute("value").to_dims();
        return evaluates(Slot::of(dims));
      }
      case InstructionKind::kCombine:
      case InstructionKind::kSplit:
      case InstructionKind::kDetach:
      case InstructionKind::kWithHistory:
        return true;
      default:
        return false;
    }
  }

  void find_known() {
    for (size_t i = 0; i < program_.inputs_.size(); ++i) {
      known_[static_cast<size_t>(program_.inputs_[i])] = true;
      bind(program_.input_types_[i], program_.inputs_[i]);
    }
    for (const auto& constant : program_.constants_) {
      known_[static_cast<size_t>(constant.first)] = true;
      holds(constant.first) = kAlways;
    }
    for (const Instruction& in : program_.instructions_) {
      if (!follows_from_shapes(in)) continue;
      for (size_t k = 0; k < in.results.size(); ++k) {
        const int r = in.results[k];
        known_[static_cast<size_t>(r)] = true;
        if (in.binds && !in.def->list_result) bind(in.types[k], r);
        if (in.kind == InstructionKind::kSplit) bind(in.op->result(k)->type(), r);
      }
      if (in.kind == InstructionKind::kCombine) {
        lists_[static_cast<size_t>(in.results[0])] = &in;
      }
    }
    find_splits();
  }

  // Lists that an operator makes and only builtin.split reads.
  void find_splits() {
    std::vector<int> readers(registers(), 0);
    for (const Instruction& in : program_.instructions_) {
      for (const Input& i : in.inputs) {
        if (i.reg >= 0) ++readers[static_cast<size_t>(i.reg)];
      }
    }
    for (const Instruction& in : program_.instructions_) {
      if (in.kind != InstructionKind::kSplit || in.inputs[0].reg < 0) continue;
      const auto list = static_cast<size_t>(in.inputs[0].reg);
      if (readers[list] == 1) splits_[list] = &in;
    }
  }

  // The registers of what a kernel makes.
  const std::vector<int>& results_of(const Instruction& in) const {
    return in.def->list_result ? splits_[static_cast<size_t>(in.results[0])]->results : in.results;
  }

  // A tensor, or all elements of a list, as kernels at `place` take them.
  bool readable(int reg, bool dense, Place place) const {
    const auto fits = [&](int r) {
      return seen(r).ordinary && seen(r).place == place && (!dense || seen(r).dense);
    };
    const Instruction* list = lists_[static_cast<size_t>(reg)];
    if (!list) return !seen(reg).defined || fits(reg);
    return std::all_of(list->inputs.begin(), list->inputs.end(),
                       [&](const Input& i) { return i.reg >= 0 && fits(i.reg); });
  }

  const Kernel* kernel_of(const Instruction& in) const {
    DType dtype = seen(results_of(in)[0]).dtype;
    if (in.def->kernel_dtype_arg >= 0) {
      dtype = DType::kUndefined;
      for (const Input& i : in.inputs) {
        if (static_cast<int>(i.arg) != in.def->kernel_dtype_arg) continue;
        const Instruction* list = lists_[static_cast<size_t>(i.reg)];
        dtype = seen(list && !list->inputs.empty() ? list->inputs[0].reg : i.reg).dtype;
      }
    }
    return resolved_kernel(*in.def, dtype, place_of(in));
  }

  Place place_of(const Instruction& in) const { return seen(results_of(in)[0]).place; }

  // Where a new tensor is made depends on the thread, unless the program says so.
  static bool says_where(const Instruction& in) {
    if (!in.inputs.empty()) return true;
    for (size_t i = 0; i < in.constants.size(); ++i) {
      const Slot& s = in.constants[i];
      if (s.kind == SlotKind::kPlace && s.place.kind == DeviceKind::kUndefined) return false;
    }
    return true;
  }

  bool resolves(const Instruction& in) const {
    if (in.kind != InstructionKind::kOperator || in.results.empty()) return false;
    if (in.def->list_result && !splits_[static_cast<size_t>(in.results[0])]) return false;
    if (results_of(in).empty()) return false;
    if (in.state_input >= 0) return false;  // where its result lies depends on the inputs' memory
    const Kernel* kernel = kernel_of(in);
    if (!kernel || !says_where(in)) return false;
    for (const Input& i : in.inputs) {
      const bool list = lists_[static_cast<size_t>(i.reg)] != nullptr;
      if (!known(i.reg) || !readable(i.reg, list && !kernel->strided, place_of(in))) return false;
    }
    const std::vector<int>& results = results_of(in);
    return std::all_of(results.begin(), results.end(), [&](int r) {
      if (!seen(r).defined) return known(r);
      return known(r) && seen(r).ordinary && seen(r).dense && seen(r).place == place_of(in);
    });
  }

  bool is_view(size_t i, int64_t& distance) const {
    const Instruction& in = program_.instructions_[i];
    return observation_.is_view(i, distance) && known(in.results[0]) &&
           seen(in.inputs[0].reg).ordinary && seen(in.results[0]).ordinary;
  }

  void find_resolved() {
    int64_t distance = 0;
    for (size_t i = 0; i < kinds_.size(); ++i) {
      const Instruction& in = program_.instructions_[i];
      if (in.def && in.def->is_view() && observation_.is_view(i, distance)) {
        if (is_view(i, distance)) kinds_[i] = StepKind::kView;
      } else if (resolves(in)) {
        kinds_[i] = StepKind::kKernel;
        if (in.def->list_result)
          done_by_kernel_.insert(splits_[static_cast<size_t>(in.results[0])]);
      }
    }
    for (size_t i = 0; i < kinds_.size(); ++i) {
      if (done_by_kernel_.contains(&program_.instructions_[i])) kinds_[i] = StepKind::kNothing;
    }
  }

  // What leaves the program, or is read by what may keep it, cannot lie in the frame.
  void find_escaping() {
    const auto escape = [&](int reg) {
      if (reg >= 0) escapes_[static_cast<size_t>(reg)] = true;
    };
    for (const int r : program_.outputs_) escape(r);
    for (size_t i = kinds_.size(); i-- > 0;) {
      const Instruction& in = program_.instructions_[i];
      const bool leaves = !in.results.empty() && escapes_[static_cast<size_t>(in.results[0])];
      if (kinds_[i] == StepKind::kKernel || kinds_[i] == StepKind::kNothing) continue;
      if (kinds_[i] == StepKind::kView && !leaves) continue;
      if (in.kind == InstructionKind::kCombine && !leaves) continue;
      kinds_[i] = StepKind::kInterpreted;
      for (const Input& input : in.inputs) escape(input.reg);
    }
  }

  // The steps after which registers are free. What stands in a list lives as long as the list.
  void find_deaths() {
    std::vector<size_t> death(registers(), kinds_.size());
    for (size_t i = 0; i < kinds_.size(); ++i) {
      for (const int r : program_.instructions_[i].frees) death[static_cast<size_t>(r)] = i;
    }
    for (const Instruction* list : lists_) {
      if (!list) continue;
      const size_t end = death[static_cast<size_t>(list->results[0])];
      for (const Input& i : list->inputs) {
        if (i.reg < 0) continue;
        size_t& own = death[static_cast<size_t>(i.reg)];
        if (own < kinds_.size()) own = std::max(own, end);
      }
    }
    dead_after_.resize(kinds_.size());
    for (size_t r = 0; r < registers(); ++r) {
      if (death[r] < kinds_.size()) dead_after_[death[r]].push_back(static_cast<int>(r));
    }
  }

  // -- steps -------------------------------------------------------------------------------------

  void hold(int reg, size_t block) {
    blocks_[static_cast<size_t>(reg)] = block;
    if (block != kNoBlock) ++frame_blocks_[block].holders;
  }

  void drop(int reg) {
    const size_t block = blocks_[static_cast<size_t>(reg)];
    if (block == kNoBlock || --frame_blocks_[block].holders > 0) return;
    give(block);
  }

  void give(size_t block) {
    const Block& b = frame_blocks_[block];
    memory_[b.memory].give(b.offset, b.bytes);
  }

  size_t new_block(const Seen& s) {
    const auto at = std::find(places_.begin(), places_.end(), s.place);
    const auto memory = static_cast<size_t>(at - places_.begin());
    if (at == places_.end()) {
      places_.push_back(s.place);
      memory_.emplace_back();
    }
    const size_t bytes = bytes_of(s);
    frame_blocks_.push_back({memory, memory_[memory].take(bytes), bytes, 0});
    return frame_blocks_.size() - 1;
  }

  // A tensor that stays, in the block.
  Kept kept_in(int reg, size_t block) const {
    const Block& b = frame_blocks_[block];
    return {reg, -1, false, static_cast<int64_t>(b.offset), b.memory};
  }

  static size_t bytes_of(const Seen& s) {
    return static_cast<size_t>(numel_of(s.shape).value()) * size_of(s.dtype);
  }

  // The tensor of an argument: set once, or in each run.
  void bind_slot(Step& step, uint32_t slot, int reg) {
    if (lists_[static_cast<size_t>(reg)]) {
      step.bound.push_back({slot, reg, true});
      return;
    }
    if (!seen(reg).defined) return;
    replay_.slots_[slot].kind = SlotKind::kTensor;
    if (holds(reg) == kEachRun) {
      step.bound.push_back({slot, reg, false});
    } else {
      replay_.fixed_.emplace_back(slot, reg);
    }
  }

  void emit_kernel(const Instruction& in, Step& step) {
    step.kernel = kernel_of(in);
    step.def = in.def;
    step.place = place_of(in);
    step.slots = static_cast<uint32_t>(replay_.slots_.size());
    replay_.slots_.insert(replay_.slots_.end(), in.constants.data(),
                          in.constants.data() + in.constants.size());
    for (const uint32_t i : in.symbolic) {
      const Slot& s = in.constants[i];
      auto& dims = replay_.shapes_.emplace_back(
          std::make_unique<Shape>(evaluated(Shape(s.dims, s.dims + s.count), fixed_)));
      replay_.slots_[step.slots + i] = Slot::of(*dims);
    }
    std::vector<size_t> copies;
    bool direct = true;
    for (const Input& i : in.inputs) {
      const uint32_t slot = step.slots + i.arg;
      const bool list = lists_[static_cast<size_t>(i.reg)] != nullptr;
      if (list || !seen(i.reg).defined || seen(i.reg).dense || step.kernel->strided) {
        bind_slot(step, slot, i.reg);
        continue;
      }
      direct = false;
      replay_.slots_[slot].kind = SlotKind::kTensor;
      const int copy = dense_copy_of(i.reg, copies);
      step.dense.push_back({i.reg, copy});
      replay_.fixed_.emplace_back(slot, copy);
    }
    step.outs = static_cast<uint32_t>(replay_.num_outs_);
    const std::vector<int>& results = results_of(in);
    replay_.num_outs_ += std::max<size_t>(results.size(), in.def->num_results);
    for (uint32_t k = 0; k < results.size(); ++k) {
      if (seen(results[k]).defined) emit_result(step, k, results[k]);
    }
    step.may_take = direct && step.fresh.size() == 1 && results.size() == 1 &&
                    in.def->has(kElementwise | kPartialWrite);
    for (const size_t block : copies) give(block);
  }

  int dense_copy_of(int reg, std::vector<size_t>& copies) {
    const size_t block = new_block(seen(reg));
    copies.push_back(block);
    Seen dense = seen(reg);
    dense.dense = true;
    const int copy = static_cast<int>(replay_.num_registers_++);
    replay_.seen_.push_back(std::move(dense));
    replay_.kept_.push_back(kept_in(copy, block));
    return copy;
  }

  void emit_result(Step& step, uint32_t k, int reg) {
    const size_t bytes = bytes_of(seen(reg));
    if (escapes_[static_cast<size_t>(reg)] || bytes > kFrameMax) {
      step.fresh.push_back({k, reg});
      return;
    }
    const size_t block = new_block(seen(reg));
    hold(reg, block);
    holds(reg) = kAlways;
    step.writes_frame = true;
    step.memory = frame_blocks_[block].memory;
    replay_.kept_.push_back(kept_in(reg, block));
    replay_.results_.emplace_back(step.outs + k, reg);
  }

  void emit_view(size_t i, const Instruction& in, Step& step) {
    int64_t distance = 0;
    observation_.is_view(i, distance);
    const int base = in.inputs[0].reg, made = in.results[0];
    if (holds(base) == kAlways) {
      step.kind = StepKind::kNothing;
      holds(made) = kAlways;
      hold(made, blocks_[static_cast<size_t>(base)]);
      replay_.kept_.push_back({made, base, false, distance});
    } else {
      holds(made) = kBoundEachRun;
      step.view = {base, made, distance};
      replay_.kept_.push_back({made, -1, true, 0});
    }
  }

  void emit(size_t i) {
    const Instruction& in = program_.instructions_[i];
    Step& step = replay_.steps_.emplace_back();
    step.kind = kinds_[i];
    step.planned = step.kind == StepKind::kInterpreted;
    if (step.kind == StepKind::kKernel) {
      emit_kernel(in, step);
      step.planned = !step.fresh.empty();
    } else if (step.kind == StepKind::kView) {
      emit_view(i, in, step);
    } else if (step.kind == StepKind::kInterpreted && in.kind != InstructionKind::kCombine) {
      for (const int r : in.results) {
        if (known(r)) step.expected.push_back(r);
      }
    }
    if (kinds_[i] != StepKind::kInterpreted) ++replay_.num_resolved_;
    for (const int r : dead_after_[i]) {
      drop(r);
      if (holds(r) == kEachRun) step.frees.push_back(r);
      if (holds(r) == kBoundEachRun) step.unbinds.push_back(r);
    }
  }

  void finish() {
    for (const auto* list : {&program_.inputs_, &program_.outputs_}) {
      for (const int r : *list) {
        if (r >= 0 && holds(r) == kEachRun) replay_.ends_.push_back(r);
      }
    }
    for (size_t i = 0; i < places_.size(); ++i) {
      replay_.memory_.emplace_back(places_[i], memory_[i].total());
    }
    for (const auto& [symbol, value] : fixed_) replay_.symbols_.emplace_back(symbol, value);
  }

  Replay& replay_;
  const Interpreter& program_;
  const Observation& observation_;
  SymbolValues fixed_;                 // symbols whose values follow from the shapes of the inputs
  std::vector<bool> known_, escapes_;  // by register
  std::vector<const Instruction*> lists_;   // by register: what puts the list together
  std::vector<const Instruction*> splits_;  // by register: the only reader, which takes it apart
  std::unordered_set<const Instruction*> done_by_kernel_;
  std::vector<Holds> holds_;    // by register
  std::vector<size_t> blocks_;  // by register
  std::vector<StepKind> kinds_;
  std::vector<std::vector<int>> dead_after_;  // by step
  std::vector<Block> frame_blocks_;
  std::vector<Place> places_;
  std::vector<FrameMemory> memory_;  // at each of them
};

Interpreter::Replay::Replay(const Interpreter& program, const Observation& observation)
    : num_registers_(static_cast<size_t>(program.num_registers_)) {
  for (const int r : program.inputs_) inputs_.push_back(observation.seen(r));
  for (size_t r = 0; r < num_registers_; ++r)
    seen_.push_back(observation.seen(static_cast<int>(r)));
  constants_ = program.constants_;
  Builder(*this, program, observation).build();
}

}  // namespace paddle::pir
