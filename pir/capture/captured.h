// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a capture gives: a program with its inputs, outputs, writes and gradients.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "paddle_core/op/slot.h"
#include "paddle_core/shape/sym.h"
#include "pir/dialect/host_function.h"
#include "pir/ir/ir.h"

namespace paddle::pir {

struct CapturedInput {
  Value* value = nullptr;
  Tensor tensor;   // the tensor itself, or
  Tensor grad_of;  // the leaf whose .grad it was
};

struct CapturedWrite {
  Tensor target;
  Value* value = nullptr;
  bool zero = false;  // of a gradient: zeros, without a value
  Tensor grad_of{};   // the target is .grad of this leaf as a call finds it
};

// The states of a leaf's gradient for which the program is right.
struct FoundGradient {
  Tensor leaf;
  uint8_t states = 0;  // of autograd::GradState
};

// A captured function. Values belong to `program`.
struct PADDLE_API Captured {
  std::unique_ptr<Program> program;
  std::vector<Value*> inputs;
  std::vector<CapturedInput> captured;
  std::vector<Value*> outputs;
  std::vector<CapturedWrite> writes;
  std::vector<std::pair<size_t, Value*>> input_writes;  // position among inputs, its last value
  std::vector<CapturedWrite> grads;                     // new .grad of a leaf; no value: cleared
  std::vector<FoundGradient> found_grads;               // what a call must find
  std::vector<CapturedWrite> created;  // the target has no values until the next run
  std::vector<SymbolFact> facts;
  std::vector<std::shared_ptr<HostFunction>> host_functions;  // that the program calls
  bool for_export = false;
  bool has_control_flow = false;  // then gradients are those of the recorded run
  bool has_gradient = false;      // cf.grad: a run records itself up to the last one
  bool of_operators = false;      // the gradient is that of the operators, without hooks
  std::string grouping;           // what the compiler decided, for people
  bool as_fed = false;            // runs on other extents than its types tell: no pass may use them
  // Gradient part: operations after num_forward; empty when there is none.
  size_t num_forward = 0;
  std::vector<Value*> output_grads;  // per output; null: not differentiable
  std::vector<int> grad_inputs;      // position among inputs, or -1 - position in captured
  std::vector<Value*> input_grads;   // per grad_inputs; null: no gradient
};

// Runs the passes over a finished capture and follows its values through them.
PADDLE_API void optimize(Captured& captured);

}  // namespace paddle::pir
