// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operations of other libraries. A library fills in a record per operation and registers it before
// it makes or reads programs that hold one; the printer, the parser, copies and passes need nothing
// more. What is not given is an error where it is asked for, never a guess.
//
//   register_operation({.name = "mylib.twice",
//                       .traits = kPure,
//                       .infer = [](const Operation& op) { return std::vector<Type>{...}; },
//                       .execute = [](const OperationCall& call) { return TensorList{...}; }});
//
// An operation with one region and no `execute` runs its region: the operands become the arguments
// of the region's block, the operands of its cf.yield the results. A RegionCompiler may run it
// instead.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "paddle_core/op/slot.h"
#include "pir/ir/ir.h"

namespace paddle::pir {

struct OperationCall {
  const Operation& op;
  const TensorList& operands;  // undefined: absent
};

struct OperationGradient {
  const Operation& op;
  const TensorList& operands;
  const TensorList& results;
  const TensorList& grads;  // per result; undefined: nothing depends on it
};

struct OperationRecord {
  std::string name;  // "dialect.operation"
  uint32_t traits = 0;
  // ValueError that says what is wrong with the operation.
  std::function<void(const Operation&)> verify = nullptr;
  // The types of the results, which the verifier compares with those of the program.
  std::function<std::vector<Type>(const Operation&)> infer = nullptr;
  // One tensor per result.
  std::function<TensorList(const OperationCall&)> execute = nullptr;
  // One tensor per operand, undefined where it has no gradient, made of recorded operator calls
  // when derivatives of higher order are wanted. Without it, `execute` cannot be differentiated.
  std::function<TensorList(const OperationGradient&)> vjp = nullptr;
  // The value of a kConstant operation.
  std::function<Tensor(const Operation&)> constant = nullptr;
  // Whether files may hold it. Its attributes are saved as they are, or as `to_saved` gives them;
  // `from_saved` puts right what was read.
  bool saved = false;
  std::function<std::vector<NamedAttribute>(const Operation&)> to_saved = nullptr;
  std::function<void(Operation&)> from_saved = nullptr;
};

// Thread-safe. ValueError when the name is taken, is no "dialect.operation", or belongs to pd_op,
// whose operations are the operators of the registry.
PADDLE_API void register_operation(OperationRecord record);

// The terminator of a region that has one block; ValueError when there is none.
PADDLE_API const Operation& terminator_of(const Operation& op, const Region& region);

}  // namespace paddle::pir
