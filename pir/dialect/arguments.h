// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The argument pack of an operation: attributes and constant operands as constants, other operands
// as the tensors that a callback gives. It owns what its slots borrow.
#pragma once

#include <deque>
#include <functional>

#include "pir/dialect/dialect.h"

namespace paddle::pir {

// ValueError when the operand is absent without being optional, or a list where one tensor stands.
PADDLE_API void check_operand(const Operation& op, const ArgSpec& arg, const Value* v);

// A Place argument: the attribute, or what an operation that leaves it open stands for, which is
// the place of its tensors or the host.
PADDLE_API Place place_of(const Operation& op, const ArgSpec& arg);

class PADDLE_API OperationArgs {
 public:
  // The tensors of an operand: one, or those of a vector.
  using TensorsOf = std::function<TensorList(const Value*)>;
  // ValueError when operands or attributes do not fit the operator's schema.
  OperationArgs(const Operation& op, const TensorsOf& tensors_of);
  const Slot* slots() const { return slots_.data(); }

 private:
  Slot operand_slot(size_t i, const Value* v, const ArgSpec& arg, const TensorsOf& tensors_of);
  std::deque<Constant> constants_;
  std::deque<TensorList> lists_;
  std::vector<Slot> slots_;
};

// The results of the operator on the given operand tensors, through execute(); a list result is
// returned as the list. ValueError when its constants give a result of another type than declared.
PADDLE_API TensorList evaluate(const Operation& op, const OperationArgs::TensorsOf& tensors_of);

}  // namespace paddle::pir
