// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the operations of a program are compiled to, and a run in progress.
#pragma once

#include <memory>
#include <vector>

#include "paddle_core/shape/sym.h"
#include "pir/dialect/dialect.h"
#include "pir/dialect/host_function.h"

namespace paddle::pir {

class Interpreter;

// Interpreter has one executor for each.
enum class InstructionKind : uint8_t {
  kOperator,
  kCombine,
  kSplit,
  kDims,
  kDetach,
  kWithHistory,
  kExtent,
  kHostCall,
  kHook,
  kIf,
  kWhile,
  kGradient,
  kExternal,  // an operation of another library
};

struct Register {
  Tensor tensor;
  TensorList list;
};

struct Instruction {
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

  InstructionKind kind = InstructionKind::kOperator;
  const Operation* op = nullptr;
  const OpDef* def = nullptr;  // of an operator
  bool binds = false;          // symbols of the result types are bound to the extents of results
  int state_input = -1;      // the input of the program that argument 0 lies in, to be overwritten
  bool closes_part = false;  // argument 1 is a part of that memory, perhaps in its place already
  std::vector<int> tracked;  // results of which a gradient is wanted
  std::vector<Body> bodies;
  std::shared_ptr<HostFunction> host;
  OwnedArgs constants;
  std::vector<Input> inputs;
  std::vector<uint32_t> symbolic;  // constant arguments with symbolic extents
  std::vector<int> results, frees;
  std::vector<Type> types;
};

struct Run {
  std::vector<Register> registers;
  SymbolValues& symbols;
  bool recorded = false;            // by autograd, at this instruction
  bool whole = false;               // to the end, not up to the last cf.grad
  std::vector<bool> may_overwrite;  // by input: its memory, in place of a copy written back

  Tensor& tensor(int reg) { return registers[static_cast<size_t>(reg)].tensor; }
  const Tensor& tensor(int reg) const { return registers[static_cast<size_t>(reg)].tensor; }
};

}  // namespace paddle::pir
