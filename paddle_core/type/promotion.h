// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The dtype in which operands of different dtypes are computed. Symmetric; bool < integers <
// floats < complex. Integers of one sign: the wider; u8 with a signed type: the next wider signed
// type; float16 with bfloat16: float32; an integer with a float: the float's dtype.
#pragma once

#include "paddle_core/type/dtype.h"
#include "paddle_core/type/scalar.h"

namespace paddle {

PADDLE_API DType promote_types(DType a, DType b);

// dtype of `tensor (op) python_scalar`: the tensor's, unless the scalar's kind is higher (a float
// with an integer tensor gives `default_float`, a complex number the complex partner).
PADDLE_API DType promote_with_scalar(DType tensor, const Scalar& scalar, DType default_float);

}  // namespace paddle
