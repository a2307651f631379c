// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Elementwise operators and reductions as expressions: what one element of a result is.
#pragma once

#include <span>

#include "cinn/loop/kernel.h"
#include "pir/ir/ir.h"

namespace paddle::cinn {

// Whether scalar_operation() knows the operator.
bool has_scalar_form(const OpDef& op);
// The operands that scalar_operation() takes the elements of, in order: those that are no constant.
std::vector<const pir::Value*> tensor_operands(const pir::Operation& op);
// One element of the result, of the type it is computed in.
Expr scalar_operation(ExprPool& pool, const pir::Operation& op, std::span<const Expr> operands);
// What computing one element costs, an addition being 1.
int scalar_weight(const pir::Operation& op);

struct Reduction {
  Combine combine;
  DType accumulator;
};
Reduction reduction_of(const pir::Operation& op);
Expr identity(ExprPool& pool, Combine combine, DType type);

}  // namespace paddle::cinn
