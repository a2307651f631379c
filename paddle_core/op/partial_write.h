// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators that replace some elements of a tensor.
#pragma once

#include "paddle_core/op/op_def.h"

namespace paddle {

// The result is argument 0 with some elements replaced. Kernels accept the memory of argument 0 as
// that of the result, find every bad value before they write, and leave the other elements alone:
// the in-place form costs what it writes. Follows the bits of OpTrait.
inline constexpr uint32_t kPartialWrite = 1u << 15;

}  // namespace paddle
