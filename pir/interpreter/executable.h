// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A captured function ready to be called: a forward program and, when something needs a gradient,
// a backward program that reads values saved by the forward one. A call is one node of the graph.
#pragma once

#include "paddle_core/device/execution_context.h"
#include "pir/capture/captured.h"
#include "pir/interpreter/interpreter.h"

namespace paddle::pir {

// What a call read of the state that it then wrote, for a later call with the same values.
struct StateBefore {
  std::vector<std::pair<size_t, Tensor>> values;  // position among all inputs, a copy
  size_t lost_bytes = 0;                          // nothing was kept: this much was too much
};

class PADDLE_API Executable : public std::enable_shared_from_this<Executable> {
 public:
  explicit Executable(std::unique_ptr<Captured> captured);
  // Outputs of the function; writes and gradients of leaves are applied before it returns.
  TensorList run(const TensorList& inputs);
  // False when a fact that the capture relied on does not hold for these inputs.
  bool guards_hold(const TensorList& inputs) const;
  // False when a gradient is there that the capture did not find, or the other way round.
  bool gradients_fit() const;
  bool finds_gradients() const { return !captured_->found_grads.empty(); }
  // False when the capture made state that later calls must see as existing.
  bool reusable() const { return reusable_; }
  const Captured& captured() const { return *captured_; }
  std::string text() const { return print(*captured_->program); }

 private:
  friend class ProgramNode;
  void build();
  std::vector<Interpreter::StateWrite> state_writes() const;
  void apply_writes(const TensorList& targets, const TensorList& results, size_t at,
                    TensorList& keep);
  // The forward part again, recorded by autograd: what higher derivatives go through.
  TensorList replay(const TensorList& given, SymbolValues symbols, DrawLog draws);
  TensorList run_with_gradient(const TensorList& given, SymbolValues& symbols);
  TensorList write_targets(const TensorList& given) const;
  StateBefore state_before(const TensorList& given, const TensorList& targets) const;
  void attach_node(const TensorList& given, StateBefore state, TensorList& outputs,
                   TensorList saved, SymbolValues symbols, DrawLog draws);
  TensorList gather_inputs(const TensorList& inputs) const;

  std::unique_ptr<Captured> captured_;
  std::unique_ptr<Interpreter> forward_, backward_, recorded_;
  std::vector<Value*> saved_;  // what backward reads of the forward part
  bool reusable_ = true;
};

}  // namespace paddle::pir
