// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators of the registry as operations `pd_op.<saved name>`: operands are the tensor arguments
// and those marked @operand, attributes the other arguments, both in schema order. Constants for
// @operand arguments are made by pd_op.full and pd_op.full_int_array, or by builtin.dims when an
// extent is symbolic. builtin.parameter, builtin.combine and builtin.split complete the dialect.
#pragma once

#include <functional>

#include "paddle_core/dispatch/call.h"
#include "paddle_core/op/registry.h"
#include "pir/ir/ir.h"

namespace paddle::pir {

PADDLE_API std::string operation_name(const OpDef& op);
// Record of "pd_op.x"; null when the dialect or the operator is another one.
PADDLE_API const OpDef* find_def(OpName operation);
inline bool is_operand(const ArgSpec& arg) { return arg.is_tensor() || arg.saved_as_operand; }

// Constants. slot_of borrows from `holder`.
PADDLE_API Attribute attribute_of(const ArgSpec& arg, const Slot& slot);
PADDLE_API Constant constant_of(const ArgSpec& arg, const Attribute& attribute);

using ValueOf = std::function<Value*(const Tensor&)>;
// The value of an operand: of a tensor by `value_of`, of a constant a new constant operation.
PADDLE_API Value* make_operand(Builder& b, const ArgSpec& arg, const Slot& slot,
                               const ValueOf& value_of);
// Appends op(args); results get the types of `outs`.
PADDLE_API Operation* build_operation(Builder& b, const OpDef& op, const Slot* args,
                                      const Outputs& outs, const ValueOf& value_of);
// The constant that an operand holds when its producer is a constant operation.
PADDLE_API bool constant_operand(const Value* v, const ArgSpec& arg, Constant& out);
// Result types by the operator's shape rule; the types of the operands are those of the program.
PADDLE_API std::vector<Type> infer_types(const Operation& op);
// ValueError that names the operation when structure or types are wrong.
PADDLE_API void verify(const Program& program);

}  // namespace paddle::pir
