// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a program: a flat list of instructions over registers, made once. Operators run through
// execute(), in program order, so results and random draws equal those of eager calls. A register
// is freed after its last use. Regions of pd_op.if and pd_op.while are interpreters of their own.
// One Interpreter may run on several threads at once.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "paddle_core/shape/sym.h"
#include "pir/dialect/dialect.h"
#include "pir/dialect/host_function.h"

namespace paddle::pir {

class Capture;
class ValueWatch;
struct MemoryPlan;

class PADDLE_API Interpreter {
 public:
  // Runs `operations` (of one block, in order); `inputs` are values given by the caller, `outputs`
  // the values asked for.
  Interpreter(const std::vector<const Operation*>& operations, const std::vector<Value*>& inputs,
              const std::vector<Value*>& outputs);
  // Symbols of the input types are bound to the extents of the tensors given and kept in `symbols`
  // when it is not null.
  TensorList run(const TensorList& inputs, SymbolValues* symbols = nullptr) const;
  size_t num_instructions() const { return instructions_.size(); }
  // The same through call(), so that autograd records it: up to the last cf.grad, or all of it.
  TensorList run_recorded(const TensorList& inputs, SymbolValues* symbols,
                          bool whole = false) const;

 private:
  class DryRun;
  struct Register {
    Tensor tensor;
    TensorList list;
  };
  struct Input {
    uint32_t arg;
    int reg;
    bool required = false;
    bool last_use = false;
  };
  // A region: its program and the registers of the outer values that it reads.
  struct Body {
    std::unique_ptr<Interpreter> program;
    std::vector<int> outer;
  };
  struct Instruction {
    const OpDef* def = nullptr;  // null: combine, split, dims, control flow or gradients
    bool split = false, dims = false, binds = false, gradient = false;
    bool detach = false, with_history = false, extent = false, hook = false;
    std::vector<int> tracked;                   // results of which a gradient is wanted
    const OperationRecord* external = nullptr;  // of another library
    std::vector<Body> bodies;
    std::shared_ptr<HostFunction> host;
    OwnedArgs constants;
    std::vector<Input> inputs;
    std::vector<uint32_t> symbolic;  // constant arguments with symbolic extents
    std::vector<int> results, frees;
    std::vector<Type> types;
    const Operation* op = nullptr;
  };

  int register_of(const Value* v);
  void compile(const Operation& op);
  void compile_operator(const Operation& op);
  void compile_gradient(const Operation& op);
  void compile_plain(const Operation& op);
  void compile_regions(const Operation& op);
  void compile_external(const Operation& op);
  Body compile_body(const Block& block);
  bool needed(const Operation& op) const;
  void compute_frees(const std::vector<int>& kept);
  void run_instruction(const Instruction& in, std::vector<Register>& regs, SymbolValues& symbols,
                       bool taped, bool whole) const;
  [[noreturn]] static void throw_with_place(const Error& e, const Operation& op);
  void run_operator(const Instruction& in, std::vector<Register>& regs, SymbolValues& symbols,
                    bool recorded) const;
  TensorList run_all(const TensorList& inputs, SymbolValues& symbols, bool recorded,
                     bool whole = false) const;
  static TensorList record_regions(Capture& capture, const Instruction& in,
                                   const std::vector<Register>& regs, const SymbolValues& symbols,
                                   bool recorded);
  void run_regions(const Instruction& in, std::vector<Register>& regs, SymbolValues& symbols,
                   bool recorded) const;
  static TensorList run_body(const Body& body, const TensorList& arguments,
                             const std::vector<Register>& regs, SymbolValues symbols,
                             bool recorded);
  void run_external(const Instruction& in, std::vector<Register>& regs, SymbolValues& symbols,
                    bool recorded) const;
  void run_gradient(const Instruction& in, std::vector<Register>& regs, bool whole) const;
  void run_structural(const Instruction& in, std::vector<Register>& regs, SymbolValues& symbols,
                      bool recorded) const;
  static void run_host(const Instruction& in, std::vector<Register>& regs, SymbolValues& symbols,
                       bool recorded);
  void show(const ValueWatch& watch, const Instruction& in, bool results,
            std::vector<Register>& regs) const;
  // The plan for inputs of these shapes; null: none is made.
  std::shared_ptr<const MemoryPlan> plan_of(const TensorList& inputs) const;
  static uint32_t donated_arguments(const Instruction& in, const std::vector<Register>& regs);
  static int64_t traffic(const Instruction& in, const std::vector<Register>& regs);

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

  static constexpr size_t kMostPlans = 16;
  std::vector<size_t> open_inputs_;  // whose types leave extents open
  mutable std::mutex plans_mutex_;
  // By the shapes of the open inputs, the last used first; null: met once among many others.
  mutable std::list<std::pair<std::vector<Shape>, std::shared_ptr<const MemoryPlan>>> plans_;
  mutable size_t new_shapes_ = 0;  // in a row
};

// Binds the plain symbols of `type` to the extents of `t`.
PADDLE_API void bind_symbols(const Type& type, const Tensor& t, SymbolValues& symbols);
// The extents with the symbols' values; raises RuntimeError for one that has none.
Shape evaluated(const Shape& dims, const SymbolValues& symbols);

}  // namespace paddle::pir
