// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Elementwise operators and reductions as expressions: what one element of a result is. Operators
// that are composed of others have a form here when it is better than that of their decomposition.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cinn/loop/kernel.h"
#include "pir/ir/ir.h"

namespace paddle::cinn {

// An argument that is an attribute or a constant operand; its default where it is absent.
// NotImplementedError where only a run tells it.
Scalar number_argument(const pir::Operation& op, std::string_view name);
// Whether scalar_operation() knows the operator.
bool has_scalar_form(const OpDef& op);
// Why it has no form for the dtypes of this call; empty when it has one.
std::string scalar_obstacle(const pir::Operation& op);
// The operands that scalar_operation() takes elements of, in order: tensors that are no constants.
std::vector<const pir::Value*> tensor_operands(const pir::Operation& op);
// One element of the result, of the type it is computed in: float32 for 16-bit floats. `checks`
// gets what must hold of the operands for the value to be right.
Expr scalar_operation(ExprPool& pool, const pir::Operation& op, std::span<const Expr> operands,
                      std::vector<Expr>& checks);
// What computing one element costs, an addition being 1.
int scalar_weight(const pir::Operation& op);

struct Reduction {
  Combine combine;
  DType accumulator;
};
Reduction reduction_of(const pir::Operation& op);
Expr identity(ExprPool& pool, Combine combine, DType type);

}  // namespace paddle::cinn
