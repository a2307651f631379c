// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers as tensors hold them.
#pragma once

#include "paddle_core/type/dtype.h"

namespace paddle {

// A decay factor as a tensor of its powers holds it. A running mean is divided by one minus a
// power, so both must come from the same number: 1 - 0.999 changes by 1e-5 of itself when 0.999 is
// rounded to float32.
inline double as_held(double factor, DType powers) {
  return powers == DType::kFloat32 ? static_cast<double>(static_cast<float>(factor)) : factor;
}

}  // namespace paddle
