// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// State that a program overwrites: where the new value differs from the old one in a part only
// (a row of a cache), the part is written in the memory of the state, provided that nothing reads
// the old value afterwards. A write through views,
//
//   row = slice(cache, ...); row' = index_put(row, ...); cache' = slice_scatter(cache, row', ...)
//
// is in place when row' lies where slice_scatter would put it, which the shapes tell.
#include <algorithm>

#include "paddle_core/op/args.h"
#include "pir/interpreter/interpreter.h"

namespace paddle::pir {

// Over the instructions of one program.
class Interpreter::StateAnalysis {
 public:
  explicit StateAnalysis(const Interpreter& program) : program_(program) {
    for (size_t i = 0; i < program.instructions_.size(); ++i) {
      for (const int r : program.instructions_[i].results) makers_[r] = i;
    }
  }

  // False when the new value is not made by partial writes, or something reads the old one later.
  bool plan(const StateWrite& write, StatePlan& plan) {
    plan.input = write.input;
    plan.result = program_.outputs_[write.output];
    within_.clear();
    closes_.clear();
    std::vector<size_t> writes;
    if (plan.result < 0 || !derives(plan.result, program_.inputs_[write.input], writes)) {
      return false;
    }
    if (writes.empty() || !nobody_reads_before(program_.inputs_[write.input], writes)) return false;
    std::sort(within_.begin(), within_.end());
    within_.erase(std::unique(within_.begin(), within_.end()), within_.end());
    plan.within = within_;
    plan.writes = std::move(writes);
    for (const auto& [i, inner] : closes_) plan.closing.push_back(i);
    return true;
  }

 private:
  static const Instruction::Input* input_of(const Instruction& in, uint32_t arg) {
    for (const Instruction::Input& i : in.inputs) {
      if (i.arg == arg) return &i;
    }
    return nullptr;
  }

  // Whether `reg` is `root` after views of it and partial writes to them, which are added to
  // `writes`.
  bool derives(int reg, int root, std::vector<size_t>& writes) {
    for (; reg != root; reg = input_of(program_.instructions_[makers_.at(reg)], 0)->reg) {
      const auto at = makers_.find(reg);
      if (at == makers_.end()) return false;
      const Instruction& in = program_.instructions_[at->second];
      if (!in.def || !input_of(in, 0)) return false;
      within_.push_back(at->second);
      if (in.def->is_view()) continue;
      if (!in.def->has(kPartialWrite)) return false;
      writes.push_back(at->second);
      const Instruction::Input* value = in.def->part_fn ? input_of(in, 1) : nullptr;
      if (!value || value->reg < 0) continue;
      std::vector<size_t> inner;
      const size_t before = within_.size();
      if (derives(value->reg, input_of(in, 0)->reg, inner)) {
        writes.insert(writes.end(), inner.begin(), inner.end());
        closes_.emplace_back(at->second, std::move(inner));
      } else {
        within_.resize(before);
      }
    }
    return true;
  }

  bool makes_new_memory(const Instruction& in) const {
    if (!in.def || in.def->is_view() || in.def->is_native_inplace() || in.types.empty()) {
      return false;
    }
    return in.types[0].is_tensor() && in.def->kernels.at(Place(), in.types[0].dtype()).fn;
  }

  // Whether each read of what may lie in the memory of `input` finds what the program means: what
  // was made before a write is not read after it, unless by the operator that ends this write.
  bool nobody_reads_before(int input, const std::vector<size_t>& writes) const {
    constexpr int64_t kGiven = -1;
    std::unordered_map<int, int64_t> made{{input, kGiven}};  // registers in that memory
    const auto outdated = [&](int reg, size_t reader, const std::vector<size_t>* inner) {
      const auto at = made.find(reg);
      if (at == made.end()) return false;
      return std::any_of(writes.begin(), writes.end(), [&](size_t w) {
        const bool between = at->second < static_cast<int64_t>(w) && w < reader;
        return between && !(inner && std::find(inner->begin(), inner->end(), w) != inner->end());
      });
    };
    for (size_t i = 0; i < program_.instructions_.size(); ++i) {
      const Instruction& in = program_.instructions_[i];
      const auto closing = std::find_if(closes_.begin(), closes_.end(),
                                        [&](const auto& entry) { return entry.first == i; });
      bool inside = false;
      for (const Instruction::Input& arg : in.inputs) {
        inside = inside || made.contains(arg.reg);
        const bool ends = closing != closes_.end() && arg.arg == 0;
        if (outdated(arg.reg, i, ends ? &closing->second : nullptr)) return false;
      }
      const bool writes_there = std::find(writes.begin(), writes.end(), i) != writes.end();
      if (!inside || (!writes_there && makes_new_memory(in))) continue;
      for (const int r : in.results) made[r] = static_cast<int64_t>(i);
    }
    const size_t end = program_.instructions_.size();
    return std::none_of(program_.outputs_.begin(), program_.outputs_.end(),
                        [&](int r) { return outdated(r, end, nullptr); });
  }

  const Interpreter& program_;
  std::unordered_map<int, size_t> makers_;  // by register
  std::vector<size_t> within_;
  // What puts a part back in its place, and the writes to that part.
  std::vector<std::pair<size_t, std::vector<size_t>>> closes_;
};

void Interpreter::find_state(const std::vector<StateWrite>& state) {
  if (state.empty()) return;
  StateAnalysis analysis(*this);
  for (const StateWrite& write : state) {
    StatePlan plan;
    if (!analysis.plan(write, plan)) continue;
    for (const size_t i : plan.writes) {
      instructions_[i].state_input = static_cast<int>(write.input);
    }
    for (const size_t i : plan.closing) instructions_[i].closes_part = true;
    state_.push_back(std::move(plan));
  }
}

namespace {

// The same elements in the same order, whatever the strides of axes of extent 1.
bool same_part(const Tensor& a, const Tensor& b) {
  const auto steps = [](const Tensor& t) {
    std::vector<std::pair<int64_t, int64_t>> list;
    for (size_t d = 0; d < t.shape().size(); ++d) {
      if (t.shape()[d].value() != 1) list.emplace_back(t.shape()[d].value(), t->strides[d]);
    }
    return list;
  };
  return a->offset == b->offset && steps(a) == steps(b);
}

// A tensor that only tells where its elements lie.
Tensor without_memory(const Shape& shape, DType dtype) {
  Tensor t = Tensor::meta(shape, dtype);
  t->set_contiguous_layout();
  t->storage = Storage::wrap(nullptr, 0, Place(), {});
  return t;
}

}  // namespace

bool Interpreter::lies_in_place(const StatePlan& plan, const Tensor& state,
                                const SymbolValues& symbols) const {
  std::unordered_map<int, Tensor> parts;
  parts[inputs_[plan.input]] = without_memory(state.shape(), state.dtype());
  for (const size_t i : plan.within) {
    const Instruction& in = instructions_[i];
    const Tensor target = parts.at(in.inputs[0].reg);
    SmallVector<Slot, 8> slots(in.constants.data(), in.constants.data() + in.constants.size());
    SmallVector<Shape, 2> dims;
    dims.reserve(in.symbolic.size());  // slots borrow the elements
    for (const uint32_t k : in.symbolic) {
      const Slot& s = in.constants[k];
      dims.push_back(evaluated(Shape(s.dims, s.dims + s.count), symbols));
      slots[k] = Slot::of(dims.back());
    }
    slots[0] = Slot::of(target);
    Args args(*in.def, slots.data());
    Tensor made = target;
    if (in.def->is_view()) {
      if (in.inputs.size() != 1) return false;  // an extent that a tensor gives
      made = in.def->view_fn(args);
      if (!made.defined()) return false;
    } else if (in.closes_part) {
      const Tensor part = in.def->part_fn(args);
      if (!part.defined() || !same_part(part, parts.at(in.inputs[1].reg))) return false;
    }
    parts[in.results[0]] = std::move(made);
  }
  return same_part(parts.at(plan.result), parts.at(inputs_[plan.input]));
}

std::vector<bool> Interpreter::state_in_place(const TensorList& inputs) const {
  std::vector<bool> in_place(inputs.size(), false);
  if (state_.empty()) return in_place;
  SymbolValues symbols;
  for (size_t i = 0; i < inputs.size(); ++i) bind_symbols(input_types_[i], inputs[i], symbols);
  for (const StatePlan& plan : state_) {
    const Tensor& state = inputs[plan.input];
    if (!state.defined() || !is_static(state.shape())) continue;
    try {
      in_place[plan.input] = lies_in_place(plan, state, symbols);
    } catch (const Error&) {  // the run itself will say so
    }
  }
  return in_place;
}

std::vector<bool> Interpreter::overwritable(const TensorList& inputs,
                                            std::vector<bool> in_place) const {
  if (state_.empty()) return in_place;
  std::vector<std::pair<const Storage*, size_t>> memory;
  for (const StatePlan& plan : state_) {
    const size_t i = plan.input;
    if (!in_place[i]) continue;
    const Tensor& t = inputs[i];
    in_place[i] = t.has_storage() && t.place().is_host() && t.is_contiguous();
    if (in_place[i]) memory.emplace_back(t->storage.get(), i);
  }
  std::sort(memory.begin(), memory.end());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined()) continue;
    const Storage* const storage = inputs[i]->storage.get();
    auto at = std::lower_bound(memory.begin(), memory.end(), std::pair(storage, size_t{0}));
    for (; at != memory.end() && at->first == storage; ++at) {
      if (at->second != i) in_place[at->second] = false;
    }
  }
  return in_place;
}

}  // namespace paddle::pir
