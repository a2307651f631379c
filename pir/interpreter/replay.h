// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Runs of a program on inputs of shapes that came before. An observed run tells which results have
// which shapes; from it a Replay resolves what does not change: the kernel of each operator, its
// arguments and results, views, and where small results lie. A replayed operator costs its kernel
// and little more. What depends on values, or may keep what it reads, is interpreted as before.
#pragma once

#include <mutex>

#include "paddle_core/op/op_def.h"
#include "pir/interpreter/interpreter.h"
#include "pir/interpreter/memory_plan.h"

namespace paddle::pir {

// What one run showed.
class Interpreter::Observation {
 public:
  struct Seen {
    bool defined = false, dense = false, ordinary = false;  // ordinary: nothing to wait or ask for
    DType dtype = DType::kUndefined;
    Place place;
    Shape shape;
    Strides strides;
    bool is(const Tensor& t) const;
  };

  Observation(const Interpreter& program, const TensorList& inputs);
  // Instruction i has run.
  void after(size_t i, const Run& run);

  const Seen& seen(int reg) const { return seen_[static_cast<size_t>(reg)]; }
  // Whether the result of instruction i lies in the memory of its argument 0, so many bytes after
  // it.
  bool is_view(size_t i, int64_t& distance) const;

 private:
  static Seen look(const Tensor& t);
  const Interpreter& program_;
  std::vector<Seen> seen_;  // by register
  std::vector<std::pair<size_t, int64_t>> views_;
};

class Interpreter::Replay {
 public:
  Replay(const Interpreter& program, const Observation& observation);
  // Whether it serves these inputs.
  bool fits(const TensorList& inputs) const;
  // Operators that need nothing but their kernel, views that need nothing at all.
  size_t num_resolved() const { return num_resolved_; }
  TensorList run(const Interpreter& program, const Known& known, const TensorList& inputs,
                 SymbolValues& symbols) const;

 private:
  class Builder;

  // An argument that is another tensor, or list, in every run.
  struct Bound {
    uint32_t slot;
    int reg;
    bool list;
  };
  // A kernel that takes no strides reads a dense copy.
  struct Dense {
    int from, to;
  };
  // A result in memory of its own, or of an argument that is dead afterwards.
  struct Fresh {
    uint32_t out;
    int reg;
  };
  // A view of a tensor that is another one in every run.
  struct View {
    int from, to;
    int64_t distance;
  };
  enum class StepKind : uint8_t { kKernel, kView, kInterpreted, kNothing };
  struct Step {
    StepKind kind = StepKind::kNothing;
    bool writes_frame = false, planned = false, may_take = false;
    const Kernel* kernel = nullptr;
    const OpDef* def = nullptr;
    Place place;                   // of the kernel
    size_t memory = 0;             // which of the frame's it writes
    uint32_t slots = 0, outs = 0;  // the first of the frame's
    std::vector<Bound> bound;
    std::vector<Dense> dense;
    std::vector<Fresh> fresh;
    View view{};
    std::vector<int> expected;        // results whose shapes later steps rely on
    std::vector<int> frees, unbinds;  // unbinds: views of what is freed
  };
  // A tensor that stays from run to run, with its memory or (views of others) without.
  struct Kept {
    int reg;
    int base = -1;       // the constant that it is a view of
    bool bound = false;  // a View
    int64_t offset = 0;  // in the frame's memory, or from the base
    size_t memory = 0;   // which of the frame's
  };
  // What one run writes; used by one at a time, and on a device by the work of one stream, whose
  // order lets the next run write what the last one still reads.
  struct Frame {
    std::vector<Register> registers;
    std::vector<Slot> slots;
    std::vector<Tensor> outs;
    std::vector<StoragePtr> memory;  // as memory_ says
    // References to the memory and to the tensors that stay, while it is idle.
    std::vector<uint32_t> memory_uses;
    std::vector<std::pair<Tensor, uint32_t>> kept;
  };

  std::unique_ptr<Frame> take_frame() const;
  std::unique_ptr<Frame> make_frame() const;
  // Whether it belongs to the current streams of the thread.
  static bool is_of_streams(const Frame& frame);
  // Whether it has no owner any more.
  static bool is_idle(const Frame& frame);
  void run_kernel(const Instruction& in, const Step& step, Frame& frame, Run& run) const;
  bool interpret(const Interpreter& program, const Instruction& in, const Step& step,
                 Run& run) const;

  std::vector<Observation::Seen> inputs_, seen_;  // seen_: by register
  std::vector<int> ends_;                         // registers that are freed at the end
  std::vector<std::pair<uint32_t, int64_t>> symbols_;
  std::vector<Step> steps_;
  std::vector<Kept> kept_;
  std::vector<std::pair<int, Tensor>> constants_;
  std::vector<Slot> slots_;                        // without the tensors
  std::vector<std::pair<uint32_t, int>> fixed_;    // slots of kept tensors and constants
  std::vector<std::pair<uint32_t, int>> results_;  // outs of kept tensors
  std::vector<std::unique_ptr<Shape>> shapes_;     // that slots borrow
  std::vector<std::pair<Place, size_t>> memory_;   // of a frame: bytes at each place
  size_t num_registers_ = 0, num_outs_ = 0, num_resolved_ = 0;

  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Frame>> idle_;
};

// What is known of runs on inputs of given shapes.
struct Interpreter::Known {
  MemoryPlan plan;
  std::vector<bool> in_place;  // by input: state that may be overwritten

  std::shared_ptr<const Replay> replay_for(const TensorList& inputs);
  // After runs that none served: at the second, and ever more rarely.
  bool wants_replay();
  void set_replay(std::shared_ptr<const Replay> replay);

 private:
  std::mutex mutex_;
  std::shared_ptr<const Replay> replay_;
  uint32_t interpreted_ = 0;
};

}  // namespace paddle::pir
