// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Walking through a program with shapes alone, and placing what lives.
#include "pir/interpreter/memory_plan.h"

#include <algorithm>
#include <numeric>

#include "pir/interpreter/interpreter.h"
#include "pir/interpreter/replay.h"

namespace paddle::pir {

std::vector<size_t> place(std::span<const Lifetime> blocks, size_t& total) {
  std::vector<size_t> order(blocks.size()), offsets(blocks.size(), 0);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return blocks[a].bytes > blocks[b].bytes; });
  std::vector<size_t> placed;  // by offset
  total = 0;
  for (const size_t i : order) {
    const Lifetime& block = blocks[i];
    size_t end = 0, best = SIZE_MAX, best_gap = SIZE_MAX;
    for (const size_t other : placed) {
      const Lifetime& beside = blocks[other];
      if (beside.last < block.first || block.last < beside.first) continue;
      const size_t gap = offsets[other] > end ? offsets[other] - end : 0;
      if (gap >= block.bytes && gap < best_gap) best = end, best_gap = gap;
      end = std::max(end, offsets[other] + beside.bytes);
    }
    offsets[i] = best != SIZE_MAX ? best : end;
    total = std::max(total, offsets[i] + block.bytes);
    const auto at = std::upper_bound(placed.begin(), placed.end(), offsets[i],
                                     [&](size_t offset, size_t k) { return offset < offsets[k]; });
    placed.insert(at, i);
  }
  return offsets;
}

PlannedMemory::PlannedMemory(const MemoryPlan* plan) : plan_(plan) {
  if (!plan) return;
  for (const MemoryPlan::Range& range : plan->ranges) {
    devices_.emplace_back();
    if (range.place.is_host()) {
      host_.emplace(range.bytes);
    } else {
      devices_.back() = DeviceArena::open(range.bytes, range.place);
    }
  }
}

PlannedMemory::Step::Step(PlannedMemory& memory, size_t i) {
  if (memory.devices_.empty() || !memory.plan_->steps[i].planned) return;
  const MemoryPlan::Step& step = memory.plan_->steps[i];
  const bool on_host = memory.plan_->ranges[step.range].place.is_host();
  using Blocks = std::span<const host_memory::Arena::Block>;
  if (memory.host_) host_.emplace(*memory.host_, on_host ? Blocks(step.results) : Blocks());
  DeviceArena* const device = memory.devices_[step.range].get();
  if (device && !step.results.empty()) device_.emplace(*device, step.results);
}

// The program on tensors without values. What is small and follows from shapes alone is computed,
// as sizes may be asked for by it.
class Interpreter::DryRun {
 public:
  DryRun(const Interpreter& program, const TensorList& inputs)
      : program_(program), values_(static_cast<size_t>(program.num_registers_)) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Tensor& t = inputs[i];
      if (!t.defined()) continue;
      value(program.inputs_[i]).tensor = Tensor::meta(t.shape(), t.dtype(), t.place());
      bind_symbols(program.input_types_[i], t, symbols_);
    }
    for (const auto& [reg, constant] : program.constants_) value(reg).tensor = constant;
  }

  MemoryPlan plan() {
    for (step_ = 0; step_ < program_.instructions_.size(); ++step_) {
      const Instruction& in = program_.instructions_[step_];
      if (in.def) {
        try {
          infer(in);
        } catch (const Error&) {  // the run itself will say so
        }
      } else {
        follow(in);
      }
      for (const int r : in.frees) drop(r);
    }
    for (const int r : program_.outputs_) {
      if (r >= 0) leaves(value(r));
    }
    return placed();
  }

 private:
  static constexpr int64_t kFew = 64;  // elements

  struct Value {
    Tensor tensor;  // undefined: nothing is known
    TensorList list;
    SmallVector<size_t, 1> blocks;  // of which it holds memory
  };
  struct Block {
    Lifetime life;
    Place place;
    int holders;
    bool leaves = false;
  };

  // Of a tensor of static shape; results of shape rules have no count of their own.
  static int64_t elements(const Tensor& t) { return numel_of(t.shape()).value(); }

  Value& value(int reg) { return values_[static_cast<size_t>(reg)]; }

  void leaves(const Value& v) {
    for (const size_t b : v.blocks) blocks_[b].leaves = true;
  }

  void hold(int reg, const SmallVector<size_t, 1>& blocks) {
    for (const size_t b : blocks) {
      value(reg).blocks.push_back(b);
      ++blocks_[b].holders;
    }
  }

  void drop(int reg) {
    for (const size_t b : value(reg).blocks) {
      if (--blocks_[b].holders == 0) blocks_[b].life.last = step_;
    }
    value(reg) = Value();
  }

  // Lists and the like pass memory on; regions and functions of the host are not looked into.
  void follow(const Instruction& in) {
    const bool combine = in.kind == InstructionKind::kCombine;
    const bool split = in.kind == InstructionKind::kSplit;
    const bool same =
        in.kind == InstructionKind::kDetach || in.kind == InstructionKind::kWithHistory;
    for (const Instruction::Input& i : in.inputs) {
      if (i.reg < 0) continue;
      if (!combine && !split && !same) {
        leaves(value(i.reg));
        continue;
      }
      for (const int r : in.results) hold(r, value(i.reg).blocks);
      if (combine) value(in.results[0]).list.push_back(value(i.reg).tensor);
    }
    if (split && !in.inputs.empty() && in.inputs[0].reg >= 0) {
      const TensorList& list = value(in.inputs[0].reg).list;
      for (size_t k = 0; k < list.size() && k < in.results.size(); ++k) {
        value(in.results[k]).tensor = list[k];
      }
    }
    if (same) value(in.results[0]).tensor = value(in.inputs[0].reg).tensor;
  }

  bool all_known(const Instruction& in) {
    return std::all_of(in.inputs.begin(), in.inputs.end(), [&](const Instruction::Input& i) {
      if (i.reg < 0) return true;
      const Value& v = value(i.reg);
      if (v.list.empty()) return v.tensor.defined() || !i.required;
      return std::all_of(v.list.begin(), v.list.end(), [](const Tensor& t) { return t.defined(); });
    });
  }

  // Whether the values of all arguments that are read are known and few.
  bool computable(const Instruction& in) {
    if (in.def->random_count_fn || in.def->is_native_inplace()) return false;
    const auto few = [](const Tensor& t) {
      return !t.defined() || (t.has_storage() && t.numel() <= kFew);
    };
    return std::all_of(in.inputs.begin(), in.inputs.end(), [&](const Instruction::Input& i) {
      if (i.reg < 0 || ((in.def->shape_only >> i.arg) & 1u)) return true;
      const Value& v = value(i.reg);
      return few(v.tensor) && std::all_of(v.list.begin(), v.list.end(), few);
    });
  }

  void infer(const Instruction& in) {
    if (!all_known(in)) return;
    SmallVector<Slot, 8> slots(in.constants.data(), in.constants.data() + in.constants.size());
    SmallVector<Shape, 2> dims;
    dims.reserve(in.symbolic.size());
    for (const uint32_t i : in.symbolic) {
      const Slot& s = in.constants[i];
      dims.push_back(evaluated(Shape(s.dims, s.dims + s.count), symbols_));
      slots[i] = Slot::of(dims.back());
    }
    for (const Instruction::Input& i : in.inputs) {
      if (i.reg < 0) continue;
      const Value& v = value(i.reg);
      slots[i.arg] = v.list.empty() ? Slot::of(v.tensor) : Slot::of(v.list);
    }
    Outputs outs;
    infer_with_values(*in.def, slots.data(), outs);
    const Place where = place_of_results(*in.def, slots.data());
    int64_t most = 0;
    for (const Tensor& t : outs) {
      if (t.defined() && !is_static(t.shape())) return;
      most = std::max(most, t.defined() ? elements(t) : 0);
    }
    if (in.def->has(kDynamicOutput)) return;
    if (where.is_host() && most <= kFew && computable(in)) execute(*in.def, slots.data(), outs);
    for (Tensor& t : outs) {
      if (!t.defined() || t.has_storage() || t.place() == where) continue;
      t = Tensor::meta(t.shape(), t.dtype(), where);
    }
    keep(in, outs);
  }

  void keep(const Instruction& in, const Outputs& outs) {
    inferred_.push_back(step_);
    if (in.def->list_result) {
      value(in.results[0]).list = TensorList(outs.begin(), outs.end());
      for (const Tensor& t : outs) add_block(in.results[0], t);
      return;
    }
    for (size_t k = 0; k < in.results.size() && k < outs.size(); ++k) {
      if (in.binds) bind_symbols(in.types[k], outs[k], symbols_);
      value(in.results[k]).tensor = outs[k];
      if (const int source = source_of(in, outs, k); source >= 0) {
        hold(in.results[k], value(source).blocks);
      } else {
        add_block(in.results[k], outs[k]);
      }
    }
  }

  void add_block(int reg, const Tensor& t) {
    if (!t.defined() || t.has_storage()) return;
    const size_t bytes = static_cast<size_t>(elements(t)) * size_of(t.dtype());
    if (bytes < host_memory::kArenaMin) return;
    const size_t last = program_.instructions_.size();
    blocks_.push_back({{step_, last, host_memory::arena_bytes(bytes)}, t.place(), 0});
    hold(reg, {blocks_.size() - 1});
  }

  static int register_of(const Instruction& in, int arg) {
    for (const Instruction::Input& i : in.inputs) {
      if (static_cast<int>(i.arg) == arg) return i.reg;
    }
    return -1;
  }

  // The register whose memory result `k` shares; -1: it has its own.
  int source_of(const Instruction& in, const Outputs& outs, size_t k) {
    if (in.def->is_native_inplace()) {
      return in.def->inplace_arg[k] < 0 ? -1 : register_of(in, in.def->inplace_arg[k]);
    }
    if (in.def->is_view()) return register_of(in, 0);
    const bool part = in.def->has(kPartialWrite);
    if (part && in.state_input >= 0) return register_of(in, 0);
    if ((!in.def->has(kElementwise) && !part) || outs.size() != 1 || in.def->random_count_fn) {
      return -1;
    }
    const Place where = outs[0].place();
    if (!where.is_host() && !in.def->kernels.at(where, outs[0].dtype()).fn) return -1;
    const uint32_t first = in.def->has(kBroadcast) && !part ? ~0u : 1u;
    for (const Instruction::Input& i : in.inputs) {
      if (!i.last_use || i.arg >= 32 || !((first >> i.arg) & 1u)) continue;
      const Value& v = value(i.reg);
      if (v.blocks.size() != 1 || blocks_[v.blocks[0]].holders != 1) continue;
      const bool alike = v.tensor.dtype() == outs[0].dtype() && v.tensor.shape() == outs[0].shape();
      if (alike && v.tensor.place() == where) return i.reg;
    }
    return -1;
  }

  MemoryPlan placed() {
    MemoryPlan plan;
    plan.steps.resize(program_.instructions_.size());
    for (const size_t step : inferred_) plan.steps[step].planned = true;
    for (const Block& b : blocks_) {
      if (b.leaves) plan.steps[b.life.first].planned = false;
    }
    std::vector<Place> places;
    for (const Block& b : blocks_) {
      if (std::find(places.begin(), places.end(), b.place) == places.end()) {
        places.push_back(b.place);
      }
    }
    for (const Place where : places) place_blocks(where, plan);
    if (plan.ranges.empty()) return {};
    return plan;
  }

  // The blocks of one place; an instruction makes its results at one place.
  void place_blocks(Place where, MemoryPlan& plan) const {
    std::vector<Lifetime> lives;
    for (const Block& b : blocks_) {
      if (b.place == where && plan.steps[b.life.first].planned) lives.push_back(b.life);
    }
    size_t bytes = 0;
    const std::vector<size_t> offsets = place(lives, bytes);
    if (bytes < kLeast) return;
    for (size_t i = 0; i < lives.size(); ++i) {
      MemoryPlan::Step& step = plan.steps[lives[i].first];
      step.range = plan.ranges.size();
      step.results.push_back({offsets[i], lives[i].bytes});
    }
    plan.ranges.push_back({where, bytes});
  }

  static constexpr size_t kLeast = size_t{1} << 20;  // bytes that are worth it

  const Interpreter& program_;
  std::vector<Value> values_;
  std::vector<Block> blocks_;
  std::vector<size_t> inferred_;  // steps
  SymbolValues symbols_;
  size_t step_ = 0;
};

// Where shapes keep changing (a cache that grows with every call), a plan costs more than it gives:
// only shapes that come again get one then.
std::shared_ptr<Interpreter::Known> Interpreter::known(const TensorList& inputs) const {
  InputShapes shapes;
  for (const size_t i : open_inputs_) {
    shapes.shapes.push_back(inputs[i].defined() ? inputs[i].shape() : Shape());
  }
  for (const Tensor& t : inputs) {
    if (!t.defined() || t.place().is_host()) continue;
    shapes.place = t.place();
    break;
  }
  {
    const std::lock_guard lock(known_mutex_);
    const auto at = std::find_if(known_.begin(), known_.end(),
                                 [&](const auto& entry) { return entry.first == shapes; });
    if (at != known_.end()) {
      new_shapes_ = 0;
      known_.splice(known_.begin(), known_, at);
      if (at->second) return at->second;
      known_.pop_front();
    } else if (++new_shapes_ > kMostKnown) {
      known_.emplace_front(std::move(shapes), nullptr);
      known_.pop_back();
      return nullptr;
    }
  }
  // Without the lock: shape rules of extensions may wait for locks of others.
  auto known = std::make_shared<Known>();
  known->plan = DryRun(*this, inputs).plan();
  known->in_place = state_in_place(inputs);
  const std::lock_guard lock(known_mutex_);
  known_.emplace_front(std::move(shapes), known);
  if (known_.size() > kMostKnown) known_.pop_back();
  return known;
}

}  // namespace paddle::pir
