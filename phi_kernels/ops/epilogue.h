// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the definitions of fused operators share: the steps of an epilogue as operators.
#pragma once

#include <string_view>

#include "paddle_core/op/args.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/tensor/tensor.h"

namespace paddle::ops {

// The steps of `epilogue` applied to x, with `residual` for the one that takes it.
Tensor apply_epilogue(Tensor x, std::string_view epilogue, const Tensor& residual, const char* op);

// Where the arguments stand that both operators have. Bias and residual have the dtype of argument
// 0 or are float32, and so is the result: dtype `out_dtype` when that is given.
struct EpilogueArguments {
  int bias, residual, epilogue, out_dtype;
};

// Errors unless the epilogue is well formed, the residual is given when a step takes it, with shape
// `out`, and the dtypes are as above. The dtype of the result.
DType check_epilogue(Infer& c, const EpilogueArguments& a, const Shape& out);

// The operands and the dtype of the result; all operands in float32 when dtypes are mixed.
struct EpilogueOperands {
  Tensor x, weight, bias, residual;
  DType dtype;
};
EpilogueOperands epilogue_operands(const Args& args, const EpilogueArguments& a);

}  // namespace paddle::ops
