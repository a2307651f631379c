// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the definitions of fused operators share: the steps of an epilogue as operators.
#pragma once

#include <string_view>

#include "paddle_core/op/infer.h"
#include "paddle_core/tensor/tensor.h"

namespace paddle::ops {

// The steps of `epilogue` applied to x, with `residual` for the one that takes it.
Tensor apply_epilogue(Tensor x, std::string_view epilogue, const Tensor& residual, const char* op);

// Errors unless argument `epilogue` is well formed and argument `residual` is given when a step
// takes it, with shape `out` and the dtype of argument 0.
void check_epilogue(Infer& c, int epilogue, int residual, const Shape& out);

}  // namespace paddle::ops
