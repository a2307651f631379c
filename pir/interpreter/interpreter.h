// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a program: a flat list of instructions over registers, made once. Operators run through
// execute(), in program order, so results and random draws equal those of eager calls. A register
// is freed after its last use. Regions of pd_op.if and pd_op.while are interpreters of their own.
// What comes again with the same shapes is replayed (replay.h): kernels, shapes and memory are
// resolved then. One Interpreter may run on several threads at once.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "pir/interpreter/instruction.h"

namespace paddle::pir {

class Capture;
class ValueWatch;
struct MemoryPlan;

class PADDLE_API Interpreter {
 public:
  // Runs `operations` (of one block, in order); `inputs` are values given by the caller, `outputs`
  // the values asked for.
  // `state`: the value of an output will be written into an input by the caller. Operators that
  // replace a part of it do so in the memory of the input then, where nothing reads what was there.
  struct StateWrite {
    size_t input, output;
  };
  Interpreter(const std::vector<const Operation*>& operations, const std::vector<Value*>& inputs,
              const std::vector<Value*>& outputs, const std::vector<StateWrite>& state = {});
  ~Interpreter();
  // Symbols of the input types are bound to the extents of the tensors given and kept in `symbols`
  // when it is not null.
  TensorList run(const TensorList& inputs, SymbolValues* symbols = nullptr) const;
  size_t num_instructions() const { return instructions_.size(); }
  // The same through call(), so that autograd records it: up to the last cf.grad, or all of it.
  TensorList run_recorded(const TensorList& inputs, SymbolValues* symbols,
                          bool whole = false) const;

 private:
  class DryRun;
  class Replay;
  class Observation;
  struct Known;
  class StateAnalysis;
  // An input, the register of what will be written into it, and the instructions in between: views
  // and partial writes, among which some put a part back in its place.
  struct StatePlan {
    size_t input = 0;
    int result = -1;
    std::vector<size_t> within, writes, closing;
  };
  using Execute = void (Interpreter::*)(const Instruction& in, Run& run) const;
  static const Execute kExecutors[];  // by InstructionKind

  int register_of(const Value* v);
  void compile(const Operation& op);
  void compile_operator(const Operation& op);
  void compile_gradient(const Operation& op);
  void compile_plain(const Operation& op);
  void compile_regions(const Operation& op);
  void compile_external(const Operation& op);
  Instruction::Body compile_body(const Block& block);
  bool needed(const Operation& op) const;
  void compute_frees(const std::vector<int>& kept);
  void find_state(const std::vector<StateWrite>& state);
  void run_instruction(const Instruction& in, Run& run) const;
  [[noreturn]] static void throw_with_place(const Error& e, const Operation& op);
  void run_operator(const Instruction& in, Run& run) const;
  void run_combine(const Instruction& in, Run& run) const;
  void run_split(const Instruction& in, Run& run) const;
  void run_dims(const Instruction& in, Run& run) const;
  void run_detach(const Instruction& in, Run& run) const;
  void run_with_history(const Instruction& in, Run& run) const;
  void run_extent(const Instruction& in, Run& run) const;
  void run_host_call(const Instruction& in, Run& run) const;
  void run_hook(const Instruction& in, Run& run) const;
  void run_if(const Instruction& in, Run& run) const;
  void run_while(const Instruction& in, Run& run) const;
  void run_gradient(const Instruction& in, Run& run) const;
  void run_external(const Instruction& in, Run& run) const;
  static TensorList run_region(const Instruction& in, const TensorList& inputs, const Run& run);
  TensorList run_all(const TensorList& inputs, SymbolValues& symbols, bool recorded,
                     bool whole = false) const;
  // All instructions one after the other, each through its executor.
  TensorList interpret(const TensorList& inputs, SymbolValues& symbols, bool recorded, bool whole,
                       const Known* known, Observation* observation) const;
  void interpret_from(size_t first, Run& run, const MemoryPlan* plan,
                      Observation* observation) const;
  TensorList outputs_of(const Run& run) const;
  static TensorList record_regions(Capture& capture, const Instruction& in, const Run& run);
  static void keep_region_results(const Instruction& in, TensorList values, Run& run);
  static TensorList run_body(const Instruction::Body& body, const TensorList& arguments,
                             const Run& run);
  void show(const ValueWatch& watch, const Instruction& in, bool results,
            std::vector<Register>& regs) const;
  // What is known of runs on inputs of these shapes; null: they are too new to tell.
  std::shared_ptr<Known> known(const TensorList& inputs) const;
  // By input: whether it is state and, at these shapes, all that becomes of it lies in its place.
  std::vector<bool> state_in_place(const TensorList& inputs) const;
  // Of those, the ones that no other input shares memory with.
  std::vector<bool> overwritable(const TensorList& inputs, std::vector<bool> in_place) const;
  bool lies_in_place(const StatePlan& plan, const Tensor& state, const SymbolValues& symbols) const;
  static uint32_t donated_arguments(const Instruction& in, const Run& run);
  static int64_t traffic(const Instruction& in, const Run& run);

  std::unordered_map<const Value*, int> registers_;
  std::unordered_set<const Value*> wanted_;  // values asked for
  std::vector<Instruction> instructions_;
  std::vector<int> inputs_, outputs_;
  std::vector<Type> input_types_;
  std::vector<std::pair<int, Tensor>> constants_;          // register, value
  std::vector<std::pair<size_t, Tensor>> shared_outputs_;  // outputs that are constants
  int num_registers_ = 0;
  std::unordered_set<int> tracked_;  // registers of which a gradient is wanted
  size_t num_recorded_ = 0;          // instructions up to the last cf.grad; 0: there is none

  std::vector<StatePlan> state_;

  static constexpr size_t kMostKnown = 16;
  // What a plan is made for.
  struct InputShapes {
    std::vector<Shape> shapes;  // of the open inputs
    Place place;                // of the first input on a device, else the host
    bool operator==(const InputShapes&) const = default;
  };
  std::vector<size_t> open_inputs_;  // whose types leave extents open
  mutable std::mutex known_mutex_;
  // By the shapes of the open inputs, the last used first; null: met once among many others.
  mutable std::list<std::pair<InputShapes, std::shared_ptr<Known>>> known_;
  mutable size_t new_shapes_ = 0;  // in a row
};

// Binds the symbols and other atoms of `type` to the extents of `t`.
PADDLE_API void bind_symbols(const Type& type, const Tensor& t, SymbolValues& symbols);
// The extents with the symbols' values; raises RuntimeError for one that has none.
Shape evaluated(const Shape& dims, const SymbolValues& symbols);

}  // namespace paddle::pir
