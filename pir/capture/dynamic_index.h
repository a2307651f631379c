// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Elements at places that only the running program knows.
#pragma once

#include "paddle_core/tensor/tensor.h"

namespace paddle::pir {

class Capture;

// The part of x at an index along an axis, a view of x: what is written to it stands in x.
PADDLE_API Tensor select_at(Capture& capture, const Tensor& x, const Tensor& index, int64_t axis);

}  // namespace paddle::pir
